import MailTestKit
import Testing

/// A server that gives a UID to another message under the same UIDVALIDITY: what a person did to the first happens to no
/// other. The other stays, and is told.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct ReusedUIDTests {
  private static let dialects = [Dialect.modern, Dialect(capabilities: ["UIDPLUS"]), .bare, .gmail]

  private func stage(_ dialect: Int, deletions: String = "trash", having more: [String] = [])
    throws -> PushStage
  {
    let stage = try PushStage(Self.dialects[dialect]) { account in
      for name in more { account.add(name) }
    }
    try stage.mirror.configure { $0.sync = "deletions = \"\(deletions)\"" }
    return stage
  }

  /// What the third message was is gone, and another has its number and its date.
  private func reuse(_ stage: PushStage) {
    for mailbox in ["INBOX", PushStage.allMail] {
      stage.account.change(mailbox) { box in
        guard
          let place = box.messages.firstIndex(where: {
            contains($0.bytes, Array("<m2@".utf8))
          })
        else { return }
        box.messages[place].bytes = SampleMessage(token: "theirs").bytes
        box.messages[place].identity += 7777
      }
    }
  }

  private func expectUntouched(_ stage: PushStage, location: SourceLocation = #_sourceLocation)
    throws
  {
    #expect(stage.places("theirs") == ["INBOX"], sourceLocation: location)
    #expect(stage.flags("theirs") == [], sourceLocation: location)
    try stage.mirror.pull()
    _ = try stage.local("theirs", in: "INBOX")
  }

  @Test(arguments: dialects.indices, ["trash", "expunge"])
  func `the message that has a deleted one's UID is not deleted`(dialect: Int, deletions: String)
    throws
  {
    let stage = try stage(dialect, deletions: deletions)
    reuse(stage)
    try stage.reader.remove(stage.local("m2"))
    try stage.reader.remove(stage.local("m4"))
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("another on the server"), "\(outcome.summary)")
    #expect(
      stage.places("m4") != ["INBOX"] || stage.flags("m4").contains("\\Deleted"),
      "what is itself is deleted")
    try expectUntouched(stage)
    // What cannot be expunged stays there, marked, and is not kept here.
    if stage.flags("m4").contains("\\Deleted") { return }
    try stage.expectSettled()
  }

  @Test(arguments: dialects.indices)
  func `nor does it go in the moved one's stead`(dialect: Int) throws {
    let stage = try stage(dialect)
    reuse(stage)
    try stage.reader.move(stage.local("m2"), to: "Trash")
    try stage.push(1)
    try expectUntouched(stage)
    try stage.push()
    #expect(stage.places("m2") == ["Trash"], "what was moved is sent again")
  }

  /// Servers empty it by themselves, whatever they call it.
  @Test(arguments: dialects.indices, ["Deleted Items", "Spam"])
  func `nor to a Trash or Junk that only has the name`(dialect: Int, name: String) throws {
    let stage = try stage(dialect, having: [name])
    reuse(stage)
    try stage.reader.move(stage.local("m2"), to: name)
    try stage.push(1)
    try expectUntouched(stage)
  }

  @Test(arguments: dialects.indices)
  func `nor does an edited draft replace it`(dialect: Int) throws {
    let stage = try PushStage(Self.dialects[dialect]) { account in
      account.deliver(SampleMessage(token: "d0", flags: ["\\Draft"]), labelled: ["Drafts"])
    }
    stage.account.change("Drafts") { $0.messages[0].bytes = SampleMessage(token: "theirs").bytes }
    let draft = try stage.local("d0")
    try stage.reader.rewrite(draft, draft.raw + Array("one more line\n".utf8))
    try stage.push(1)
    #expect(stage.remote("theirs", in: "Drafts")?.flags == ["\\Draft"])
    #expect(stage.count(of: "one more line", in: "Drafts") == 1)
    try stage.mirror.pull()
    _ = try stage.local("theirs", in: "Drafts")
    #expect(try stage.mirror.tree().count(of: "one more line") == 1)
  }

  /// What is sent comes back with another header, and with the date that it was sent with.
  @Test(arguments: [true, false])
  func `a server that rewrites headers can be rid of what it rewrote`(hasName: Bool) throws {
    var dialect = Dialect.modern
    dialect.storing = { Array("X-Server: seen\r\n".utf8) + $0 }
    let stage = try PushStage(dialect)
    if hasName {
      try stage.deliver("fresh", to: "Work")
    } else {
      try stage.deliverNameless(to: "Work")
    }
    try stage.push()
    try stage.reader.remove(#require(try stage.mirror.tree().message(with: "fresh")))
    try stage.push()
    #expect(stage.count(of: "fresh", in: "Work") == 0)
    #expect(stage.count(of: "fresh", in: "Trash") == 1)
  }

  @Test(arguments: ["trash", "expunge"])
  func `what shows another header by itself than as a whole can be deleted`(deletions: String)
    throws
  {
    let stage = try stage(0, deletions: deletions)
    try stage.reader.remove(stage.local("m2"))
    stage.server.alter { command, replies in
      guard command.name == "UID FETCH", command.text.contains("[HEADER]") else { return replies }
      return replies.map { reply in
        guard reply.text.contains("Subject: Test") else { return reply }
        return .line(reply.text.replacing("Subject: Test", with: "Subject: Tset"))
      }
    }
    try stage.push()
    #expect(stage.places("m2") == (deletions == "trash" ? ["Trash"] : []))
    #expect(stage.server.server.bodyFetches.count == 1, "the whole message decides")
  }

  @Test func `a message whose header is not shown waits`() throws {
    let stage = try stage(0)
    try stage.reader.remove(stage.local("m2"))
    let uid = stage.remote("m2", in: "INBOX")?.uid ?? 0
    stage.server.alter { command, replies in
      guard command.name == "UID FETCH", command.text.contains("[HEADER]") else { return replies }
      return replies.filter { !$0.text.contains("UID \(uid) ") }
    }
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("did not show"), "\(outcome.summary)")
    #expect(stage.places("m2") == ["INBOX"])
    stage.server.alter(nil)
    try stage.push()
    #expect(stage.places("m2") == ["Trash"])
    try stage.expectSettled()
  }

  @Test func `a look costs one FETCH for all that goes`() throws {
    let stage = try PushStage(.modern, count: 40)
    for number in 0..<15 { try stage.reader.remove(stage.local("m\(number)")) }
    try stage.push()
    #expect(stage.server.server.received(named: ["FETCH"]).count == 1)
    #expect(stage.account["Trash"]?.messages.count == 15)
  }
}
