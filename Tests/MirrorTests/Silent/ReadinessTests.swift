import Foundation
import MailTestKit
import Testing

/// What `mirror status` says of the history, of the last verification, and of whether one can go offline.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct ReadinessTests {
  private func object(_ outcome: Outcome) throws -> [String: Any] {
    let document = try JSONSerialization.jsonObject(with: Data(outcome.output))
    let all = try #require(document as? [String: Any])
    return try #require(all["personal"] as? [String: Any])
  }

  @Test func `ready after a whole pull, also with changes that wait`() throws {
    let scenario = try Scenario()
    try scenario.append(["m0", "m1", "m2"])
    let fresh = try scenario.mirror.run(["status", "--ready"])
    #expect(fresh.status == 1, "\(fresh.summary)")
    #expect(fresh.outputText.contains("never pulled"), "\(fresh.summary)")
    try scenario.pull()
    let behind = try scenario.mirror.run(["status", "--ready"])
    #expect(behind.status == 1 && behind.outputText.contains("index"), "\(behind.summary)")
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    let ready = try scenario.mirror.run(["status", "--ready"])
    #expect(ready.status == 0, "\(ready.summary)")
    #expect(ready.outputText == "personal: ready to go offline\n", "\(ready.summary)")
    let status = try scenario.mirror.run(["status"])
    #expect(status.outputText.contains("history is whole"), "\(status.summary)")
    #expect(try scenario.mirror.run(["flag", "+seen", SampleMessage.query("m0")]).status == 0)
    let waiting = try scenario.mirror.run(["status", "--ready", "--format", "json"])
    #expect(waiting.status == 0, "\(waiting.summary)")
    let told = try object(waiting)
    #expect(told["ready"] as? Bool == true)
    let history = try #require(told["history"] as? [String: Any])
    #expect(history["whole"] as? Bool == true && history["total"] as? Int == 3)
  }

  @Test func `a mailbox that a push made, and filled, is whole`() throws {
    let scenario = try Scenario()
    try scenario.append(["m0", "m1"])
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    try scenario.mirror.sort("move", "--create", "Fresh", SampleMessage.query("m0"))
    for command in [["push"], ["push", "--full"], ["pull"]] {
      #expect(try scenario.mirror.run(command).status == 0)
      let ready = try scenario.mirror.run(["status", "--ready"])
      #expect(ready.status == 0, "\(command): \(ready.summary)")
      let status = try scenario.mirror.run(["status"])
      #expect(status.outputText.contains("history is whole"), "\(command): \(status.summary)")
    }
  }

  @Test func `an account that has no mail yet is ready after its first pull`() throws {
    let scenario = try Scenario()
    #expect(try scenario.mirror.run(["pull", "personal/INBOX"]).status == 0)
    #expect(try scenario.mirror.run(["status", "--ready"]).status == 1, "there are others")
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    let ready = try scenario.mirror.run(["status", "--ready"])
    #expect(ready.status == 0, "\(ready.summary)")
    try scenario.expectQuiet()
  }

  @Test func `an interrupted first pull is told with how much is here`() throws {
    let scenario = try Scenario()
    try scenario.fill(3000)
    scenario.proxy.conditions.bytesPerSecond = 400_000
    let run = try scenario.mirror.start("pull", "--no-index")
    let deadline = Date(timeIntervalSinceNow: 60)
    while (try? scenario.mirror.tree().messages.count) ?? 0 < 200, Date() < deadline {
      Thread.sleep(forTimeInterval: 0.05)
    }
    run.signal(9)
    _ = try run.wait(limit: 20)
    let outcome = try scenario.mirror.run(["status", "--ready"])
    #expect(outcome.status == 1, "\(outcome.summary)")
    #expect(outcome.outputText.contains(" of 3,000 messages are here"), "\(outcome.summary)")
    let status = try scenario.mirror.run(["status"])
    #expect(status.outputText.contains("history: "), "\(status.summary)")
    let told = try object(scenario.mirror.run(["status", "--format", "json"]))
    let history = try #require(told["history"] as? [String: Any])
    #expect(history["whole"] as? Bool == false && history["total"] as? Int == 3000)
    let known = try #require(history["known"] as? Int)
    #expect(known < 3000)
    scenario.proxy.conditions.bytesPerSecond = 0
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    #expect(try scenario.mirror.run(["status", "--ready"]).status == 0)
  }

  @Test func `a push does not hide that the pull before it failed`() throws {
    let scenario = try Scenario()
    try scenario.append(["m0", "m1"])
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    scenario.proxy.conditions.refuses = true
    #expect(try scenario.mirror.run(["pull"]).status == 69)
    scenario.proxy.conditions.refuses = false
    #expect(try scenario.mirror.run(["flag", "+seen", SampleMessage.query("m0")]).status == 0)
    try scenario.push()
    #expect(try scenario.mirror.run(["index"]).status == 0)
    let failed = try scenario.mirror.run(["status", "--ready"])
    #expect(failed.status == 1, "\(failed.summary)")
    #expect(
      failed.outputText.contains("the last pull did not reach the server"), "\(failed.summary)")
    #expect(try scenario.mirror.run(["pull", "personal/INBOX"]).status == 0)
    let ofOne = try scenario.mirror.run(["status", "--ready"])
    #expect(ofOne.status == 1, "there are other mailboxes")
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    #expect(try scenario.mirror.run(["status", "--ready"]).status == 0)
  }

  @Test(.enabled(if: FaultRun.isPossible, "no strace"))
  func `a pull that was cut off is told behind a push, too`() throws {
    let scenario = try Scenario()
    try scenario.append(["m0", "m1"])
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    try scenario.append(["m2", "m3", "m4"])
    var fault = FaultRun(scenario.mirror)
    fault.arguments = ["pull"]
    _ = try fault.kill(at: "renameat2", 1)
    try scenario.push()
    #expect(try scenario.mirror.run(["index"]).status == 0)
    let cut = try scenario.mirror.run(["status", "--ready"])
    #expect(cut.status == 1, "\(cut.summary)")
    #expect(cut.outputText.contains("the next pull has to look through INBOX"), "\(cut.summary)")
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    #expect(try scenario.mirror.run(["status", "--ready"]).status == 0)
  }

  @Test func `what verify found last is told`() throws {
    let scenario = try Scenario()
    try scenario.append(["m0", "m1"])
    try scenario.pull()
    #expect(try scenario.mirror.run(["verify", "--deep"]).status == 0)
    let sound = try scenario.mirror.run(["status"])
    #expect(sound.outputText.contains("ago: all as on the server"), "\(sound.summary)")
    let message = try #require(try scenario.local("m1@"))
    var bytes = message.raw
    bytes[bytes.count - 3] ^= 1
    try writeFile("\(scenario.mirror.account)/\(message.path)", bytes)
    #expect(try scenario.mirror.run(["verify"]).status == 1)
    let damaged = try scenario.mirror.run(["status"])
    #expect(
      damaged.outputText.contains("ago: 1 difference; the first: INBOX: "), "\(damaged.summary)")
    let told = try object(scenario.mirror.run(["status", "--format", "json"]))
    let verify = try #require(told["last_verify"] as? [String: Any])
    #expect(verify["differences"] as? Int == 1)
  }

  @Test func `metrics are in the text format`() throws {
    let scenario = try Scenario()
    try scenario.append(["m0", "m1"])
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    let outcome = try scenario.mirror.run(["status", "--format", "prometheus"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    let lines = outcome.outputText.split(separator: "\n").map(String.init)
    #expect(lines.contains("mirror_ready{account=\"personal\"} 1"), "\(outcome.summary)")
    #expect(lines.contains("mirror_messages{account=\"personal\",mailbox=\"INBOX\"} 2"))
    for line in lines where !line.hasPrefix("#") {
      #expect(line.wholeMatch(of: /[a-z_]+\{[^{}]*\} -?[0-9.e+]+/) != nil, "\(line)")
    }
    for line in lines where line.hasPrefix("# TYPE ") { #expect(line.hasSuffix(" gauge")) }
  }

  @Test func `each mailbox that failed is named, with the reason`() throws {
    var dialect = Dialect.modern
    dialect.refusing = { command in
      let isMeant =
        ["SELECT", "EXAMINE"].contains(command.name)
        && (command.text.contains("Bad1") || command.text.contains("Bad2"))
      return isMeant ? "NO [NOPERM] the disk is on fire" : nil
    }
    let account = MailAccount(["INBOX", "Bad1", "Bad2"])
    for name in ["INBOX", "Bad1", "Bad2"] {
      account.deliver(SampleMessage(token: name), labelled: [name])
    }
    let server = try ModelServer(account, dialect)
    let mirror = try MirrorProgram(AccountSettings(port: server.port, user: "u"))
    let pull = try mirror.run(["pull"])
    #expect(pull.status == 1, "\(pull.summary)")
    let status = try mirror.run(["status"])
    for name in ["Bad1", "Bad2"] {
      for text in [pull.errorText, status.outputText] {
        let line = text.split(separator: "\n").first { $0.contains(name) && $0.contains("fire") }
        #expect(line != nil, "\(name) in \(text)")
      }
    }
    #expect(try mirror.run(["status", "--ready"]).status == 1)
  }

  @Test func `an index that took longer than its pull is a part of the summary`() throws {
    let scenario = try Scenario()
    try scenario.fill(6000)
    try scenario.pull()
    let outcome = try scenario.mirror.run(["pull"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    let lines = outcome.outputText.split(separator: "\n")
    #expect(lines.count == 2 && lines.last?.hasPrefix("index: ") == true, "\(outcome.summary)")
    let next = try scenario.mirror.run(["pull"])
    #expect(next.outputText.split(separator: "\n").count == 1, "\(next.summary)")
  }
}
