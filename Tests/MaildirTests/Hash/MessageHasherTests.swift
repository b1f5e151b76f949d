import MailCore
import Maildir
import Testing

struct MessageHasherTests {
  private func hash(_ text: String, chunk: Int = .max) -> MessageDigest {
    var hasher = MessageHasher(labelName: "X-Keywords")
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      Array(rest.prefix(chunk)).withUnsafeBytes { hasher.feed($0) }
      rest = rest.dropFirst(chunk)
    }
    return hasher.finish(serverSize: 0, asCame: false)
  }

  @Test(arguments: [
    "subject:   a  b\nFrom: x\n\nbody\n", "Subject: a\n\tb\nFrom: x\n\nbody\n",
    "Subject : a b \nFROM: x  \n\nbody\n",
    "Status: RO\nSubject: a b\nX-Label: z\nFrom: x\n\nbody\n",
    "X-Keywords: k\nSubject: a b\nFrom: x\nContent-Length: 5\nLines: 1\nX-TUID: 1\n\nbody\n",
    "X-Mozilla-Keys:   \n  \nSubject: a b\nx-uid: 3\nFrom: x\nKeywords: a,\n b\n\nbody\n",
  ])
  func `what servers and readers do to a header makes no difference`(text: String) {
    let plain = hash("Subject: a b\nFrom: x\n\nbody\n")
    #expect(hash(text).headerHash == plain.headerHash)
    #expect(hash(text).contentHash == plain.contentHash)
  }

  @Test(arguments: [
    "Subject: ab\nFrom: x\n\nbody\n", "Subject: a b\nFrom: y\n\nbody\n",
    "From: x\nSubject: a b\n\nbody\n",
    "Subject: a b\n\nbody\n", "Subject: a b\nFrom: x\n\nBody\n",
    "Subject: a b\nFrom: x\n\nbody\n\n",
    "Subject: a b\nFrom: x\nbody\n", "Subject:a b From: x\n\nbody\n",
    "Status-X: RO\nSubject: a b\nFrom: x\n\nbody\n",
  ])
  func `another message has another hash`(text: String) {
    #expect(hash(text).contentHash != hash("Subject: a b\nFrom: x\n\nbody\n").contentHash)
  }

  @Test func `a message begins anew behind the empty line`() {
    #expect(hash("A: b\n\nbody").headerHash == hash("A: b\n\nother").headerHash)
    #expect(hash("A: b\n\n").headerHash == hash("A: b\n").headerHash)
  }

  @Test func `white space of every kind and length becomes one space, and all else stays`() {
    var numbers = SeededNumbers(seed: 7)
    for _ in 0..<2000 {
      var value: [UInt8] = []
      for _ in 0..<Int.random(in: 0...20, using: &numbers) {
        for _ in 0..<Int.random(in: 0...12, using: &numbers) {
          value.append([0x21, 0x1F, 0x01, 0x7F, 0x80, 0xA0, 0xFF].randomElement(using: &numbers)!)
        }
        for _ in 0..<[0, 1, 1, 1, 1, 1, 2, 9].randomElement(using: &numbers)! {
          value.append([0x20, 0x20, 0x20, 0x09, 0x0D].randomElement(using: &numbers)!)
        }
      }
      let words = value.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
      let canonical = Array("x-y:".utf8) + words.joined(separator: [0x20]) + [0x0A]
      let message = Array("X-Y:".utf8) + value + Array("\n\nbody".utf8)
      var hasher = MessageHasher(labelName: nil)
      message.withUnsafeBytes { hasher.feed($0) }
      let digest = hasher.finish(serverSize: 0, asCame: false)
      #expect(digest.headerHash == HeaderHash(canonical.withUnsafeBytes { XXH3.hash($0) }))
    }
  }

  @Test func `chunk size never changes the hash`() {
    var numbers = SeededNumbers(seed: 7)
    let pieces = [
      "\n", " ", "\t", "Subject", "X-Keywords", ":", ": ", "a  b", "\n\n", "é", "\u{0}",
      "Status: x\n", "\r",
    ]
    for _ in 0..<3000 {
      var text = ""
      for _ in 0..<Int.random(in: 0...25, using: &numbers) {
        text += pieces.randomElement(using: &numbers)!
      }
      let whole = hash(text)
      for chunk in [1, 2, 5] {
        #expect(hash(text, chunk: chunk) == whole, "\(text.debugDescription)")
      }
    }
  }

  @Test(arguments: [1000, 65_536, 100_000])
  func `fields of any length are fed through`(chunk: Int) {
    let word = "word \t "
    let long =
      "Subject: x\nReferences: " + String(repeating: word, count: 60_000)
      + "\n more\nFrom: x\n\nbody"
    let short =
      "Subject: x\nReferences: " + String(repeating: "word ", count: 60_000)
      + "more\nFrom: x\n\nbody"
    #expect(hash(long, chunk: chunk) == hash(short))
    let label = "X-Label: " + String(repeating: "a", count: 300_000) + "\nFrom: x\n\nbody"
    #expect(hash(label, chunk: chunk) == hash(label))
    #expect(hash(label).headerHash == hash("From: x\n\n").headerHash)
  }

  @Test func `labels that the message brings along are told`() {
    #expect(
      hash("Keywords: a, b\nX-Label: c\nx-keywords:\n d,%20e\n\nKeywords: no\n").nativeLabels == [
        "a", "b", "c", "d", " e",
      ])
    #expect(hash("From: x\n\n").nativeLabels == .none)
  }

  @Test func `server bytes and the file have one hash`() throws {
    let scratch = try ScratchTree()
    let folder = try scratch.folder("INBOX")
    var numbers = SeededNumbers(seed: 8)
    let pieces = [
      "\r\n", "Subject: a\r\n", " folded\r\n", "X-Keywords: q\r\n", "From: b\r\n", "\r\n", "text",
      "\n", "\r",
    ]
    for uid in 1...300 as ClosedRange<UInt32> {
      var text = ""
      for _ in 0..<Int.random(in: 0...12, using: &numbers) {
        text += pieces.randomElement(using: &numbers)!
      }
      let delivered = try deliver(
        Array(text.utf8), to: folder, marks: MessageMarks(keywords: ["k"]), uid: uid)
      let file = try folder.digest(
        of: delivered.file, asCame: delivered.digest.asCame, policy: MaildirPolicy())
      #expect(file == delivered.digest, "\(text.debugDescription)")
    }
  }

  @Test func `the hash is the one that earlier releases stored`() {
    let known = hash("Subject: a b\nFrom: x\n\nbody\n")
    #expect(known.headerHash.rawValue == XXH3.hash("subject:a b\nfrom:x\n"))
  }
}
