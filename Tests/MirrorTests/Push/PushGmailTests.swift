import Foundation
import MailTestKit
import Testing

/// Pushing where mailboxes are labels. Expunging a last label deletes for ever here, so that nobody may rely on it.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct PushGmailTests {
  // MARK: Marks

  @Test func `keywords become labels, and flags go for all copies`() throws {
    let stage = try GmailStage(sync: "folders = [\"*\", \"!topic\", \"!Später\"]")
    try stage.reader.setKeywords(stage.local("m0"), ["topic", "Später"])
    try stage.reader.setFlags(stage.local("b0", in: "Work"), "RS")
    try stage.push()
    #expect(stage.places("m0").sorted() == ["INBOX", "Später", "topic"])
    #expect(stage.message("m0", in: "INBOX")?.flags == [])
    #expect(stage.message("b0", in: "INBOX")?.flags == ["\\Answered", "\\Seen"])
    try stage.expectSettled()
    #expect(try stage.local("m0").keywords().sorted() == ["Später", "topic"])
    #expect(try stage.local("b0", in: "INBOX").flags == "RS")
    try stage.reader.setKeywords(stage.local("m0"), ["topic"])
    try stage.push()
    #expect(stage.places("m0").sorted() == ["INBOX", "topic"])
    try stage.expectSettled()
  }

  @Test func `a label that is mirrored becomes a folder`() throws {
    let stage = try GmailStage()
    try stage.reader.setKeywords(stage.local("m0"), ["topic"])
    try stage.push()
    #expect(stage.places("m0").sorted() == ["INBOX", "topic"])
    try stage.expectSettled()
    #expect(try stage.local("m0", in: "topic").keywords() == [])
  }

  @Test(arguments: ["\\Trash", "\\Inbox", "Trash", "Work", "[Gmail]/Spam", "a^b", "\\Starred"])
  func `a keyword that is a place of Gmail's stays here, and is said once`(name: String) throws {
    let stage = try GmailStage()
    try stage.reader.setKeywords(stage.local("m0"), [name])
    let outcome = try stage.push()
    #expect(outcome.errorText.contains("stays on this side"), "\(outcome.errorText)")
    #expect(stage.places("m0") == ["INBOX"])
    #expect(stage.server.server.changingCommands == [])
    #expect(try !stage.push().errorText.contains("stays on this side"))
    #expect(try stage.local("m0").keywords() == [name])
    try stage.expectSettled()
  }

  @Test func `T is never stored`() throws {
    let stage = try GmailStage()
    try stage.reader.setFlags(stage.local("m0"), "ST")
    try stage.push()
    #expect(stage.places("m0") == ["INBOX"])
    #expect(stage.message("m0", in: "INBOX")?.flags == ["\\Seen"])
    try stage.expectSettled()
    #expect(try stage.local("m0").flags == "ST")
  }

  @Test func `a star shows as a folder, and goes with its file`() throws {
    let stage = try GmailStage()
    try stage.reader.setFlags(stage.local("m0"), "FS")
    try stage.push()
    #expect(stage.places("m0").sorted() == ["INBOX", "[Gmail]/Starred"])
    try stage.expectSettled()
    try stage.reader.remove(stage.local("m0", in: "[Gmail]/Starred"))
    try stage.push()
    #expect(stage.places("m0") == ["INBOX"])
    try stage.expectSettled()
    #expect(try stage.local("m0").flags == "S")
  }

  // MARK: Deleting

  @Test(arguments: [false, true]) func `gone from its only folder goes to Trash`(expunges: Bool)
    throws
  {
    let stage = try GmailStage(sync: expunges ? "deletions = \"expunge\"" : "")
    try stage.reader.remove(stage.local("m0"))
    try stage.reader.remove(stage.local("m1"))
    try stage.push()
    #expect(stage.places("m0") == (expunges ? [] : [GmailStage.trash]))
    #expect(!stage.isArchived("m0"))
    #expect(stage.places("bin") == [GmailStage.trash])
    try stage.expectSettled(without: expunges ? ["m0", "m1"] : [])
  }

  @Test func `gone from Trash is gone for good`() throws {
    let stage = try GmailStage()
    try stage.reader.remove(stage.local("bin"))
    try stage.push()
    #expect(stage.places("bin") == [])
    try stage.expectSettled(without: ["bin"])
  }

  @Test(arguments: ["INBOX", "Work"], [false, true])
  func `gone from one of two folders only loses that label`(folder: String, expunges: Bool) throws {
    let stage = try GmailStage(sync: expunges ? "deletions = \"expunge\"" : "")
    try stage.reader.remove(stage.local("b0", in: folder))
    let dry = try stage.mirror.run(["push", "--dry-run"])
    #expect(dry.outputText.contains("other folders keep"), "\(dry.outputText)")
    try stage.push()
    #expect(stage.places("b0") == [folder == "INBOX" ? "Work" : "INBOX"])
    try stage.expectSettled()
  }

  @Test func `gone from all its folders goes to Trash once`() throws {
    let stage = try GmailStage()
    try stage.reader.remove(stage.local("b0", in: "INBOX"))
    try stage.reader.remove(stage.local("b0", in: "Work"))
    try stage.push()
    #expect(stage.places("b0") == [GmailStage.trash])
    #expect(stage.server.server.received(named: ["MOVE"]).count == 1)
    stage.server.forget()
    try stage.push()
    #expect(stage.server.server.changingCommands == [], "not again")
    try stage.expectSettled()
  }

  @Test func `a label that another client gave meanwhile keeps a message from Trash`() throws {
    let stage = try GmailStage()
    stage.account.deliver(SampleMessage(token: "m0"), labelled: ["Later"])
    try stage.reader.remove(stage.local("m0"))
    try stage.push()
    #expect(stage.places("m0") == ["Later"])
    try stage.expectSettled()
  }

  @Test func `deletions that are held back keep the message`() throws {
    let stage = try GmailStage()
    for number in 0..<40 {
      let folders = number == 0 ? ["Later", "Work"] : ["Later"]
      stage.account.deliver(SampleMessage(token: "l\(number)"), labelled: folders)
    }
    try stage.mirror.pull()
    for number in 0..<30 { try stage.reader.remove(stage.local("l\(number)", in: "Later")) }
    try stage.reader.remove(stage.local("l0", in: "Work"))
    try stage.push(1)
    #expect(stage.places("l0") == ["Later"])
    #expect(stage.places("l1") == ["Later"])
  }

  @Test func `where Trash is hidden from IMAP, deletions wait`() throws {
    let stage = try GmailStage()
    stage.account[GmailStage.trash] = nil
    stage.account.add("Trash")  // a label of that name is a label
    try stage.reader.remove(stage.local("m0"))
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("Trash"), "\(outcome.errorText)")
    #expect(stage.places("m0") == ["INBOX"])
    #expect(stage.server.server.changingCommands == [])
  }

  @Test(arguments: ["INBOX", "Work"])
  func `where All Mail is hidden from IMAP, a label is taken off from elsewhere`(folder: String)
    throws
  {
    let stage = try GmailStage()
    stage.account[GmailStage.all] = nil
    try stage.reader.remove(stage.local("b0", in: folder))
    try stage.reader.remove(stage.local("m0"))
    try stage.push()
    #expect(stage.places("b0") == [folder == "INBOX" ? "Work" : "INBOX"])
    #expect(stage.places("m0") == [GmailStage.trash])
    #expect(stage.server.server.received(named: ["EXPUNGE"]) == [])
  }

  @Test func `what Gmail will not let out comes back`() throws {
    let stage = try GmailStage()
    try stage.reader.remove(stage.local("b0", in: "Work"))
    stage.refusals.value = [("UID MOVE", "", "NO [CANNOT] not that one")]
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("not that one"))
    stage.refusals.value = []
    try stage.mirror.pull()
    #expect(try stage.local("b0", in: "Work").folder == "Work")
    try stage.expectSettled()
  }
}
