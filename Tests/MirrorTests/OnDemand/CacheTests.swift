import MailTestKit
import Testing

/// Stubs made again: on request, and where the cache has too much.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct CacheTests {
  private func scenario(_ tokens: [String], cache: String = "500MB") throws -> Scenario {
    let scenario = try Scenario(sync: "on-demand = \"20kB\"\ncache = \"\(cache)\"")
    for (number, token) in tokens.enumerated() {
      try scenario.client.append([OnDemandMail.mixed(token, seed: UInt64(number + 1))])
    }
    try scenario.pull()
    return scenario
  }

  private func stubs(_ scenario: Scenario) throws -> [String] {
    try ["a", "b", "c", "d"].filter { try scenario.local("<\($0)@")?.isStub == true }
  }

  @Test func `a stub is made again, and is the one that it was`() throws {
    let scenario = try scenario(["a"])
    let stub = try #require(try scenario.local("<a@"))
    #expect(try scenario.mirror.run(["fill", "--all"]).status == 0)
    try scenario.expectMirrored()
    let outcome = try scenario.mirror.run(["stub", "--all"])
    #expect(
      outcome.status == 0 && outcome.outputText.contains("1 made stubs"), "\(outcome.summary)")
    #expect(try scenario.local("<a@")?.raw == stub.raw)
    try scenario.expectQuiet()
    #expect(try scenario.mirror.run(["fill", "--all"]).status == 0)
    try scenario.expectMirrored()
  }

  @Test func `a message that came whole becomes one, but not one that was edited`() throws {
    let scenario = try Scenario()
    try scenario.client.append([OnDemandMail.mixed("a"), OnDemandMail.mixed("b", seed: 2)])
    try scenario.pull()
    let refused = try scenario.mirror.run(["stub", "--all"])
    #expect(refused.status == 78, "\(refused.summary)")
    try scenario.mirror.configure { $0.sync = "on-demand = \"20kB\"" }
    let edited = try #require(try scenario.local("<b@"))
    try Reader(scenario.mirror).rewrite(edited, edited.raw + Array("more\n".utf8))
    let outcome = try scenario.mirror.run(["stub", "--all"])
    #expect(outcome.status == 1, "\(outcome.summary)")
    #expect(try stubs(scenario) == ["a"])
  }

  @Test func `the cache keeps what was used last, what is flagged, and what is young`() throws {
    let scenario = try scenario(["a", "b", "c", "d"], cache: "450kB")
    try Reader(scenario.mirror).setFlags(#require(try scenario.local("<a@")), "FS")
    #expect(try scenario.mirror.run(["push"]).status == 0)
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    for token in ["a", "b", "c", "d"] {
      #expect(try scenario.mirror.run(["fill", "id:\(token)@example.org"]).status == 0)
      pause(1.1)
    }
    #expect(try stubs(scenario) == [], "all of them were used within a week")
    #expect(try scenario.mirror.run(["pull"], more: ["MIRROR_CACHE_SECONDS": "0"]).status == 0)
    // Four of 202 kB: the flagged one and the one used last stay.
    #expect(try stubs(scenario) == ["b", "c"])
    try scenario.expectQuiet()
  }

  @Test func `nothing goes that the server has no more`() throws {
    let scenario = try scenario(["a", "b"], cache: "1kB")
    #expect(try scenario.mirror.run(["fill", "--all"]).status == 0)
    try scenario.client.expunge([1], in: "INBOX")
    let outcome = try scenario.mirror.run(["stub", "--all"])
    #expect(outcome.summary.contains("does not have the message any more"), "\(outcome.summary)")
    #expect(try scenario.local("<a@")?.isStub == false)
    #expect(try stubs(scenario) == ["b"])
  }

  @Test(.enabled(if: FaultRun.isPossible, "no strace"), arguments: FaultRun.calls)
  func `killed while stubs are made, nothing is lost`(call: String) throws {
    for number in Machine.long ? Array(1...40) : [4] {
      let scenario = try scenario(["a", "b"])
      #expect(try scenario.mirror.run(["fill", "--all"]).status == 0)
      var fault = FaultRun(scenario.mirror)
      fault.arguments = ["stub", "--all"]
      let killed = try fault.kill(at: call, number)
      scenario.proxy.forget()
      #expect(try scenario.mirror.run(["push"]).status == 0)
      #expect(scenario.proxy.changingCommands == [], "\(call) \(number)")
      try scenario.pull()
      for token in ["<a@", "<b@"] {
        #expect(try scenario.mirror.tree().count(of: token) == 1, "\(call) \(number): \(token)")
      }
      try scenario.expectQuiet()
      #expect(try scenario.mirror.run(["fill", "--all"]).status == 0)
      try scenario.expectMirrored()
      if killed.ending == .exited(0) { break }
    }
  }
}
