import IMAPWire
import MailCore
import Testing

struct MailboxNameCodingTests {
  @Test(arguments: [
    ("INBOX", "INBOX"), ("~peter/mail/台北/日本語", "~peter/mail/&U,BTFw-/&ZeVnLIqe-"),
    ("R&D", "R&-D"), ("Entwürfe", "Entw&APw-rfe"), ("😀", "&2D3eAA-"), ("a\u{1}b", "a&AAE-b"),
    ("", ""),
  ])
  func `modified UTF-7 goes both ways`(name: String, raw: String) {
    let coding = MailboxNameCoding()
    #expect(String(decoding: coding.encode(name), as: UTF8.self) == raw)
    #expect(coding.decode(Array(raw.utf8)) == name)
  }

  @Test(arguments: ["a&b", "&", "&x", "&AA-", "&2D0-", "&ZeVnLIqe", "&!!-", "&AGEx-"])
  func `what is no modified UTF-7 reads as it stands`(raw: String) {
    #expect(MailboxNameCoding().decode(Array(raw.utf8)) == raw)
  }

  @Test func `UTF-8 needs no encoding once enabled`() {
    let coding = MailboxNameCoding(isUTF8: true)
    #expect(coding.encode("R&D ü") == Array("R&D ü".utf8))
    #expect(coding.decode(Array("R&D ü".utf8)) == "R&D ü")
  }

  @Test func `decoded names are normalised by what was injected`() {
    let coding = MailboxNameCoding(normalise: { $0.uppercased() })
    #expect(coding.decode(Array("&APw-x".utf8)) == "ÜX")
    #expect(coding.decode(Array("plain".utf8)) == "plain")
  }

  @Test(arguments: 0..<300) func `any name survives both ways`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var scalars = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0...20, using: &generator) {
      let value =
        UInt32.random(in: 0...0x10FFFF, using: &generator)
        >> UInt32.random(in: 0...14, using: &generator)
      if let scalar = Unicode.Scalar(value) { scalars.append(scalar) }
    }
    let name = String(scalars)
    let coding = MailboxNameCoding()
    #expect(coding.decode(coding.encode(name)) == name)
  }
}

/// Names that are spelled out, since others read the same.
struct SpelledNameTests {
  private let coding = MailboxNameCoding()

  @Test(arguments: [
    ("cafe&AwE-", "&~cafe&AwE-"), ("Archive/&AGE-x", "Archive/&~&AGE-x"),
    ("a%b/\u{E9}", "&~a%25b/&~%C3%A9"), ("&-~x", "&~&-~x"), ("", "&~"),
  ])
  func `a level that is spelled out is the server's own`(raw: String, text: String) {
    let name = MailboxName(text, delimiter: "/")
    #expect(name.isSpelled && coding.encode(name) == Array(raw.utf8))
    #expect(coding.reads(Array(raw.utf8), as: name))
  }

  @Test(arguments: 0..<200) func `any level can be spelled out, and read back`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let raw = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
      UInt8.random(in: 0...255, using: &generator)
    }
    for isUTF8 in [false, true] {
      let text = SpelledLevel.text(of: raw, isUTF8: isUTF8)
      #expect(SpelledLevel.raw(of: text, isUTF8: isUTF8) == raw)
      #expect(text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
    }
  }

  @Test func `names are told apart byte by byte`() {
    let one = MailboxName("caf\u{E9}", delimiter: "/")
    let other = MailboxName("cafe\u{301}", delimiter: "/")
    #expect(one != other && Set([one, other]).count == 2)
    #expect(MailboxName("a/\u{301}b", delimiter: "/").levels.count == 2)
    #expect(MailboxName("inbox/\u{301}b", delimiter: "/").text.hasPrefix("INBOX"))
  }

  @Test(arguments: [
    ("caf&AOk-", true), ("a&b", false), ("&AGE-x", false), ("Inbox/s", false), ("INBOX/s", true),
    ("R&-D", true), ("&-~x", false),
  ])
  func `a client writes one form of a name`(raw: String, expected: Bool) {
    #expect(coding.isCanonical(Array(raw.utf8), delimiter: "/") == expected)
  }
}
