import IMAPWire
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
