import MailTestKit
import Settings
import SyncPlan
import Testing

/// A server that gives a UID to another message under the same UIDVALIDITY: what a person did to the first happens to no
/// other. The other stays, and is told.
struct ReusedUIDTests {
  private static let dialects = [
    ServerDialect.modern, ServerDialect(capabilities: ["UIDPLUS"]), .bare, .gmail,
  ]

  private func stage(_ dialect: Int, deletions: DeletionPolicy = .trash, having more: [String] = [])
    throws -> Stage
  {
    let stage = try Stage(Self.dialects[dialect], count: 6) { account in
      for name in more { account.add(name) }
    }
    stage.sync.deletions = deletions
    stage.reopen()
    return stage
  }

  /// What the third message was is gone, and another has its number and its date.
  private func reuse(_ stage: Stage) {
    for mailbox in ["INBOX", Stage.allMail] {
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

  private func expectUntouched(_ stage: Stage, location: SourceLocation = #_sourceLocation)
    throws
  {
    #expect(stage.places("theirs") == ["INBOX"], sourceLocation: location)
    #expect(stage.flags("theirs") == [], sourceLocation: location)
    stage.pull(nil)
    _ = try stage.local("theirs", in: "INBOX")
  }

  @Test(arguments: dialects.indices, DeletionPolicy.allCases)
  func `the message that has a deleted one's UID is not deleted`(
    dialect: Int, deletions: DeletionPolicy
  )
    throws
  {
    let stage = try stage(dialect, deletions: deletions)
    reuse(stage)
    try stage.remove("m2")
    try stage.remove("m4")
    let outcome = stage.push(1)
    #expect(outcome.told.contains("another on the server"), "\(outcome.told)")
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
    try stage.move("m2", to: "Trash")
    stage.push(1)
    try expectUntouched(stage)
    stage.push()
    #expect(stage.places("m2") == ["Trash"], "what was moved is sent again")
  }

  /// Servers empty it by themselves, whatever they call it.
  @Test(arguments: dialects.indices, ["Deleted Items", "Spam"])
  func `nor to a Trash or Junk that only has the name`(dialect: Int, name: String) throws {
    let stage = try stage(dialect, having: [name])
    reuse(stage)
    try stage.move("m2", to: name)
    stage.push(1)
    try expectUntouched(stage)
  }

  @Test(arguments: dialects.indices)
  func `nor does an edited draft replace it`(dialect: Int) throws {
    let stage = try Stage(Self.dialects[dialect], count: 6) { account in
      account.deliver(SampleMessage(token: "d0", flags: ["\\Draft"]), labelled: ["Drafts"])
    }
    stage.account.change("Drafts") { $0.messages[0].bytes = SampleMessage(token: "theirs").bytes }
    let draft = try stage.local("d0")
    try stage.reader.rewrite(draft, draft.raw + Array("one more line\n".utf8))
    stage.push(1)
    #expect(try stage.remote("theirs", in: "Drafts").flags == ["\\Draft"])
    #expect(stage.count(of: "one more line", in: "Drafts") == 1)
    stage.pull(nil)
    _ = try stage.local("theirs", in: "Drafts")
    #expect(try stage.tree().count(of: "one more line") == 1)
  }

  /// What is sent comes back with another header, and with the date that it was sent with.
  @Test(arguments: [true, false])
  func `a server that rewrites headers can be rid of what it rewrote`(hasName: Bool) throws {
    var dialect = ServerDialect.modern
    dialect.storing = { Array("X-Server: seen\r\n".utf8) + $0 }
    let stage = try Stage(dialect)
    if hasName {
      try stage.deliver("fresh", to: "Work")
    } else {
      try stage.deliverNameless(to: "Work")
    }
    stage.push()
    try stage.reader.remove(#require(try stage.tree().message(with: "fresh")))
    stage.push()
    #expect(stage.count(of: "fresh", in: "Work") == 0)
    #expect(stage.count(of: "fresh", in: "Trash") == 1)
  }

  @Test(arguments: DeletionPolicy.allCases)
  func `what shows another header by itself than as a whole can be deleted`(
    deletions: DeletionPolicy
  )
    throws
  {
    let stage = try stage(0, deletions: deletions)
    try stage.remove("m2")
    stage.alter.value = { command, replies in
      guard command.name == "UID FETCH", command.text.contains("[HEADER]") else { return replies }
      return replies.map { reply in
        guard reply.text.contains("Subject: Test") else { return reply }
        return .line(reply.text.replacing("Subject: Test", with: "Subject: Tset"))
      }
    }
    stage.push()
    #expect(stage.places("m2") == (deletions == .trash ? ["Trash"] : []))
    #expect(stage.bodyFetches.count == 1, "the whole message decides")
  }

  @Test func `a message whose header is not shown waits`() throws {
    let stage = try stage(0)
    try stage.remove("m2")
    let uid = try stage.remote("m2").uid
    stage.alter.value = { command, replies in
      guard command.name == "UID FETCH", command.text.contains("[HEADER]") else { return replies }
      return replies.filter { !$0.text.contains("UID \(uid) ") }
    }
    let outcome = stage.push(1)
    #expect(outcome.told.contains("did not show"), "\(outcome.told)")
    #expect(stage.places("m2") == ["INBOX"])
    stage.alter.value = nil
    stage.push()
    #expect(stage.places("m2") == ["Trash"])
    try stage.expectSettled()
  }

  @Test func `a look costs one FETCH for all that goes`() throws {
    let stage = try Stage(.modern, count: 40)
    for number in 0..<15 { try stage.reader.remove(stage.local("m\(number)")) }
    stage.push()
    // Beside the size that is asked for with the mailbox.
    let looks = stage.commands.filter { $0.hasPrefix("UID FETCH") && !$0.hasSuffix("RFC822.SIZE)") }
    #expect(looks.count == 1, "\(looks)")
    #expect(stage.account["Trash"]?.messages.count == 15)
  }
}
