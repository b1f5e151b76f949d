import Foundation
import MailTestKit
import SyncPlan
import Testing

/// A file copied to another folder: the server copies its message, and no body goes over the wire.
struct CopyTests {
  private func copy(_ token: String, _ stage: Stage, flags: String? = nil) throws {
    let message = try stage.local(token)
    try stage.reader.deliver(
      message.raw, name: "17.1_\(token)-copy.host", to: "Work", flags: flags ?? message.flags)
  }

  private func dialect(_ name: String) -> ServerDialect {
    switch name {
    case "modern": .modern
    case "exchange": .exchange
    case "uidplus": ServerDialect(capabilities: ["UIDPLUS"])
    default: .bare
    }
  }

  @Test(arguments: ["modern", "exchange", "uidplus", "bare"])
  func `the server copies what it can confirm`(name: String) throws {
    let stage = try Stage(dialect(name))
    try copy("m0", stage)
    try copy("m1", stage, flags: "FS")
    let dry = stage.push(0, PushOptions(dryRun: true))
    #expect(dry.actions == [PushAction(.copy, mailbox: "INBOX", detail: "Work", count: 2)])
    stage.push()
    let sent = stage.changes(named: "APPEND")
    #expect(sent.isEmpty == (name != "bare"), "\(sent)")
    #expect(stage.places("m0") == ["INBOX", "Work"] && stage.places("m1") == ["INBOX", "Work"])
    #expect(try stage.remote("m0", in: "Work").flags == [])
    #expect(try stage.remote("m1", in: "Work").flags == ["\\Flagged", "\\Seen"])
    #expect(try stage.remote("m1").flags == [])
    try stage.expectSettled()
  }

  @Test(arguments: ["NO [CANNOT] not here", "BAD what?"])
  func `a refused copy is sent instead`(words: String) throws {
    let stage = try Stage(.modern)
    try copy("m0", stage)
    stage.refusals.value = [.init(name: "UID COPY", words: words)]
    stage.push()
    #expect(stage.changes(named: "APPEND").count == 1)
    #expect(stage.places("m0") == ["INBOX", "Work"])
    try stage.expectSettled()
  }

  @Test func `what is gone from the server meanwhile is sent`() throws {
    let stage = try Stage(.modern)
    try copy("m0", stage)
    stage.account.change("INBOX") { $0.expunge($0.messages[0].uid) }
    stage.push()
    #expect(stage.places("m0") == ["Work"])
    try stage.expectSettled()
  }

  @Test(arguments: ["modern", "uidplus"], [false, true])
  func `a copy whose answer is lost is looked for, and not made again`(
    name: String, pullsBetween: Bool
  ) throws {
    let stage = try Stage(dialect(name))
    try copy("m0", stage)
    stage.killPush(at: "UID COPY")
    #expect(stage.places("m0") == ["INBOX", "Work"])
    if pullsBetween { stage.pull(nil) }
    stage.push()
    #expect(stage.places("m0") == ["INBOX", "Work"])
    #expect(try stage.tree().count(of: "<m0@") == 2)
    try stage.expectSettled()
  }

  @Test func `a message moved to one folder and copied to another`() throws {
    let stage = try Stage(.modern)
    stage.account.add("Later")
    stage.pull(nil)
    try copy("m0", stage)
    try stage.reader.move(stage.local("m0", in: "INBOX"), to: "Later")
    stage.forget()
    stage.push()
    #expect(stage.places("m0").sorted() == ["Later", "Work"])
    #expect(stage.changes(named: "APPEND") == [])
    try stage.expectSettled()
  }

  @Test func `two copies in one folder are one message`() throws {
    let stage = try Stage(.modern)
    try copy("m0", stage)
    let message = try stage.local("m0", in: "INBOX")
    try stage.reader.deliver(message.raw, name: "17.2_again.host", to: "Work", flags: "")
    stage.push()
    #expect(stage.places("m0") == ["INBOX", "Work"])
    stage.push()
    #expect(stage.places("m0") == ["INBOX", "Work"])
    #expect(stage.changes(named: "APPEND") == [])
  }

