import Foundation
import MailTestKit
import Testing

/// Stubs of which the state does not know how they were written: a person may have written into one.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct FoundStubTests {
  private let own = "Hello. My own notes."
  private var sync: String { "on-demand = \"20kB\"\n" }

  enum Forgetting: CaseIterable {
    /// `.mirror` is gone.
    case stateLost
    /// The state of a day on which the message was whole came back.
    case olderState
  }

  /// INBOX has a stub that a person wrote into, and one as it was written; the state was made anew, or is an earlier day's.
  private func scenario(_ forgetting: Forgetting = .stateLost, sync more: String = "") throws
    -> Scenario
  {
    let scenario = try Scenario(sync: (forgetting == .stateLost ? sync : "") + more)
    try scenario.client.append([
      OnDemandMail.mixed("a", flags: ["\\Seen"]), OnDemandMail.mixed("b", seed: 2),
    ])
    try scenario.pull()
    let control = scenario.mirror.account + "/.mirror"
    if forgetting == .olderState {
      try runSuccessfully(["cp", "-a", control, scenario.mirror.home + "/aside"])
      try scenario.mirror.configure { $0.sync = sync + more }
      #expect(try scenario.mirror.run(["stub", "--all"]).status == 0)
    }
    try edit(scenario)
    removeTree(control)
    if forgetting == .olderState {
      try runSuccessfully(["cp", "-a", scenario.mirror.home + "/aside", control])
    }
    return scenario
  }

  private func edit(_ scenario: Scenario) throws {
    let stub = try #require(try scenario.local("<a@"))
    #expect(stub.isStub)
    try writeFile(
      scenario.mirror.account + "/" + stub.path, stub.text.replacing("Hello.", with: own))
  }

  private func pull(_ scenario: Scenario) throws {
    scenario.proxy.forget()
    let pulled = try scenario.mirror.run(["pull"])
    #expect(pulled.status == 0, "\(pulled.summary)")
    #expect(scenario.bodyFetches == [], "what is here is not downloaded")
  }

  private func keepers(_ scenario: Scenario) throws -> [LocalMessage] {
    try scenario.mirror.tree()["INBOX"].filter { $0.text.contains(own) }
  }

  @Test(arguments: Forgetting.allCases, [true, false])
  func `what a person wrote into one stays beside the message that is filled`(
    forgetting: Forgetting, isPushed: Bool
  ) throws {
    let scenario = try scenario(forgetting)
    try pull(scenario)
    if isPushed { _ = try scenario.mirror.run(["push"]) }
    let filled = try scenario.fillParts("--all", status: 1)
    #expect(filled.outputText.contains("2 filled"), "\(filled.summary)")
    #expect(filled.errorText.contains("kept beside it"), "\(filled.summary)")
    let kept = try #require(try keepers(scenario).first)
    #expect(try keepers(scenario).count == 1 && kept.isStub && kept.flags == "S")
    #expect(filled.errorText.contains(kept.base), "\(filled.summary)")
    let whole = try #require(
      try scenario.mirror.tree()["INBOX"].first { !$0.isStub && $0.text.contains("<a@") })
    #expect(whole.flags == "S")
    let sent = try scenario.client.messages(in: "INBOX").map { scenario.oracle.fileBytes($0.bytes) }
    #expect(sent.contains(whole.raw))
    // It is no message, keeps its own message, and a second fill keeps nothing twice.
    scenario.proxy.forget()
    _ = try scenario.mirror.run(["push"])
    #expect(scenario.proxy.changingCommands == [])
    _ = try scenario.mirror.run(["fill", "--all"])
    #expect(try keepers(scenario).map(\.path) == [kept.path])
    #expect(try scenario.mirror.tree()["INBOX"].count == 3)
    // As it is told.
    try Reader(scenario.mirror).remove(kept)
    #expect(try scenario.mirror.run(["push"]).status == 0)
    try scenario.pull()
    try scenario.expectMirrored()
  }

  @Test func `what was kept is kept when its whole message is gone here and filled again`() throws {
    let scenario = try scenario()
    try pull(scenario)
    _ = try scenario.fillParts("--all", status: 1)
    let whole = try #require(
      try scenario.mirror.tree()["INBOX"].first { !$0.isStub && $0.text.contains("<a@") })
    try Reader(scenario.mirror).remove(whole)
    _ = try scenario.mirror.run(["sync"])
    #expect(try !keepers(scenario).isEmpty)
    for _ in 0..<2 {
      _ = try scenario.mirror.run(["fill", "--all"])
      #expect(try !keepers(scenario).isEmpty)
    }
  }

  /// The server says which message it is, and not what a person wrote into its file.
  @Test(.enabled(if: Machine.hasCyrus))
  func `an edited stub is not linked where the server has its message by now`() throws {
    let scenario = try Scenario(cyrus: CyrusServer.shared())
    try scenario.mirror.configure { $0.sync = sync }
    try scenario.client.append([OnDemandMail.mixed("a", flags: ["\\Seen"])])
    try scenario.client.create("Work")
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    try edit(scenario)
    removeTree(scenario.mirror.account + "/.mirror")
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    try scenario.client.move([1], from: "INBOX", to: "Work")
    _ = try scenario.mirror.run(["pull"])
    #expect(try scenario.mirror.tree()["Work"].map { $0.text.contains(own) } == [false])
    for verb in [["push"], ["pull"], ["fill", "--all"], ["push"], ["fill", "--all"]] {
      _ = try scenario.mirror.run(verb)
      #expect(try keepers(scenario).count == 1, "\(verb)")
    }
    #expect(try scenario.client.messages(in: "INBOX").isEmpty)
    #expect(try scenario.client.messages(in: "Work").count == 1)
  }

  /// The ledger knew the stub as it was written, and the message lies elsewhere: its copy it is not.
  @Test func `an edited stub is no copy of the message that the server moved`() throws {
    let scenario = try Scenario(sync: sync)
    try scenario.client.append([OnDemandMail.mixed("a", flags: ["\\Seen"])])
    try scenario.client.create("Work")
    try scenario.pull()
    try edit(scenario)
    try scenario.client.move([1], from: "INBOX", to: "Work")
    _ = try scenario.mirror.run(["pull"])
    _ = try scenario.mirror.run(["push"])
    _ = try scenario.mirror.run(["fill", "--all"])
    #expect(try scenario.mirror.tree()["Work"].map(\.isStub) == [false])
    for verb in [["push"], ["fill", "--all"], ["pull"], ["fill", "--all"]] {
      _ = try scenario.mirror.run(verb)
      #expect(try keepers(scenario).count == 1, "\(verb)")
    }
    #expect(try scenario.client.messages(in: "INBOX").isEmpty)
    #expect(try scenario.client.messages(in: "Work").count == 1)
  }

  @Test(.enabled(if: FaultRun.isPossible, "no strace"), arguments: FaultRun.calls)
  func `killed on the way, the fill keeps it all the same, once`(call: String) throws {
    for number in Machine.long ? Array(1...40) : [3, 14] {
      let scenario = try scenario()
      try pull(scenario)
      var fault = FaultRun(scenario.mirror)
      fault.arguments = ["fill", "--all"]
      let killed = try fault.kill(at: call, number)
      #expect(try !keepers(scenario).isEmpty, "\(call) \(number)")
      _ = try scenario.mirror.run(["push"])
      // It brings what was asked for.
      _ = try scenario.mirror.run(["pull"])
      #expect(try keepers(scenario).count == 1, "\(call) \(number)")
      _ = try scenario.mirror.run(["fill", "--all"])
      #expect(try scenario.mirror.tree()["INBOX"].filter { !$0.isStub }.count == 2)
      #expect(try keepers(scenario).count == 1, "\(call) \(number)")
      #expect(try scenario.client.messages(in: "INBOX").count == 2)
      if killed.ending == .exited(1) { break }
    }
  }

  @Test(arguments: Forgetting.allCases)
  func `an expunged message takes its stub along, but for one that a person wrote into`(
    forgetting: Forgetting
  ) throws {
    let scenario = try scenario(forgetting)
    try pull(scenario)
    let status = try scenario.mirror.run(["status"])
    #expect(status.summary.contains("1 message here was known by"), "\(status.summary)")
    let verified = try scenario.mirror.run(["verify"])
    #expect(verified.summary.contains("something besides"), "\(verified.summary)")
    try scenario.client.expunge([1, 2], in: "INBOX")
    let pulled = try scenario.mirror.run(["pull"])
    #expect(pulled.errorText.contains("the edited one stays"), "\(pulled.summary)")
    #expect(try keepers(scenario).count == 1)
    #expect(try scenario.mirror.tree()["INBOX"].count == 1)
    _ = try scenario.mirror.run(["push"])
    #expect(try scenario.client.messages(in: "INBOX").isEmpty, "a part is no message")
  }

  @Test func `the window leaves it where it is`() throws {
    let scenario = try scenario()
    try pull(scenario)
    try scenario.mirror.configure { $0.sync = sync + "window = \"30d\"" }
    try pull(scenario)
    #expect(try keepers(scenario).count == 1)
    #expect(try scenario.mirror.tree()["INBOX"].count == 1)
  }

  @Test(arguments: ["lf", "crlf"])
  func `stubs of all shapes are found to be as they were written`(endings: String) throws {
    let scenario = try Scenario(sync: sync + "line-endings = \"\(endings)\"")
    try scenario.client.append(OnDemandMail.corpus())
    try scenario.pull()
    removeTree(scenario.mirror.account + "/.mirror")
    try pull(scenario)
    let status = try scenario.mirror.run(["status"])
    #expect(!status.summary.contains("known by"), "\(status.summary)")
    try scenario.client.expunge(Array(1...30), in: "INBOX")
    try pull(scenario)
    #expect(try scenario.mirror.tree()["INBOX"].isEmpty)
  }
}
