import Foundation
import MailTestKit
import Testing

/// What no push sends and no server has is told by each command that looks at an account, with what helps.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct SetAsideTests: ForgetStage {
  private func edit(_ scenario: Scenario, _ token: String = "m0@") throws {
    let message = try #require(try scenario.local(token))
    try Reader(scenario.mirror).rewrite(message, message.raw + Array("one more line\n".utf8))
  }

  private func records(_ scenario: Scenario) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: scenario.mirror.root + "/.mirror")
      .filter { $0.hasPrefix("undo") }
  }

  private func told(_ scenario: Scenario, _ arguments: String...) throws -> String {
    let outcome = try scenario.mirror.run(arguments)
    return outcome.outputText + outcome.errorText
  }

  @Test func `a text that was set aside is told by the files, whatever became of its record`()
    throws
  {
    let scenario = try scenario()
    try edit(scenario)
    #expect(try scenario.mirror.run(["revert"]).status == 0)
    func expectTold(_ words: String, location: SourceLocation = #_sourceLocation) throws {
      for command in ["status", "verify", "doctor"] {
        let told = try told(scenario, command)
        #expect(told.contains(words), "\(command): \(told)", sourceLocation: location)
      }
      let outcome = try forget(scenario)
      #expect(outcome.status == 1, "\(outcome.summary)", sourceLocation: location)
      #expect(outcome.errorText.contains(words), "\(outcome.summary)", sourceLocation: location)
      let json = try scenario.mirror.run(["status", "--format", "json"]).output
      let document = try JSONSerialization.jsonObject(with: Data(json)) as? [String: [String: Any]]
      #expect(document?["personal"]?["set_aside"] as? Int == 1, sourceLocation: location)
      try expectWhole(scenario, location: location)
    }
    try expectTold("1 edit that `mirror revert` set aside")
    for record in try records(scenario) {
      try FileManager.default.removeItem(atPath: scenario.mirror.root + "/.mirror/" + record)
    }
    try expectTold("1 text set aside of which no record of undo tells")
  }

  @Test func `what a command deleted for good is no text that was set aside`() throws {
    let scenario = try scenario()
    try scenario.append(["t0"], to: "Trash")
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    try scenario.mirror.sort("delete", SampleMessage.query("t0"))
    try scenario.push()
    let told = try told(scenario, "status")
    #expect(!told.contains("set aside"), "\(told)")
    let outcome = try forget(scenario)
    #expect(outcome.status == 0, "\(outcome.summary)")
  }

  @Test(.enabled(if: FaultRun.isPossible, "no strace"))
  func `nothing of a killed revert outlives the account`() throws {
    let scenario = try scenario()
    try edit(scenario)
    var fault = FaultRun(scenario.mirror)
    fault.arguments = ["revert"]
    var unfinished: [String] = []
    for number in 1...8 where unfinished.isEmpty {
      _ = try fault.kill(at: "rename", number)
      unfinished = try records(scenario).filter { $0.hasSuffix(".new") }
    }
    try #require(!unfinished.isEmpty, "no kill left a file that is not whole")
    let outcome = try forget(scenario, "--force")
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(try records(scenario) == [])
    try expectGone(scenario)
  }

  // MARK: Mailboxes that the configuration leaves out

  @Test(arguments: ["edit", "flag", "deletion", "new", "nothing"])
  func `what waits in a mailbox that is left out`(change: String) throws {
    let scenario = try scenario()
    try scenario.client.create("Work")
    try scenario.append(["w0", "w1"], to: "Work")
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    let message = try #require(try scenario.local("w0@"))
    let reader = Reader(scenario.mirror)
    switch change {
    case "edit": try edit(scenario, "w0@")
    case "flag": try reader.setFlags(message, "F")
    case "deletion": try reader.remove(message)
    case "new": try deliver("mine", scenario, to: "Work")
    default: break
    }
    try scenario.mirror.configure { $0.sync = "folders = [\"*\", \"!Work\"]" }
    let words = "The configuration leaves this mailbox out: 1 change here waits."
    let waits = change != "nothing"
    for arguments in [
      ["status"], ["revert", "--dry-run"], ["revert"], ["revert", "personal/Work"],
    ] {
      let outcome = try scenario.mirror.run(arguments)
      let told = outcome.outputText + outcome.errorText
      #expect(told.contains(words) == waits, "\(arguments): \(told)")
      #expect(!told.contains("exists only here"), "\(arguments): \(told)")
      if arguments[0] == "revert" { #expect(outcome.status == (waits ? 1 : 0), "\(told)") }
    }
    let refused = try forget(scenario)
    guard waits else { return #expect(refused.status == 0, "\(refused.summary)") }
    #expect(refused.status == 1, "\(refused.summary)")
    for words in [
      "lost: 1 change in mailboxes that the configuration leaves out.", "Mirror it again",
    ] {
      #expect(refused.errorText.contains(words), "\(refused.summary)")
    }
    #expect(!refused.errorText.contains("`mirror push`;"), "\(refused.summary)")
    // What helps, does.
    try scenario.mirror.configure { $0.sync = "" }
    #expect(try scenario.mirror.run(["revert"]).status == 0)
    #expect(try scenario.mirror.run(["sync"]).status == 0)
    #expect(try scenario.local("w0@", in: "Work")?.flags == "")
  }

  @Test func `what a revert has to bring to a mailbox that is left out waits, and is told`() throws
  {
    let scenario = try scenario()
    try scenario.client.create("Work")
    try scenario.append(["w0"], to: "Work")
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    try Reader(scenario.mirror).remove(#require(try scenario.local("w0@")))
    scenario.proxy.conditions.refuses = true
    #expect(try scenario.mirror.run(["revert"]).status == 69)
    scenario.proxy.conditions.refuses = false
    try scenario.mirror.configure { $0.sync = "folders = [\"*\", \"!Work\"]" }
    for arguments in [["status"], ["revert"]] {
      let told = try scenario.mirror.run(arguments)
      #expect(
        (told.outputText + told.errorText).contains("what the next pull was to bring waits"),
        "\(told.summary)")
    }
    try scenario.mirror.configure { $0.sync = "" }
    try scenario.pull()
    #expect(try scenario.local("w0@")?.folder == "Work")
  }

  // MARK: Words that help

  @Test func `an edit that no push sends is told as what it is`() throws {
    let scenario = try scenario()
    try edit(scenario)
    let outcome = try forget(scenario)
    #expect(outcome.status == 1, "\(outcome.summary)")
    for words in ["1 edited message that no push sends", "copy to a new file", "`mirror revert`"] {
      #expect(outcome.errorText.contains(words), "\(outcome.summary)")
    }
    #expect(!outcome.errorText.contains("Run `mirror push`"), "\(outcome.summary)")
  }

  @Test func `a state that is lost is told by each command, with what helps`() throws {
    let scenario = try scenario()
    try edit(scenario)
    for suffix in ["db", "backup.db"] {
      try FileManager.default.removeItem(
        atPath: "\(scenario.mirror.account)/.mirror/state.\(suffix)")
    }
    for command in ["status", "verify"] {
      let outcome = try scenario.mirror.run([command])
      let told = outcome.outputText + outcome.errorText
      #expect(told.contains("state is lost") && told.contains("Run `mirror pull`"), "\(told)")
      #expect(!told.contains("cannot be written"), "\(told)")
    }
    let refused = try forget(scenario)
    #expect(refused.status == 1, "\(refused.summary)")
    #expect(refused.errorText.contains("2 messages of which no state tells"), "\(refused.summary)")
    #expect(refused.errorText.contains("Run `mirror pull`"), "\(refused.summary)")
    #expect(!refused.errorText.contains("`mirror push`"), "\(refused.summary)")
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    let status = try told(scenario, "status")
    #expect(status.contains("INBOX: 1 message here was known by the header"), "\(status)")
    // What helps, does.
    let message = try #require(try scenario.local("m0@"))
    try Reader(scenario.mirror).remove(message)
    #expect(try scenario.mirror.run(["revert"]).status == 0)
    let after = try told(scenario, "status")
    #expect(!after.contains("something else"), "\(after)")
    try scenario.expectMirrored()
  }

  /// A text of a message that a window leaves out since.
  @Test func `a text of what lies beyond the window is told as what it is`() throws {
    let scenario = try Scenario()
    let now = Int64(Date().timeIntervalSince1970)
    try scenario.append(["o0", "o1"], date: now - 200 * 86_400)
    try scenario.append(["n0"], date: now - 86_400)
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    try edit(scenario, "o0@")
    #expect(try scenario.mirror.run(["revert"]).status == 0)
    try scenario.mirror.configure { $0.sync = "window = \"30d\"" }
    try scenario.pull()
    try scenario.mirror.sort("undo")
    let words = "holds another text of a message that the window leaves out, and exists only here"
    for arguments in [["status"], ["push", "--dry-run"], ["push"]] {
      let told = try scenario.mirror.run(arguments)
      #expect((told.outputText + told.errorText).contains(words), "\(told.summary)")
    }
    #expect(scenario.appends == [])
    let status = try told(scenario, "status")
    #expect(!status.contains("upload"), "\(status)")
    let refused = try forget(scenario)
    #expect(refused.errorText.contains("1 edited message that no push sends"), "\(refused.summary)")
    // What helps, does.
    let message = try #require(try scenario.local("o0@"))
    try FileManager.default.moveItem(
      atPath: scenario.mirror.account + "/" + message.path,
      toPath: scenario.mirror.account + "/INBOX/cur/17.1_mine.host:2,S")
    try scenario.push()
    #expect(scenario.appends.count == 1)
  }

  /// What the message holds was never learned again: its name alone proves nothing.
  @Test func `a text may exist only here where no pull has seen its message since`() throws {
    let scenario = try Scenario()
    let now = Int64(Date().timeIntervalSince1970)
    try scenario.append(["o0", "o1"], date: now - 200 * 86_400)
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    try edit(scenario, "o0@")
    var port: UInt16 = 0
    try scenario.mirror.configure {
      port = $0.port
      $0.port = 9
    }
    #expect(try scenario.mirror.run(["revert"]).status == 69)
    try scenario.mirror.configure {
      $0.port = port
      $0.sync = "window = \"30d\""
    }
    try scenario.pull()
    try scenario.mirror.sort("undo")
    let status = try told(scenario, "status")
    #expect(status.contains("its text may exist only here"), "\(status)")
    let refused = try forget(scenario)
    #expect(refused.status == 1, "\(refused.summary)")
    #expect(refused.errorText.contains("1 edited message that no push sends"), "\(refused.summary)")
    try scenario.push()
    #expect(scenario.appends == [])
  }

  /// A backup of an archive, put back where the window has since left it out.
  @Test func `moved mail that comes back beyond the window is not sent again`() throws {
    let scenario = try Scenario()
    let now = Int64(Date().timeIntervalSince1970)
    try scenario.client.create("Old")
    try scenario.append(["o0"], date: now - 200 * 86_400)
    try scenario.append(["n0"], date: now - 86_400)
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    try scenario.mirror.sort("move", "Old", SampleMessage.query("o0"))
    try scenario.push()
    try scenario.pull()
    let message = try #require(try scenario.local("o0@"))
    let path = scenario.mirror.account + "/" + message.path
    let sent = scenario.appends.count
    try scenario.mirror.configure { $0.sync = "window = \"30d\"" }
    try scenario.pull()
    #expect(!exists(path))
    try writeFile(path, message.raw)
    let told = try told(scenario, "push")
    #expect(told.contains("the file is a message that the window leaves out"), "\(told)")
    #expect(scenario.appends.count == sent)
    #expect(try scenario.client.messages(in: "Old").count == 1)
  }
}