  /// A message and a file that repeats it, both in INBOX, the file known as what it is; the message's own file moved.
  private func moveDoubled(_ stage: Stage) throws {
    let message = try stage.local("m0")
    try stage.reader.deliver(
      message.raw, name: "17.1_again.host", to: "INBOX", flags: message.flags)
    stage.push()
    #expect(stage.changes == [])
    try stage.reader.move(message, to: "Work")
    stage.forget()
  }

  @Test(arguments: ["modern", "uidplus"])
  func `what repeated a message that was moved away is a message of its folder`(name: String) throws
  {
    let stage = try Stage(dialect(name))
    try moveDoubled(stage)
    stage.push()
    #expect(stage.places("m0").sorted() == ["INBOX", "Work"])
    #expect(stage.changes(named: "APPEND") == [])
    try stage.expectSettled()
  }

  @Test(arguments: ["UID MOVE", "UID COPY"], [false, true])
  func `it is one still where the push is cut off`(command: String, pullsBetween: Bool) throws {
    let stage = try Stage(.modern)
    try moveDoubled(stage)
    stage.killPush(at: command)
    if pullsBetween { stage.pull(nil) }
    stage.push()
    #expect(stage.places("m0").sorted() == ["INBOX", "Work"])
    #expect(try stage.tree().count(of: "<m0@") == 2)
    try stage.expectSettled()
  }

  /// Two machines share the tree: here a mail reader gave the file a name, there a pull gave it its own.
  @Test func `the file of another machine's pull is not sent where the message was moved`() throws {
    let stage = try Stage(.modern)
    let pulled = try stage.local("m0", in: "INBOX")
    try FileManager.default.moveItem(
      atPath: "\(stage.path)/\(pulled.path)",
      toPath: "\(stage.path)/INBOX/cur/17.1_named.host:2,\(pulled.flags)")
    stage.push()
    let named = try stage.local("m0", in: "INBOX")
    try stage.reader.deliver(pulled.raw, name: pulled.base, to: "INBOX", flags: pulled.flags)
    try stage.reader.move(named, to: "Work")
    stage.forget()
    stage.push()
    #expect(stage.places("m0") == ["Work"])
    #expect(stage.changes(named: "APPEND") == [] && stage.changes(named: "UID COPY") == [])
  }

  @Test(arguments: ["NO [CANNOT] not there", "NO [NOPERM] not yours"])
  func `it is not sent where the move is refused`(words: String) throws {
    let stage = try Stage(.modern)
    try moveDoubled(stage)
    stage.refusals.value = [.init(name: "UID MOVE", words: words)]
    for _ in 0..<2 { stage.push(nil) }
    #expect(stage.places("m0") == ["INBOX"])
    #expect((stage.changes(named: "APPEND") + stage.changes(named: "UID COPY")) == [])
  }

  @Test func `what repeated a message that the server expunged is not sent`() throws {
    let stage = try Stage(.modern)
    let message = try stage.local("m0")
    try stage.reader.deliver(
      message.raw, name: "17.1_again.host", to: "INBOX", flags: message.flags)
    stage.push()
    stage.account.change("INBOX") { $0.expunge($0.messages[0].uid) }
    stage.pull(nil)
    stage.push()
    #expect(stage.places("m0") == [])
    #expect((stage.changes(named: "APPEND") + stage.changes(named: "UID COPY")) == [])
  }

  @Test func `what repeats a message of its folder is not what was deleted elsewhere`() throws {
    let stage = try Stage(.modern) { account in
      account.deliver(SampleMessage(token: "both"), labelled: ["INBOX"])
      account.deliver(SampleMessage(token: "both"), labelled: ["Work"])
    }
    let message = try stage.local("both", in: "INBOX")
    try stage.reader.deliver(
      message.raw, name: "17.1_again.host", to: "INBOX", flags: message.flags)
    stage.push()
    try stage.reader.remove(stage.local("both", in: "Work"))
    stage.push()
    #expect(stage.places("both").sorted() == ["INBOX", "Trash"])
    stage.pull(nil)
    stage.push()
    #expect(stage.places("both").sorted() == ["INBOX", "Trash"])
  }
}
