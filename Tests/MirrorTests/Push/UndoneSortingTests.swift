import Foundation
import MailTestKit
import Testing

/// What `mirror undo` takes back between pulls, pushes, mail readers and kills.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct UndoneSortingTests {
  private func scenario() throws -> Scenario {
    let scenario = try Scenario()
    for mailbox in ["Work", "Archive", "Trash"] { try scenario.client.create(mailbox) }
    try scenario.append((0..<4).map { "m\($0)" })
    #expect(try scenario.mirror.run(["pull"]).status == 0)
    return scenario
  }

  private func contents(_ scenario: Scenario) throws -> Set<String> {
    Set(try scenario.mirror.tree().messages.map { "\($0.path) \($0.inode)" })
  }

  // MARK: Pushed, or not

  @Test func `a change back to what the server has was not pushed`() throws {
    let scenario = try scenario()
    try scenario.mirror.sort("flag", "+flagged", SampleMessage.query("m0"))
    try scenario.mirror.sort("flag", "-flagged", SampleMessage.query("m0"))
    try scenario.mirror.sort("undo")
    #expect(try scenario.local("m0@")?.flags == "F")

    try scenario.mirror.sort("move", "Archive", SampleMessage.query("m1"))
    try scenario.mirror.sort("move", "INBOX", SampleMessage.query("m1"))
    try scenario.mirror.sort("undo")
    #expect(try scenario.local("m1@")?.folder == "Archive")

    let reader = Reader(scenario.mirror)
    try reader.setFlags(#require(try scenario.local("m2@")), "S")
    try scenario.mirror.sort("index")
    try scenario.mirror.sort("flag", "-seen", SampleMessage.query("m2"))
    try scenario.mirror.sort("undo")
    #expect(try scenario.local("m2@")?.flags == "S")
  }

  @Test func `what was pushed stays as it is, and is named`() throws {
    let scenario = try scenario()
    try scenario.mirror.sort("flag", "+flagged", SampleMessage.query("m0"))
    try scenario.push()
    #expect(try scenario.mirror.sort("undo", status: 1).errorText.contains("pushed already"))
    #expect(try scenario.local("m0@")?.flags == "F")
    try scenario.mirror.sort("move", "Archive", SampleMessage.query("m1"))
    try scenario.push()
    #expect(try scenario.mirror.sort("undo", status: 1).errorText.contains("pushed already"))
    #expect(try scenario.local("m1@")?.folder == "Archive")
    try scenario.expectSettled()
  }

  @Test func `a final deletion that was pushed is not sent again`() throws {
    let scenario = try scenario()
    try scenario.mirror.sort("delete", SampleMessage.query("m0"))
    try scenario.push()
    try scenario.mirror.sort("delete", SampleMessage.query("m0"))
    try scenario.push()
    #expect(try scenario.places("m0") == [])
    let outcome = try scenario.mirror.sort("undo", status: 1)
    #expect(outcome.errorText.contains("pushed already"))
    #expect(outcome.errorText.contains(".mirror/undo"))
    try scenario.push()
    #expect(scenario.appends == [])
    #expect(try scenario.places("m0") == [])
  }

  @Test func `a final deletion that was not pushed is taken back`() throws {
    let scenario = try scenario()
    try scenario.mirror.sort("delete", SampleMessage.query("m0"))
    try scenario.push()
    try scenario.mirror.sort("delete", SampleMessage.query("m0"))
    try scenario.pull()
    try scenario.mirror.sort("undo")
    #expect(try scenario.local("m0@")?.folder == "Trash")
    try scenario.push()
    #expect(scenario.proxy.changingCommands == [])
  }

  @Test func `what was put into the trash is deleted for good once that is pushed`() throws {
    let scenario = try scenario()
    try scenario.mirror.sort("delete", SampleMessage.query("m0"))
    let outcome = try scenario.mirror.sort("delete", SampleMessage.query("m0"), status: 1)
    #expect(outcome.errorText.contains("not pushed yet"), "\(outcome.errorText)")
    #expect(try scenario.local("m0@")?.folder == "Trash")
    try scenario.push()
    try scenario.mirror.sort("delete", SampleMessage.query("m0"))
    try scenario.push()
    try scenario.pull()
    #expect(try scenario.places("m0") == [])
    #expect(try scenario.local("m0@") == nil)
  }

  @Test func `a dry run tells what undo would do, and ends as it would`() throws {
    let scenario = try scenario()
    try scenario.mirror.sort(
      "flag", "+flagged", SampleMessage.query("m0") + " or " + SampleMessage.query("m1"))
    try Reader(scenario.mirror).setFlags(#require(try scenario.local("m1@")), "")
    let whole = try scenario.mirror.sort("undo", "--dry-run")
    #expect(whole.outputText.hasSuffix("\n2 messages would be taken back\n"), "\(whole.summary)")
    try scenario.push()
    let dry = try scenario.mirror.sort("undo", "--dry-run", status: 1)
    #expect(
      dry.outputText.contains("would leave “Test m0” as it is: it was pushed already"),
      "\(dry.summary)")
    let json = try scenario.mirror.sort("undo", "--dry-run", "--format", "json", status: 1)
    #expect(!json.outputText.contains("Test m0"), "\(json.summary)")
    try scenario.mirror.sort("undo", status: 1)
  }

  // MARK: After a pull

  @Test func `keywords are taken back after a pull that wrote them anew`() throws {
    let scenario = try scenario()
    try scenario.mirror.sort("flag", "+mine", SampleMessage.query("m0"))
    let uid = try scenario.client.uid(of: "m0", in: "INBOX")
    try scenario.client.store([uid], "+FLAGS", ["theirs"], in: "INBOX")
    try scenario.pull()
    try scenario.mirror.sort("undo")
    #expect(try scenario.local("m0@")?.keywords() == ["theirs"])
    try scenario.push()
    #expect(try scenario.remote("m0", in: "INBOX")?.flags.contains("mine") == false)
  }

  @Test func `a flag is taken back where another client moved the message to`() throws {
    let scenario = try scenario()
    try scenario.mirror.sort("flag", "+flagged", SampleMessage.query("m0"))
    let uid = try scenario.client.uid(of: "m0", in: "INBOX")
    try scenario.client.move([uid], from: "INBOX", to: "Work")
    try scenario.pull()
    #expect(try scenario.local("m0@")?.folder == "Work")
    try scenario.mirror.sort("undo")
    #expect(try scenario.local("m0@")?.flags.contains("F") == false)
    try scenario.push()
    #expect(try scenario.remote("m0", in: "Work")?.flags.contains("\\Flagged") == false)
  }

  @Test func `a flag is taken back where a reader moved the message to`() throws {
    let scenario = try scenario()
    try scenario.mirror.sort("flag", "+flagged", SampleMessage.query("m0"))
    try Reader(scenario.mirror).move(#require(try scenario.local("m0@")), to: "Work")
    try scenario.mirror.sort("undo")
    #expect(try scenario.local("m0@")?.folder == "Work")
    #expect(try scenario.local("m0@")?.flags == "")
  }

  // MARK: Side by side, and killed

  @Test func `commands that are given at once come one after the other`() throws {
    let scenario = try scenario()
    let runs = try (0..<4).map { try scenario.mirror.start("flag", "+par\($0)", "folder:INBOX") }
    for run in runs {
      let outcome = try run.wait()
      #expect(outcome.status == 0, "\(outcome.summary)")
    }
    for number in 0..<4 {
      let message = try #require(try scenario.local("m\(number)@"))
      #expect(message.keywords() == ["par0", "par1", "par2", "par3"])
    }
    try scenario.push()
    try scenario.expectSettled()
  }

  @Test(.enabled(if: Machine.canInject), arguments: ["move", "delete"], 1...6)
  func `a killed command is taken back as far as it came`(verb: String, number: Int) throws {
    let scenario = try scenario()
    // One name, and two messages that have it.
    let mine = try #require(try scenario.local("m0@"))
    let other = try #require(try scenario.local("m1@"))
    let path = scenario.mirror.account
    for folder in ["Archive", "Trash"] {
      try FileManager.default.copyItem(
        atPath: "\(path)/\(other.path)",
        toPath: "\(path)/\(folder)/\(mine.subdirectory)/\(mine.name)")
    }
    try scenario.mirror.sort("index")
    let before = try contents(scenario)
    var run = FaultRun(scenario.mirror)
    run.arguments =
      verb == "move"
      ? [
        "move", "Archive",
        "folder:INBOX (\(SampleMessage.query("m0")) or \(SampleMessage.query("m2")))",
      ]
      : ["delete", "folder:INBOX (\(SampleMessage.query("m0")) or \(SampleMessage.query("m2")))"]
    let killed = try run.kill(at: "renameat2", number)
    let undone = try scenario.mirror.run(["undo"])
    #expect(undone.status == 0, "\(killed.summary) \(undone.summary)")
    #expect(try contents(scenario) == before, "\(undone.summary)")
  }
}
