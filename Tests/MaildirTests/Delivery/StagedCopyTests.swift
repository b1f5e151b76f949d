import MailCore
import Maildir
import Testing

struct StagedCopyTests {
  let message = [UInt8]("From: a\r\n\r\nbody\r\n")
  let policy = MaildirPolicy(fsync: false)

  private func copy(
    _ source: DeliveredMessage, from: MaildirFolder, to: MaildirFolder, marks: MessageMarks,
    date: Int64
  ) throws -> DeliveredMessage {
    var batch = DeliveryBatch(policy: policy)
    batch.add(
      try to.stageCopy(
        of: source.file, from: from, expecting: source.digest, marks: marks, internalDate: date,
        base: birth(99, date).base, policy: policy))
    return try #require(batch.commit().delivered.first)
  }

  @Test func `equal line and date make a link, anything else a copy`() throws {
    let scratch = try ScratchTree()
    let inbox = try scratch.folder("INBOX")
    let all = try scratch.folder("All")
    let source = try deliver(message, to: inbox, marks: MessageMarks(keywords: ["k"]))
    let link = try copy(
      source, from: inbox, to: all, marks: MessageMarks(flags: .seen, keywords: ["k"]),
      date: 1_700_000_000)
    #expect(link.facts.inode == source.facts.inode)
    #expect(try inbox.facts(source.file).links == 2)
    #expect(link.file.name.text.hasSuffix(":2,S"))
    let dated = try copy(
      source, from: inbox, to: all, marks: MessageMarks(keywords: ["k"]), date: 5)
    #expect(dated.facts.inode != source.facts.inode)
    #expect(try all.facts(dated.file).modified == 5_000_000_000)
    let other = try copy(
      source, from: inbox, to: all, marks: MessageMarks(keywords: ["z"]), date: 1_700_000_000)
    #expect(try all.localKeywords(of: other.file, policy: policy).own == ["z"])
    for copied in [link, dated, other] {
      #expect(try serverBytes(copied.file, in: all, asCame: false) == message)
      #expect(copied.digest == source.digest)
    }
    #expect(try scratch.names("All/tmp") == [])
  }

  @Test func `a source that was edited is not passed on`() throws {
    let scratch = try ScratchTree()
    let inbox = try scratch.folder("INBOX")
    let all = try scratch.folder("All")
    let source = try deliver(message, to: inbox)
    try scratch.write("From: a\n\nother\n", to: "INBOX/" + source.file.description)
    #expect(throws: MaildirError.changed(name: source.file.description)) {
      try copy(source, from: inbox, to: all, marks: MessageMarks(), date: 1_700_000_000)
    }
    try inbox.unlink(source.file)
    #expect(throws: MaildirError.vanished(name: source.file.description)) {
      try copy(source, from: inbox, to: all, marks: MessageMarks(), date: 1_700_000_000)
    }
    #expect(try scratch.names("All/tmp") == [])
  }
}
