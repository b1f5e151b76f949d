import Testing

@testable import Setup

@Suite struct AddressTests {
  @Test func `an address is cut at its last at sign, its domain folded`() throws {
    let address = try EmailAddress("  Alice.B+list@Example.ORG ")
    #expect(address.local == "Alice.B+list")
    #expect(address.domain == "example.org")
    #expect(address.description == "Alice.B+list@example.org")
  }

  @Test(arguments: [
    ("bücher.example", "xn--bcher-kva.example"), ("MÜNCHEN.de", "xn--mnchen-3ya.de"),
    ("例え.テスト", "xn--r8jz45g.xn--zckzah"), ("faß.de", "xn--fa-hia.de"),
    ("пример.испытание", "xn--e1afmkfd.xn--80akhbyknj4f"),
    // RFC 3492 §7.1 (L): digits and hyphens among it.
    ("3年b組金八先生.jp", "xn--3b-ww4c5e180e575a65lsy2b.jp"),
    ("cafe\u{301}.fr", "xn--caf-dma.fr"), ("example.org.", "example.org"),
  ])
  func `international domains become A-labels`(typed: String, ascii: String) throws {
    #expect(try EmailAddress("a@" + typed).asciiDomain == ascii)
  }

  @Test func `what is no address says why`() {
    #expect(throws: EmailAddress.Mistake.noDomain) { try EmailAddress("alice") }
    #expect(throws: EmailAddress.Mistake.noDomain) { try EmailAddress("alice@") }
    #expect(throws: EmailAddress.Mistake.noLocalPart) { try EmailAddress("@example.org") }
    #expect(throws: EmailAddress.Mistake.badLocalPart) { try EmailAddress("a b@example.org") }
    #expect(throws: EmailAddress.Mistake.badLocalPart) { try EmailAddress("a\r\nb@example.org") }
    #expect(throws: EmailAddress.Mistake.noDomain) { try EmailAddress("") }
  }

  @Test(arguments: [
    "exa mple.org", "-a.org", "a-.org", "a..org", ".org", "a/b.org", "a\u{0}b.org",
    "exa\u{200B}.org",
    "a:b.org", String(repeating: "a", count: 64) + ".org",
    Array(repeating: "abcdefgh", count: 40).joined(separator: "."), "exam%70le.org",
  ])
  func `a domain that cannot be is refused`(domain: String) {
    #expect(throws: EmailAddress.Mistake.self) { try EmailAddress("a@" + domain) }
  }

  @Test func `hosts are names and addresses`() {
    #expect(DomainName.isHost("imap.example.org"))
    #expect(DomainName.isHost("localhost"))
    #expect(DomainName.isHost("127.0.0.1"))
    #expect(DomainName.isHost("::1"))
    #expect(!DomainName.isHost("imap.example.org/x"))
    #expect(!DomainName.isHost("a b"))
    #expect(!DomainName.isHost("evil:host!"))
    #expect(!DomainName.isHost(""))
  }
}
