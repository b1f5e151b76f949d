import Testing

@testable import Setup

@Suite struct AutoconfigTests {
  private let address: EmailAddress

  init() throws { address = try EmailAddress("alice@example.org") }

  private func read(_ text: String) throws -> AutoconfigDocument {
    try AutoconfigDocument(Array(text.utf8))
  }

  @Test func `a whole document gives the safest servers, with the address filled in`() throws {
    let document = try read(AutoconfigSamples.whole)
    let service = document.service(for: address, origin: .autoconfig)
    #expect(
      service.imap
        == ServerOffer(host: "imap.example.org", port: 993, tls: .implicit, user: "alice"))
    #expect(
      service.smtp
        == ServerOffer(
          host: "smtp.example.org", port: 587, tls: .starttls, user: "alice@example.org"))
    #expect(service.provider == "Example & Sons")
    #expect(document.incoming.count == 4)
  }

  @Test func `STARTTLS is taken where there is nothing better, plain text never`() throws {
    let text = AutoconfigSamples.whole.replacing("<socketType>SSL</socketType>", with: "")
    let service = try read(text).service(for: address, origin: .autoconfig)
    #expect(service.imap?.host == "mail.example.org")
    #expect(service.imap?.tls == .starttls)
    let plain = AutoconfigSamples.imap().replacing("SSL", with: "plain")
    let none = try read(plain).service(for: address, origin: .autoconfig)
    #expect(none.imap == nil)
    #expect(none.unusable?.contains("without encryption") == true)
  }

  @Test func `an outgoing server without encryption is told on its own`() throws {
    let plain = AutoconfigSamples.imap(
      more: """
        </incomingServer><outgoingServer type="smtp"><hostname>smtp.example.org</hostname>
        <port>25</port><socketType>plain</socketType></outgoingServer><incomingServer type="pop3">
        """)
    let service = try read(plain).service(for: address, origin: .autoconfig)
    #expect(service.imap != nil && service.smtp == nil && service.unusable == nil)
    #expect(service.unusableOutgoing?.contains("without encryption") == true)
  }

  @Test func `POP alone is told as such`() throws {
    let text = AutoconfigSamples.imap().replacing("\"imap\"", with: "\"pop3\"")
    let service = try read(text).service(for: address, origin: .autoconfig)
    #expect(service.imap == nil)
    #expect(service.unusable?.contains("IMAP") == true)
  }

  @Test func `log-ins that we do not speak are no offer`() throws {
    let text = AutoconfigSamples.imap(more: "<authentication>GSSAPI</authentication>")
    let service = try read(text).service(for: address, origin: .autoconfig)
    #expect(service.imap == nil)
    #expect(service.unusable?.contains("gssapi") == true)
  }

  @Test(arguments: ["", "0", "65536", "-1", "9e3", "993 or so", "99999999999999999999"])
  func `a port that cannot be is no offer`(port: String) throws {
    let document = try read(AutoconfigSamples.imap(port: port))
    #expect(document.service(for: address, origin: .autoconfig).imap == nil)
  }

  @Test(arguments: ["", "a b", "x/../y", "imap.example.org\u{7}", "&lt;script&gt;", "a;b", "[::1]"])
  func `a host that cannot be is no offer`(host: String) throws {
    let document = try? read(AutoconfigSamples.imap(host: host))
    #expect(document?.service(for: address, origin: .autoconfig).imap == nil)
  }

  @Test(arguments: [
    "<!DOCTYPE html><html><body>Log in to the Wi-Fi</body></html>", "  <HTML><head>",
    "\u{FEFF}<!doctype HTML>", "<!-- portal --><html>",
    "<?xml version=\"1.0\"?><!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\"><html>",
  ])
  func `a captive portal's page is told as a web page`(text: String) {
    #expect(throws: AutoconfigDocument.Refusal.webPage) { try read(text) }
  }

  @Test func `entities are refused, and so is another kind of document`() {
    let bomb =
      "<!DOCTYPE c [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>" + AutoconfigSamples.imap()
    #expect(throws: AutoconfigDocument.Refusal.entities) { try read(bomb) }
    #expect(throws: AutoconfigDocument.Refusal.notAutoconfig) { try read("<rss/>") }
    #expect(throws: AutoconfigDocument.Refusal.self) { try read("Not found") }
  }

  @Test func `the questions go by HTTPS, the address escaped`() throws {
    let address = try EmailAddress("a+b&c@bücher.example")
    #expect(
      AutoconfigAddresses.own(address) == [
        "https://autoconfig.xn--bcher-kva.example/mail/config-v1.1.xml"
          + "?emailaddress=a%2Bb%26c%40xn--bcher-kva.example",
        "https://xn--bcher-kva.example/.well-known/autoconfig/mail/config-v1.1.xml"
          + "?emailaddress=a%2Bb%26c%40xn--bcher-kva.example",
      ])
    #expect(
      AutoconfigAddresses.database("https://db.example/v1.1", domain: "a.org")
        == "https://db.example/v1.1/a.org")
  }
}
