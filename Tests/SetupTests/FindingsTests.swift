import Testing

@testable import Setup

@Suite struct FindingsTests {
  private func offer(_ host: String, _ port: UInt16 = 993) -> ServerOffer {
    ServerOffer(host: host, port: port, tls: .implicit, user: "a@example.org")
  }

  @Test func `the more trusted source wins, whatever the order they came in`() {
    let services = Origin.allCases.filter { $0 != .told }.map {
      MailService(
        origin: $0, imap: offer("\($0.name).example"), smtp: offer("s.\($0.name).example"))
    }
    for count in 1...services.count {
      let rest = Array(services.suffix(count))
      for order in [rest, rest.reversed()] {
        let findings = Findings(order)
        #expect(findings.imap?.origin == rest.first?.origin)
        #expect(findings.imap?.offer.host == "\(rest.first?.origin.name ?? "").example")
      }
    }
  }

  @Test func `each server comes from the best source that has it`() {
    let findings = Findings([
      MailService(origin: .guess, imap: offer("imap.guess"), smtp: offer("smtp.guess")),
      MailService(origin: .srv, imap: offer("imap.srv")),
    ])
    #expect(findings.imap?.offer.host == "imap.srv")
    #expect(findings.smtp?.offer.host == "smtp.guess")
    #expect(findings.isWhole)
  }

  @Test func `a provider is recognised by its server, whatever source named it`() {
    let findings = Findings([MailService(origin: .autoconfig, imap: offer("imap.gmail.com"))])
    #expect(findings.provider?.name == "Gmail")
    #expect(findings.provider?.oauth == .google)
  }

  @Test func `an organisation at Microsoft is not introduced as Outlook-com`() throws {
    let address = try EmailAddress("a@example.org")
    let provider = try #require(KnownProviders.provider(mx: ["x.mail.protection.outlook.com"]))
    let findings = Findings([provider.service(for: address, origin: .mx)])
    #expect(findings.provider?.name == "Microsoft 365")
    #expect(findings.providerName == "Microsoft 365")
    let person = try EmailAddress("a@outlook.com")
    let known = try #require(KnownProviders.provider(domain: person.asciiDomain))
    let own = Findings([known.service(for: person, origin: .table)])
    #expect(own.provider?.name == "Outlook.com" && own.providerName == "Outlook.com")
  }

  @Test func `a host elsewhere that only DNS names is not vouched for`() {
    let srv = Findings([
      MailService(origin: .srv, imap: offer("imap.elsewhere.net"), smtp: offer("smtp.example.org"))
    ])
    #expect(srv.unvouched(for: "example.org").map(\.host) == ["imap.elsewhere.net"])
    let lookalike = Findings([MailService(origin: .srv, imap: offer("imap.notexample.org"))])
    #expect(!lookalike.unvouched(for: "example.org").isEmpty)
    let https = Findings([MailService(origin: .autoconfig, imap: offer("imap.elsewhere.net"))])
    #expect(https.unvouched(for: "example.org").isEmpty)
    let known = Findings([MailService(origin: .srv, imap: offer("imap.fastmail.com"))])
    #expect(known.unvouched(for: "example.org").isEmpty)
  }

  @Test func `MX records vouch for no more than other DNS does`() throws {
    let database = Findings([
      MailService(origin: .mx, imap: offer("imap.elsewhere.net"), smtp: offer("smtp.elsewhere.net"))
    ])
    #expect(
      database.unvouched(for: "example.org").map(\.host) == [
        "imap.elsewhere.net", "smtp.elsewhere.net",
      ])
    let known = Findings([MailService(origin: .mx, imap: offer("imap.fastmail.com"))])
    #expect(known.unvouched(for: "example.org").isEmpty)
    let local = Findings([MailService(origin: .mx, imap: offer("localhost"))])
    #expect(local.unvouched(for: "example.org").map(\.host) == ["localhost"])
    let bridge = try #require(KnownProviders.provider(mx: ["mail.protonmail.ch"]))
    let service = bridge.service(for: try EmailAddress("a@example.org"), origin: .mx)
    #expect(Findings([service]).unvouched(for: "example.org").isEmpty)
  }

  @Test func `why a source's server cannot be used is told where nothing else was found`() {
    var service = MailService(origin: .autoconfig)
    service.unusable = "POP only."
    #expect(Findings([service]).notes == ["POP only."])
    let other = MailService(origin: .srv, imap: offer("imap.example.org"))
    #expect(Findings([service, other]).notes == [])
    service.unusable = nil
    service.unusableOutgoing = "Plain text."
    #expect(Findings([service, other]).notes == ["Plain text."])
    let sending = MailService(origin: .guess, smtp: offer("smtp.example.org"))
    #expect(Findings([service, other, sending]).notes == [])
  }

  @Test func `the usual names are guessed, TLS first`() {
    let guesses = ServerGuesses.all(.imap, domain: "example.org").map { "\($0.host):\($0.port)" }
    #expect(guesses.first == "imap.example.org:993")
    #expect(guesses.contains("mail.example.org:143"))
    let outgoing = ServerGuesses.all(.smtp, domain: "example.org").map { "\($0.host):\($0.port)" }
    #expect(outgoing.first == "smtp.example.org:465")
    #expect(outgoing.contains("smtp.example.org:587"))
    #expect(Discovery.providerDomains("mx1.mail.example.co.uk") == ["example.co.uk", "co.uk"])
    #expect(Discovery.providerDomains("example.org") == [])
  }
}
