import SafeHTML
import Testing

struct LinkTests {
  private static func misleads(_ label: String, _ address: String) -> String? {
    WebAddress(address).flatMap { LinkLabel.misleads(label, to: $0) }?.real
  }

  @Test(arguments: [
    ("www.bank.example", "http://evil.test/", "evil.test"),
    ("https://bank.com/login", "https://bank.com.evil.test/x", "bank.com.evil.test"),
    ("bank.com", "http://bank.com@evil.test/", "evil.test"),
    ("Go to https://bank.com now", "http://1.2.3.4/", "1.2.3.4"),
    ("bank.com", "http:\\\\evil.test\\bank.com", "evil.test"),
    ("bank.com", "http://%65vil.test/", "evil.test"),
    ("a@bank.com", "mailto:b@evil.test", "evil.test"),
    ("bank.co.uk", "http://evil.co.uk/", "evil.co.uk"),
    ("alice.github.io", "http://x.github.io", "x.github.io"),
    ("https://www.bank.com", "https://evil.test./", "evil.test"),
    ("paypal.com", "http://xn--pypal-4ve.com/", "xn--pypal-4ve.com"),
  ]) func `a label that names another host misleads`(label: String, address: String, real: String) {
    #expect(Self.misleads(label, address) == real)
  }

  @Test(arguments: [
    ("www.bank.com", "https://login.bank.com/x"), ("Click here", "http://evil.test/"),
    ("README.md", "http://a.test/"),
    (
      "bank.com",
      "https://eu1.safelinks.protection.outlook.com/?url=https%3A%2F%2Fwww.bank.com%2F&data=x"
    ),
    ("bank.com", "https://www.google.com/url?q=https://bank.com/&sa=D"),
    ("bank.com", "https://urldefense.proofpoint.com/v2/url?u=https-3A__www.bank.com_x&d=y"),
    ("bank.com", "https://urldefense.com/v3/__https://bank.com/__;!!x"),
    ("e.g. this", "http://a.test/"),
    ("node.js", "http://nodejs.org"), ("v1.2.3", "http://a.test/"),
    ("bücher.de", "http://xn--bcher-kva.de/"),
    ("a@bank.com", "mailto:a@bank.com?subject=x"), ("a@bank.com", "http://other.test/"),
    ("12.50", "http://shop.test"),
  ]) func `a label that names no host, or the same organisation's, does not`(
    label: String, address: String
  ) {
    #expect(Self.misleads(label, address) == nil)
  }

  @Test func `a page marks such a link with where it leads`() {
    let page = safePage("<a href=http://evil.test/>www.<b>bank.com</b></a>")
    #expect(
      String(decoding: page.html, as: UTF8.self)
        == "<a href=\"http://evil.test/\" rel=\"noopener noreferrer nofollow\" class=\"mirror-elsewhere\" "
        + "title=\"evil.test\">www.<b>bank.com</b></a>")
    #expect(page.misleadingLinks.map(\.label) == ["www.bank.com"])
  }

  @Test(arguments: [
    ("xn--bcher-kva.example", "bücher.example"), ("xn--80ak6aa92e.com", "аррӏе.com"),
    ("plain.example", "plain.example"),
  ])
  func `an international name has two forms`(ascii: String, unicode: String) {
    #expect(HostName(ascii).unicode == unicode)
    #expect(HostName(unicode).ascii == ascii)
  }

  @Test(arguments: [
    ("mail.example.co.uk", "example.co.uk"), ("a.b.example.com", "example.com"),
    ("example.org", "example.org"),
    ("x.github.io", "x.github.io"), ("192.0.2.1", "192.0.2.1"), ("localhost", "localhost"),
  ]) func `hosts belong to organisations`(host: String, domain: String) {
    #expect(Organisation.domain(of: host) == domain)
  }
}
