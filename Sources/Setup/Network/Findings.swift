/// What all sources together found: for each kind of server the offer of the most trusted source.
package struct Findings: Sendable, Equatable {
  package struct Found: Sendable, Equatable {
    package var offer: ServerOffer
    package var origin: Origin
  }

  package var imap: Found?
  package var smtp: Found?
  package var provider: KnownProvider?
  /// The provider's name, where any source told it.
  package var providerName: String?
  /// What went wrong on the way and is worth a line: a captive portal, a refused document.
  package var notes: [String] = []

  /// Why there are no servers to be found.
  package private(set) var obstacle: String?

  init(obstacle: String) {
    self.init([])
    self.obstacle = obstacle
  }

  /// - Parameter services: in any order; of two with the same trust the first counts.
  package init(_ services: [MailService], notes: [String] = []) {
    self.notes = notes
    for service in services.sorted(by: { $0.origin < $1.origin }) {
      if imap == nil, let offer = service.imap {
        imap = Found(offer: offer, origin: service.origin)
        providerName = service.provider
      }
      if smtp == nil, let offer = service.smtp {
        smtp = Found(offer: offer, origin: service.origin)
      }
    }
    for service in services {
      if imap == nil, let words = service.unusable { self.notes.append(words) }
      if smtp == nil, let words = service.unusableOutgoing { self.notes.append(words) }
    }
    let outgoing = smtp?.offer.host
    provider = imap.flatMap {
      KnownProviders.provider(imapHost: $0.offer.host, smtpHost: outgoing)
    }
    if let name = provider?.name { providerName = name }
  }

  package var isWhole: Bool { imap != nil && smtp != nil }

  /// Servers outside of the address's domain that only unprotected DNS vouches for (RFC 6186 §6): a person has to
  /// look at the name before a password goes there. MX records are DNS as well, also where they lead to a database.
  package func unvouched(for domain: String) -> [ServerOffer] {
    [imap, smtp].compactMap { found in
      guard let found, [.srv, .mx, .guess].contains(found.origin) else { return nil }
      let host = found.offer.host.lowercased()
      if host == domain || host.hasSuffix("." + domain) { return nil }
      // A provider's bridge on this machine: nobody else has a certificate for that.
      if found.origin == .mx, KnownProviders.isBridge(host) { return nil }
      return KnownProviders.provider(imapHost: host) == nil
        && KnownProviders.provider(smtpHost: host) == nil ? found.offer : nil
    }
  }
}
