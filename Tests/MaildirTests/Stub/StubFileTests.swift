import Foundation
import MailCore
import Testing

@testable import Maildir

/// Files of which parts of the message are missing.
struct StubFileTests {
  private let message = [UInt8]("Subject: b\r\nMessage-ID: <m@x>\r\n\r\ntext\r\n")
  private let forged = [UInt8]("x-mirror-stub: 1; size=9; parts=2\r\nSubject: c\r\n\r\ntext\r\n")

  private func line(_ text: String) -> StubLine? {
    Array(text.utf8).withUnsafeBytes { StubLine(atStartOf: $0) }
  }

  @Test func `the line is read as it is written`() throws {
    let line = try #require(StubLine(size: 274_090, parts: ["2", "3.1"]))
    let text = String(decoding: line.bytes(ending: .lf), as: UTF8.self)
    #expect(text == "X-Mirror-Stub: 1; size=274090; parts=2,3.1\n")
    #expect(self.line(text) == line)
    #expect(line.bytes(ending: .crlf).withUnsafeBytes { StubLine(atStartOf: $0) } == line)
  }

  @Test(arguments: [
    "X-Mirror-Stub: 2; size=1; parts=1\n", "X-Mirror-Stub: 1; size=; parts=1\n",
    "X-Mirror-Stub: 1; size=1; parts=\n", "X-Mirror-Stub: 1; size=1; parts=1,\n",
    "X-Mirror-Stub: 1; size=1; parts=1.\n", "X-Mirror-Stub: 1; size=1; parts=0\n",
    "X-Mirror-Stub: 1; size=1; parts=1\r", "X-Mirror-Stub: 1; size=1; parts=a\n",
    "X-Mirror-Stub: 1; size=9999999999999999999; parts=1\n", "X-Mirror-Stub: 1; size=1;parts=1\n",
    " X-Mirror-Stub: 1; size=1; parts=1\n", "X-Mirror-Stub: 1; size=1; parts=1 \n", "",
  ]) func `nothing else is such a line`(text: String) { #expect(line(text) == nil) }

  @Test func `what would not fit one line has none`() {
    #expect(StubLine(size: 1, parts: []) == nil)
    #expect(StubLine(size: 1, parts: (1...2000).map(String.init)) == nil)
  }

  private func deliverStub(
    to folder: MaildirFolder, _ policy: MaildirPolicy, keywords: Keywords = .none
  ) throws -> DeliveredMessage {
    let writer = DeliveryWriter(policy: policy)
    writer.begin(in: folder, stub: StubLine(size: 5000, parts: ["2"]))
    try feed(message, to: writer)
    var batch = DeliveryBatch(policy: policy)
    batch.add(
      try writer.finish(
        marks: MessageMarks(keywords: keywords), internalDate: 1_700_000_000, base: birth(1).base))
    return try #require(batch.commit().delivered.first)
  }

  @Test(arguments: [KeywordsStore.header(.xKeywords), .dovecot, .none])
  func `a stub is known by its line, and its header hash is the message's`(store: KeywordsStore)
    throws
  {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let policy = MaildirPolicy(keywords: store, fsync: false)
    let stub = try deliverStub(to: folder, policy)
    let whole = try deliver(message, to: folder, policy: policy, uid: 2)
    let text = try scratch.bytes(stub.file, in: "INBOX").text
    #expect(text == "X-Mirror-Stub: 1; size=5000; parts=2\nSubject: b\nMessage-ID: <m@x>\n\ntext\n")
    #expect(stub.digest.isStub && stub.digest.serverSize == 5000)
    #expect(stub.digest.headerHash == whole.digest.headerHash)
    #expect(try folder.digest(of: stub.file, policy: policy) == stub.digest)
    #expect(try folder.header(of: stub.file, policy: policy).text.hasPrefix("Subject: b"))
  }

  @Test func `keywords come and go below the line`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let policy = MaildirPolicy(fsync: false)
    let stub = try deliverStub(to: folder, policy, keywords: ["a"])
    let start = "X-Mirror-Stub: 1; size=5000; parts=2\n"
    #expect(try scratch.bytes(stub.file, in: "INBOX").text.hasPrefix(start + "X-Keywords: a\nSub"))
    #expect(try folder.localKeywords(of: stub.file, policy: policy).own == ["a"])
    let (more, _) = try folder.setKeywords(["b", "c"], of: stub.file, policy: policy)
    #expect(try scratch.bytes(more, in: "INBOX").text.hasPrefix(start + "X-Keywords: b, c\nSub"))
    let (none, _) = try folder.setKeywords(.none, of: more, policy: policy)
    #expect(try scratch.bytes(none, in: "INBOX").text.hasPrefix(start + "Subject: b"))
    let digest = try folder.digest(of: none, policy: policy)
    #expect(digest.contentHash == stub.digest.contentHash && digest.isStub)
  }

