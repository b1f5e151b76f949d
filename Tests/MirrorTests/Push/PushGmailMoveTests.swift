import Foundation
import MailTestKit
import Testing

/// Moving, copying and adding messages where mailboxes are labels.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct PushGmailMoveTests {
  // MARK: Moving and archiving

  @Test func `a move changes labels`() throws {
    let stage = try GmailStage()
    try stage.reader.move(stage.local("m0"), to: "Work")
    try stage.reader.move(stage.local("b0", in: "INBOX"), to: "Later")
    try stage.reader.move(stage.local("bin"), to: "INBOX")
    try stage.push()
    #expect(stage.places("m0") == ["Work"])
    #expect(stage.places("b0").sorted() == ["Later", "Work"])
    #expect(stage.places("bin") == ["INBOX"] && stage.isArchived("bin"))
    #expect(stage.server.server.received(named: ["APPEND"]) == [])
    try stage.expectSettled()
  }

  @Test(arguments: [true, false]) func `a move to where the message is already`(told: Bool) throws {
    let stage = try GmailStage { $0.tellsOfKnown = told }
    try stage.reader.move(stage.local("b0", in: "INBOX"), to: "Work")
    try stage.push()
    #expect(stage.places("b0") == ["Work"])
    #expect(try stage.mirror.tree()["Work"].count == 4)
    try stage.expectSettled()
  }

  @Test func `out of INBOX and into All Mail is archiving`() throws {
    let stage = try GmailStage(sync: "folders = [\"*\", \"[Gmail]/All Mail\"]")
    #expect(try stage.mirror.tree()[GmailStage.all].count == 11)
    try stage.reader.move(stage.local("m0", in: "INBOX"), to: GmailStage.all)
    try stage.reader.remove(stage.local("m1", in: "INBOX"))
    try stage.push()
    #expect(stage.places("m0") == [] && stage.isArchived("m0"))
    #expect(stage.places("m1") == [] && stage.isArchived("m1"))
    #expect(stage.server.server.received(named: ["APPEND", "COPY"]) == [])
    try stage.expectSettled()
  }

  @Test func `out of All Mail alone is not possible, and comes back`() throws {
    let stage = try GmailStage(sync: "folders = [\"*\", \"[Gmail]/All Mail\"]")
    try stage.reader.remove(stage.local("m0", in: GmailStage.all))
    try stage.reader.remove(stage.local("old", in: GmailStage.all))
    try stage.push(1)
    #expect(stage.places("m0") == ["INBOX"] && stage.isArchived("m0"))
    #expect(stage.places("old") == [GmailStage.trash])
    try stage.mirror.pull()
    #expect(try stage.local("m0", in: GmailStage.all).folder == GmailStage.all)
    try stage.expectSettled()
  }

  @Test func `one of two copies moved to Trash leaves its folder only`() throws {
    let stage = try GmailStage()
    try stage.reader.move(stage.local("b0", in: "INBOX"), to: GmailStage.trash)
    try stage.push()
    #expect(stage.places("b0") == ["Work"])
    try stage.expectSettled()
    try stage.reader.move(stage.local("b1", in: "INBOX"), to: GmailStage.trash)
    try stage.reader.move(stage.local("b1", in: "Work"), to: GmailStage.trash)
    try stage.push()
    #expect(stage.places("b1") == [GmailStage.trash])
    try stage.expectSettled()
  }

  // MARK: Copies and new messages

  @Test func `flags of a file whose message Gmail has reach it`() throws {
    let stage = try GmailStage()
    try stage.deliver("old", to: "Later", flags: "FRS")
    try stage.push()
    try stage.mirror.pull()
    let flags = stage.message("old", in: "Later")?.flags ?? []
    #expect(flags.isSuperset(of: ["\\Flagged", "\\Answered", "\\Seen"]), "\(flags)")
    #expect(try stage.local("old", in: "Later").flags == "FRS")
    try stage.expectSettled()
  }

  @Test(arguments: [true, false]) func `a copied file is one label more`(told: Bool) throws {
    let stage = try GmailStage { $0.tellsOfKnown = told }
    try stage.copy(stage.local("m0"), to: "Work", as: "17.1_copy.host")
    try stage.copy(stage.local("bin"), to: "Later", as: "17.2_copy.host")
    try stage.push()
    #expect(stage.places("m0").sorted() == ["INBOX", "Work"])
    #expect(stage.places("bin") == ["Later"])
    #expect(stage.server.server.received(named: ["COPY"]).count == 1)
    #expect(stage.server.server.received(named: ["APPEND"]).count == 1)  // out of Trash
    try stage.expectSettled()
  }

  @Test func `a copy in Trash leaves the message where it is`() throws {
    let stage = try GmailStage()
    try stage.copy(stage.local("m0"), to: GmailStage.trash, as: "17.1_copy.host")
    try stage.push(1)
    #expect(stage.places("m0") == ["INBOX"])
    #expect(stage.server.server.changingCommands == [])
  }

  @Test func `new messages get their labels in the same push`() throws {
    let stage = try GmailStage(sync: "folders = [\"*\", \"!topic\"]")
    try stage.deliver("fresh", to: "Work", keywords: "topic", flags: "FS")
    try stage.push()
    #expect(stage.places("fresh").sorted() == ["Work", "[Gmail]/Starred", "topic"])
    #expect(stage.message("fresh", in: "Work")?.flags == ["\\Flagged", "\\Seen"])
    stage.server.forget()
    try stage.push()
    #expect(stage.server.server.changingCommands == [])
    // What was sent is known by its identity at once.
    try stage.mirror.pull()
    try stage.reader.remove(stage.local("fresh", in: "Work"))
    try stage.push()
    #expect(stage.places("fresh").sorted() == ["[Gmail]/Starred", "topic"])
    try stage.expectSettled()
  }

  @Test func `an APPEND of what Gmail has already does not double it`() throws {
    let stage = try GmailStage()
    try stage.deliver("old", to: "Work")
    try stage.push()
    #expect(stage.places("old") == ["Work"])
    #expect(stage.account.mailboxes.filter { $0.name == GmailStage.all }[0].messages.count == 11)
    try stage.expectSettled()
  }

  @Test func `an edited draft takes the old one's place`() throws {
    let stage = try GmailStage()
    stage.account.deliver(
      SampleMessage(token: "draft", flags: ["\\Draft", "\\Seen"]), labelled: ["[Gmail]/Drafts"])
    try stage.mirror.pull()
    let draft = try stage.local("draft")
    try stage.reader.rewrite(draft, draft.raw + Array("More words.\n".utf8))
    try stage.push()
    #expect(stage.places("draft") == ["[Gmail]/Drafts"])
    let kept = try #require(stage.message("draft", in: "[Gmail]/Drafts"))
    #expect(contains(kept.bytes, Array("More words.".utf8)))
    try stage.mirror.pull()
    #expect(try stage.mirror.tree().count(of: "<draft@") == 1)
    stage.server.forget()
    try stage.push()
    #expect(stage.server.server.changingCommands == [])
  }

  // MARK: Crashes

  @Test(arguments: ["UID MOVE", "UID COPY", "APPEND", "UID STORE"], [false, true])
  func `a lost answer is neither repeated nor forgotten`(command: String, pullsBetween: Bool) throws
  {
    let stage = try GmailStage(sync: "folders = [\"*\", \"!topic\"]")
    try stage.reader.move(stage.local("m0"), to: "Work")
    try stage.reader.remove(stage.local("m1"))
    try stage.reader.remove(stage.local("b0", in: "Work"))
    try stage.reader.setKeywords(stage.local("m2"), ["topic"])
    try stage.copy(stage.local("m3"), to: "Later", as: "17.3_copy.host")
    try stage.deliver("fresh", to: "Work", keywords: "topic")
    let isLost = Locked(true)
    stage.server.alter { received, replies in
      guard received.name == command, isLost.value else { return replies }
      return [.hangUp]
    }
    _ = try stage.mirror.run(["push"])
    isLost.value = false
    if pullsBetween { try stage.mirror.pull() }
    try stage.push()
    #expect(stage.places("m0") == ["Work"])
    #expect(stage.places("m1") == [GmailStage.trash])
    #expect(stage.places("b0") == ["INBOX"])
    #expect(stage.places("m2").sorted() == ["INBOX", "topic"])
    #expect(stage.places("m3").sorted() == ["INBOX", "Later"])
    #expect(stage.places("fresh").sorted() == ["Work", "topic"])
    try stage.expectSettled()
    let tree = try stage.mirror.tree()
    for (token, count) in [("m0", 1), ("m3", 2), ("fresh", 1), ("b0", 1)] {
      #expect(tree.count(of: "<\(token)@") == count, "\(token)")
    }
  }
}
