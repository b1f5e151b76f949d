import Testing

@testable import Setup

@Suite struct KnownProviderTests {
  @Test(arguments: [
    ("a@gmail.com", "imap.gmail.com", "smtp.gmail.com"),
    ("a@hotmail.co.uk", "outlook.office365.com", "smtp-mail.outlook.com"),
    ("a@yahoo.de", "imap.mail.yahoo.com", "smtp.mail.yahoo.com"),
    ("a@me.com", "imap.mail.me.com", "smtp.mail.me.com"),
    ("a@fastmail.com", "imap.fastmail.com", "smtp.fastmail.com"),
    ("a@gmx.net", "imap.gmx.net", "mail.gmx.net"), ("a@web.de", "imap.web.de", "smtp.web.de"),
    ("a@mailbox.org", "imap.mailbox.org", "smtp.mailbox.org"),
    ("a@posteo.de", "posteo.de", "posteo.de"), ("a@proton.me", "127.0.0.1", "127.0.0.1"),
    ("a@zoho.com", "imap.zoho.com", "smtp.zoho.com"), ("a@aol.com", "imap.aol.com", "smtp.aol.com"),
  ])
  func `the table knows the large providers`(address: String, imap: String, smtp: String) throws {
    let address = try EmailAddress(address)
    let provider = try #require(KnownProviders.provider(domain: address.asciiDomain))
    let service = provider.service(for: address, origin: .table)
    #expect(service.imap?.host == imap)
    #expect(service.smtp?.host == smtp)
  }

  @Test func `every row is whole, encrypted, and says where it is from`() throws {
    var domains: Set<String> = []
    for provider in KnownProviders.all {
      #expect(provider.source.hasPrefix("https://"), "\(provider.name)")
      #expect(!provider.domains.isEmpty || !provider.mx.isEmpty, "\(provider.name)")
      for parent in provider.parents { #expect(DomainName(parent)?.ascii == parent) }
      for server in [provider.imap, provider.smtp] {
        #expect(DomainName.isHost(server.host), "\(provider.name)")
        #expect(server.tls != .none, "\(provider.name)")
      }
      for domain in provider.domains {
        #expect(domains.insert(domain).inserted, "\(domain) stands twice")
        #expect(DomainName(domain)?.ascii == domain, "\(domain)")
      }
    }
  }

  @Test func `who shares the incoming server is told apart by the outgoing one`() {
    let shared = "outlook.office365.com"
    for (outgoing, name) in [
      ("smtp.office365.com", "Microsoft 365"), ("SMTP-Mail.Outlook.com", "Outlook.com"),
      // Outlook.com's own domains are known by name, so whoever else is there is an organisation.
      ("smtp.example.org", "Microsoft 365"), (nil, "Microsoft 365"),
    ] {
      #expect(KnownProviders.provider(imapHost: shared, smtpHost: outgoing)?.name == name)
    }
  }

  @Test func `an organisation's first domain lies below its provider's`() {
    #expect(KnownProviders.provider(domain: "contoso.onmicrosoft.com")?.name == "Microsoft 365")
    #expect(KnownProviders.provider(domain: "evilonmicrosoft.com") == nil)
    #expect(KnownProviders.provider(domain: "sub.gmail.com") == nil)
  }

  @Test func `web-de wants the part before the at sign`() throws {
    let address = try EmailAddress("max.muster@web.de")
    let service = KnownProviders.provider(domain: "web.de")?.service(for: address, origin: .table)
    #expect(service?.imap?.user == "max.muster")
  }

  @Test func `a domain's MX hosts tell its provider, by whole labels`() {
    #expect(KnownProviders.provider(mx: ["aspmx.l.google.com"])?.name == "Gmail")
    #expect(
      KnownProviders.provider(mx: ["x-org.mail.protection.outlook.com"])?.name == "Microsoft 365")
    #expect(KnownProviders.provider(mx: ["in1-smtp.messagingengine.com"])?.name == "Fastmail")
    #expect(
      KnownProviders.provider(mx: ["hotmail-com.olc.protection.outlook.com"])?.name
        == "Outlook.com")
    #expect(KnownProviders.provider(mx: ["x-org.a-v1.mx.microsoft"])?.name == "Microsoft 365")
    // Domains of one's own have other servers there than the provider's own.
    #expect(KnownProviders.provider(mx: ["mx2.zoho.com"])?.imap.host == "imappro.zoho.com")
    #expect(KnownProviders.provider(mx: ["mx.zoho.eu"])?.smtp.host == "smtppro.zoho.eu")
    #expect(KnownProviders.provider(mx: ["mx.evilgoogle.com"]) == nil)
    #expect(KnownProviders.provider(mx: ["google.com.evil.org"]) == nil)
    #expect(KnownProviders.provider(mx: []) == nil)
  }

  @Test func `a refused log-in is answered with what the provider wants, and when that held`()
    throws
  {
    func hint(_ host: String, _ user: String) -> String? {
      KnownProviders.provider(imapHost: host)?.refusalHint(user: user)
    }
    #expect(try #require(hint("imap.gmail.com", "a@gmail.com")).contains("app password"))
    #expect(try #require(hint("outlook.office365.com", "a@b.c")).contains("only OAuth2"))
    #expect(try #require(hint("imap.gmx.net", "a@gmx.net")).contains("switched on"))
    #expect(try #require(hint("imap.web.de", "a@web.de")).contains("without its domain"))
    #expect(try #require(hint("imap.mail.me.com", "a@me.com")).contains("before the @"))
    #expect(hint("posteo.de", "a@posteo.de") == nil)
    #expect(try #require(hint("posteo.de", "a")).contains("whole address"))
    #expect(hint("imap.example.org", "a") == nil)
    for provider in KnownProviders.all {
      if let hint = provider.refusalHint(user: "a@b.c") {
        #expect(hint.hasSuffix("(As of \(provider.asOf).)"))
      }
    }
  }

  @Test func `of a provider without IMAP that is said`() async throws {
    #expect(try #require(KnownProviders.obstacle(domain: "Tuta.com")).contains("no IMAP"))
    #expect(KnownProviders.obstacle(domain: "example.org") == nil)
    var options = Discovery.Options()
    options.isOffline = true
    let discovery = Discovery(options, environment: [:])
    let findings = await discovery.find(try EmailAddress("a@hey.com"))
    #expect(findings.imap == nil && findings.obstacle?.contains("no IMAP") == true)
    let question = ServerQuestions.imapHost(findings)
    #expect(question.failure.problem.contains("no IMAP"))
  }

  @Test func `providers with one incoming server are told apart by the address`() {
    let host = "outlook.office365.com"
    func name(_ address: String) -> String? {
      KnownProviders.provider(imapHost: host, address: address)?.name
    }
    #expect(name("a@Hotmail.com") == "Outlook.com")
    #expect(name("a@example.org") == "Microsoft 365")
    #expect(name("a") == "Microsoft 365")
  }

  @Test func `a bridge on this machine is not recognised by its host`() {
    #expect(KnownProviders.provider(imapHost: "127.0.0.1") == nil)
    #expect(KnownProviders.provider(imapHost: "IMAP.gmail.com")?.name == "Gmail")
  }
}