  @Test(arguments: [KeywordsStore.header(.xKeywords), .dovecot, .none])
  func `a server's message with such a line is none, and comes back byte for byte`(
    store: KeywordsStore
  ) throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let policy = MaildirPolicy(keywords: store, fsync: false)
    for (uid, bytes) in [
      forged, [UInt8]("X-Mirror-Stub: 1; size=9; parts=2\r\n\r\n"),
      [UInt8]("X-Mirror-Stub: 0\r\nX-Mirror-Stub: 0\r\n\r\n"),
    ].enumerated() {
      let file = try deliver(bytes, to: folder, policy: policy, uid: UInt32(uid + 1))
      #expect(!file.digest.isStub && file.digest.serverSize == bytes.count)
      #expect(try folder.digest(of: file.file, policy: policy) == file.digest)
      var back: [UInt8] = []
      try folder.readServerBytes(of: file.file, asCame: nil, policy: policy) {
        back.append(contentsOf: $0)
      }
      #expect(back == bytes)
    }
  }

  @Test func `a copy of a stub is one, with its own keywords`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let other = try scratch.folder("Other")
    let policy = MaildirPolicy(fsync: false)
    let stub = try deliverStub(to: folder, policy, keywords: ["a"])
    let staged = try other.stageCopy(
      of: stub.file, from: folder, expecting: stub.digest, marks: MessageMarks(keywords: ["b"]),
      internalDate: 5, base: birth(9).base, policy: policy)
    var batch = DeliveryBatch(policy: policy)
    batch.add(staged)
    let copy = try #require(batch.commit().delivered.first)
    #expect(
      try scratch.bytes(copy.file, in: "Other").text.hasPrefix(
        "X-Mirror-Stub: 1; size=5000; parts=2\nX-Keywords: b\nSubject"))
    #expect(try other.digest(of: copy.file, policy: policy) == stub.digest)
  }

  @Test func `a whole message takes a stub's place under the next name, with flags and keywords`()
    throws
  {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let policy = MaildirPolicy(fsync: false)
    let stub = try deliverStub(to: folder, policy)
    let flagged = try folder.setFlags(.flagged, of: stub.file, policy: policy)
    let seen = try folder.facts(flagged)
    let writer = DeliveryWriter(policy: policy)
    writer.begin(in: folder, keywords: ["k"])
    try feed(message, to: writer)
    let staged = try writer.finish(
      replacing: flagged, asSeen: seen, keywords: ["k"], internalDate: 7)
    let (file, size) = try staged.replace(policy: policy)
    #expect(file.base == RewrittenName.next(after: stub.file.base))
    #expect(file.fileName.flags == .flagged)
    let bytes = try scratch.bytes(file, in: "INBOX")
    #expect(bytes.text == "X-Keywords: k\nSubject: b\nMessage-ID: <m@x>\n\ntext\n")
    #expect(bytes.count == Int(size))
    #expect(try folder.facts(file).modified == 7_000_000_000)
    #expect(try scratch.names("INBOX/tmp") == [] && scratch.names("INBOX/cur").count == 1)
  }

  @Test func `a file that a reader changed meanwhile is not replaced`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let policy = MaildirPolicy(fsync: false)
    let stub = try deliverStub(to: folder, policy)
    let seen = try folder.facts(stub.file)
    let writer = DeliveryWriter(policy: policy)
    writer.begin(in: folder)
    try feed(message, to: writer)
    let staged = try writer.finish(
      replacing: stub.file, asSeen: seen, keywords: .none, internalDate: 7)
    let flagged = try folder.setFlags(.seen, of: stub.file, policy: policy)
    #expect(throws: MaildirError.self) { try staged.replace(policy: policy) }
    #expect(try folder.digest(of: flagged, policy: policy).isStub)
    #expect(try scratch.names("INBOX/tmp") == [])
  }

  @Test func `what has come of a message is kept to the byte, once it was synced`() throws {
    let scratch = try ScratchTree()
    func open() throws -> PartialFile { try PartialFile.open("1-2-3", in: scratch.tree) }
    func append(_ bytes: [UInt8], to file: PartialFile) throws {
      try bytes.withUnsafeBytes { try file.append($0) }
    }
    let first = try open()
    try append([UInt8](repeating: 7, count: 2 * PartialFile.piece), to: first)
    try append([1, 2, 3], to: first)
    try first.sync()
    try append([4, 5], to: first)
    let again = try open()
    #expect(again.count == 2 * PartialFile.piece + 3, "what came since may not be on the disk")
    try append([9], to: again)
    try again.sync()
    let whole = try open()
    var read: [UInt8] = []
    try whole.read { read += $0 }
    #expect(read.suffix(5) == [7, 1, 2, 3, 9] && read.count == whole.count)
    #expect(try whole.withBytes { Array($0) } == read)
    try whole.cut(to: 2)
    try append([8, 8, 8], to: whole)
    #expect(try open().count == 2, "what was cut does not count where other bytes stand")
    try whole.remove()
    #expect(try open().count == 0)
  }

  @Test(arguments: ["", "mirror part 1\n", "seven bytes of something else than such a file has"])
  func `a file that says nothing of what it holds is begun anew`(text: String) throws {
    let scratch = try ScratchTree()
    _ = try PartialFile.open("1-2-3", in: scratch.tree)
    let path = scratch.tree.control.path + "/parts/1-2-3"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let file = try PartialFile.open("1-2-3", in: scratch.tree)
    #expect(file.count == 0)
    try [UInt8](repeating: 1, count: 5).withUnsafeBytes { try file.append($0) }
    try file.sync()
    #expect(try PartialFile.open("1-2-3", in: scratch.tree).count == 5)
  }
}
