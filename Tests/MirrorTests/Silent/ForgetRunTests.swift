import Foundation
import MailTestKit
import Testing

/// `mirror forget`: nothing of an account stays here, and nothing is lost by accident.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct ForgetRunTests {
  private func scenario() throws -> Scenario {
    let scenario = try Scenario()
    try scenario.client.create("Trash")
    try scenario.append(["m0", "m1"])
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    return scenario
  }

  private func expectGone(_ scenario: Scenario) throws {
    let files = FileManager.default
    #expect(!files.fileExists(atPath: scenario.mirror.account))
    #expect(!files.fileExists(atPath: scenario.mirror.root + "/.mirror/forgotten"))
    let text = try String(contentsOfFile: scenario.mirror.configuration, encoding: .utf8)
    #expect(!text.contains("personal") && text.contains("root ="))
    #expect(try scenario.client.messages(in: "INBOX").count == 2, "the server keeps its mail")
    let trees = scenario.mirror.home + "/.local/state/mirror/trees"
    #expect(((try? files.contentsOfDirectory(atPath: trees)) ?? []).isEmpty)
    let found = try scenario.mirror.run(
      ["search", "*", "--root", scenario.mirror.root, "--format", "ids"])
    #expect(found.outputText == "", "\(found.summary)")
  }

  @Test func `an account goes, with its tree, its rows and its tables`() throws {
    let scenario = try scenario()
    let unasked = try scenario.mirror.run(["forget", "personal"])
    #expect(unasked.status == 64, "\(unasked.summary)")
    #expect(try scenario.mirror.tree().messages.count == 2)
    let outcome = try scenario.mirror.run(["forget", "personal", "--yes", "--format", "json"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(outcome.outputText.contains("\"messages\" : 2"), "\(outcome.summary)")
    try expectGone(scenario)
    #expect(try scenario.mirror.run(["forget", "personal", "--yes"]).status == 64)
    // The same account anew begins from nothing.
    try scenario.mirror.configure { _ in }
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    try scenario.expectMirrored()
  }

  @Test func `it is refused while something waits or exists only here`() throws {
    let scenario = try scenario()
    let reader = Reader(scenario.mirror)
    func refuse(_ words: String) throws {
      let outcome = try scenario.mirror.run(["forget", "personal", "--yes"])
      #expect(outcome.status == 1, "\(outcome.summary)")
      #expect(outcome.errorText.contains(words), "\(outcome.summary)")
      #expect(FileManager.default.fileExists(atPath: scenario.mirror.account))
    }
    try reader.setFlags(#require(try scenario.local("m0@")), "F")
    try refuse("1 change not pushed")
    try scenario.push()
    try reader.deliver(
      SampleMessage(token: "mine").bytes.filter { $0 != 13 }, name: "17.1_mine.host", to: "INBOX")
    try refuse("1 message nowhere but here")
    try reader.remove(#require(try scenario.local("mine@")))
    let hidden = scenario.mirror.account + "/.keep"
    for part in ["cur", "new", "tmp"] {
      try FileManager.default.createDirectory(
        atPath: "\(hidden)/\(part)", withIntermediateDirectories: true)
    }
    try writeFile(hidden + "/cur/1.host:2,S", "Subject: kept\n\naside\n")
    try refuse("1 message nowhere but here")
    try FileManager.default.removeItem(atPath: hidden)
    let outcome = try scenario.mirror.run(["forget", "personal", "--yes"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    try expectGone(scenario)
  }

  @Test func `an account that was never pulled goes, too`() throws {
    let scenario = try Scenario()
    let outcome = try scenario.mirror.run(["forget", "personal", "--yes"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(!FileManager.default.fileExists(atPath: scenario.mirror.account))
    let text = try String(contentsOfFile: scenario.mirror.configuration, encoding: .utf8)
    #expect(!text.contains("personal"))
  }

  @Test func `a message that waits to be sent keeps it`() throws {
    let scenario = try scenario()
    try scenario.mirror.configure {
      $0.imap = "\n[accounts.personal.smtp]\nhost = \"127.0.0.1\"\nport = 9\ntls = \"none\"\n"
    }
    let letter = "To: bob@example.org\nSubject: hello\n\nhi\n"
    let path = scenario.mirror.home + "/letter"
    try writeFile(path, letter)
    let queued = try MailTestKit.run(
      ["sh", "-c", "exec \"$0\" sendmail -t < \(path)"] + scenario.mirror.command([]),
      environment: scenario.mirror.environment)
    #expect(queued.status == 0, "\(queued.summary)")
    let outcome = try scenario.mirror.run(["forget", "personal", "--yes"])
    #expect(outcome.status == 1, "\(outcome.summary)")
    #expect(outcome.errorText.contains("1 message not sent"), "\(outcome.summary)")
  }

  @Test func `forced, it goes all the same`() throws {
    let scenario = try scenario()
    try Reader(scenario.mirror).remove(#require(try scenario.local("m0@")))
    let outcome = try scenario.mirror.run(["forget", "personal", "--yes", "--force"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    try expectGone(scenario)
  }

  @Test(
    .enabled(if: FaultRun.isPossible, "no strace"),
    arguments: ["rename", "unlinkat", "unlink", "rmdir", "openat", "mkdir"])
  func `killed anywhere, no push deletes, and another call ends it`(call: String) throws {
    for number in [1, 2, 4, 8, 16, 32, 64] {
      let scenario = try scenario()
      var fault = FaultRun(scenario.mirror)
      fault.arguments = ["forget", "personal", "--yes"]
      let killed = try fault.kill(at: call, number)
      _ = try scenario.mirror.run(["push", "--allow-mass-delete"])
      #expect(
        try scenario.client.messages(in: "INBOX").count == 2, "\(call) \(number): \(killed.ending)")
      let again = try scenario.mirror.run(["forget", "personal", "--yes", "--force"])
      #expect([0, 64].contains(again.status), "\(call) \(number): \(again.summary)")
      _ = try scenario.mirror.run(["index", "--root", scenario.mirror.root])
      try expectGone(scenario)
      if killed.ending == .exited(0) { break }
    }
  }
}
