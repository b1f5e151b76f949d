import MailCore
import Maildir
import Testing

struct DeliveryWriterTests {
  let small = [UInt8]("From: a\r\nSubject: b\r\n\r\nline one\r\nline two\r\n")

  @Test func `unseen and flagless mail is new, all else is in cur`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let new = try deliver(small, to: folder, uid: 1)
    #expect(new.file == MessageFile(subdirectory: .new, name: birth(1).base))
    let labelled = try deliver(small, to: folder, marks: MessageMarks(keywords: ["x"]), uid: 2)
    #expect(labelled.file.subdirectory == .new)
    let seen = try deliver(
      small, to: folder, marks: MessageMarks(flags: [.seen, .flagged]), uid: 3)
    #expect(seen.file == MessageFile(subdirectory: .cur, name: birth(3).base + [UInt8](":2,FS")))
    #expect(
      try scratch.bytes(new.file, in: "INBOX").text == "From: a\nSubject: b\n\nline one\nline two\n"
    )
    #expect(
      try scratch.bytes(labelled.file, in: "INBOX").text.hasPrefix("X-Keywords: x\nFrom: a\n"))
    #expect(try scratch.names("INBOX/tmp") == [])
  }

  @Test func `the file's time is the internal date`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    for (uid, date) in [(1, 1_000_000_000), (2, 0), (3, -86_400)] as [(UInt32, Int64)] {
      let file = try deliver(small, to: folder, date: date, uid: uid).file
      #expect(try folder.facts(file).modified == date * 1_000_000_000)
    }
    // Dates that no file system can hold must not stop a delivery.
    for (uid, date) in [(4, Int64.max), (5, .min + 1)] as [(UInt32, Int64)] {
      try deliver(small, to: folder, date: date, uid: uid)
    }
  }

  @Test func `the tree's separator and line ends are used`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let policy = MaildirPolicy(lineEndings: .crlf, separator: .exclamation, fsync: false)
    let delivered = try deliver(
      small, to: folder, policy: policy, marks: MessageMarks(flags: .seen, keywords: ["k"]))
    #expect(delivered.file.name.text.hasSuffix(".personal!2,S"))
    #expect(try scratch.bytes(delivered.file, in: "INBOX") == [UInt8]("X-Keywords: k\r\n") + small)
    #expect(
      try serverBytes(delivered.file, in: folder, asCame: delivered.digest.asCame, policy: policy)
        == small)
    #expect(try folder.digest(of: delivered.file, policy: policy) == delivered.digest)
  }

  @Test func `any message comes back byte for byte, whatever the chunks and settings`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    var numbers = SeededNumbers(seed: 6)
    let pieces = [
      "\r\n", "\r\n", "\r\n", "X-Keywords: q", "Subject: x", ": ", "text", "\r\n\r\n", "\t",
    ]
    for round in 0..<600 {
      var text = ""
      for _ in 0..<Int.random(in: 0...12, using: &numbers) {
        text += pieces.randomElement(using: &numbers)!
      }
      if round % 4 == 0 {
        text += ["\n", "\r", "\rx", "\r\r\n"].randomElement(using: &numbers)! + text
      }
      let message = Array(text.utf8)
      let stores: [KeywordsStore] = [.header(.xKeywords), .header(.keywords), .dovecot, .none]
      let policy = MaildirPolicy(
        lineEndings: round % 3 == 0 ? .crlf : .lf, keywords: stores.randomElement(using: &numbers)!,
        fsync: false)
      let keywords: Keywords = Bool.random(using: &numbers) ? ["k1", "k2"] : .none
      let delivered = try deliver(
        message, to: folder, policy: policy, marks: MessageMarks(keywords: keywords),
        uid: UInt32(round + 1), chunk: Int.random(in: 1...10, using: &numbers))
      let back = try serverBytes(
        delivered.file, in: folder, asCame: delivered.digest.asCame, policy: policy)
      #expect(back == message)
      #expect(delivered.digest.serverSize == UInt64(message.count))
      #expect(delivered.digest == digest(message, labelName: policy.keywords.line?.name))
      let local = try folder.localKeywords(of: delivered.file, policy: policy)
      if policy.keywords != .none { #expect(local.own ?? .none == keywords) }
    }
    #expect(try scratch.names("INBOX/tmp") == [])
  }

  /// 700 kB and more: beyond the buffer, so that the message streams.
  private func large(_ tail: String = "") -> [UInt8] {
    var bytes = [UInt8]("From: a\r\nSubject: large\r\n\r\n")
    while bytes.count < 700_000 {
      bytes += [UInt8]("a line of the body, number \(bytes.count)\r\n")
    }
    return bytes + Array(tail.utf8)
  }

  @Test(arguments: [1000, 4096, 65_536, 65_537, .max])
  func `large messages stream to the same result`(chunk: Int) throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    for (number, tail) in ["", "\r", "bare\n", "x\ry\r\n"].enumerated() {
      for (way, hint) in ([nil, ["a"], ["other"]] as [Keywords?]).enumerated() {
        let message = large(tail)
        let delivered = try deliver(
          message, to: folder, marks: MessageMarks(flags: .seen, keywords: ["a"]),
          uid: UInt32(10 * number + way + 1), chunk: chunk, hint: hint)
        #expect(delivered.digest == digest(message))
        #expect(delivered.digest.asCame == !tail.isEmpty)
        #expect(
          try serverBytes(delivered.file, in: folder, asCame: delivered.digest.asCame) == message)
        #expect(try folder.localKeywords(of: delivered.file, policy: MaildirPolicy()).own == ["a"])
        #expect(try scratch.bytes(delivered.file, in: "INBOX").count == Int(delivered.facts.size))
      }
    }
    #expect(try scratch.names("INBOX/tmp") == [])
  }

  @Test func `a CR at the end of the buffer waits for its LF`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    for offset in -3...3 {
      var message = [UInt8]("a: b\r\n\r\n")
      message +=
        [UInt8](repeating: 0x78, count: 65_536 + offset - message.count) + [UInt8]("\r\nend\r\n")
      let delivered = try deliver(message, to: folder, uid: UInt32(offset + 10), chunk: 65_536)
      #expect(!delivered.digest.asCame)
      #expect(try serverBytes(delivered.file, in: folder, asCame: false) == message)
    }
  }

  @Test func `an abandoned message leaves nothing`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    do {
      let writer = DeliveryWriter(policy: MaildirPolicy(fsync: false))
      writer.begin(in: folder)
      try feed(large(), to: writer)
      writer.begin(in: folder)
      try feed(large(), to: writer)
      #expect(try scratch.names("INBOX/tmp").count == 1)
    }
    #expect(try scratch.names("INBOX/tmp") == [])
  }

  @Test func `an empty message is a message`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    let delivered = try deliver([], to: folder, marks: MessageMarks(keywords: ["k"]))
    #expect(try serverBytes(delivered.file, in: folder, asCame: false) == [])
    #expect(delivered.digest == digest([]))
  }
}
