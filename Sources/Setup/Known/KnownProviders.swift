/// The table of large providers, and how it is searched.
package enum KnownProviders {
  /// By the address's domain, in A-labels.
  package static func provider(domain: String) -> KnownProvider? {
    let domain = domain.lowercased()
    return all.first { provider in
      provider.domains.contains(domain)
        || provider.parents.contains { domain.hasSuffix("." + $0) }
    }
  }

  /// By the servers: two providers may share the incoming one, and are then told apart by the address's domain, or by the
  /// outgoing one.
  package static func provider(
    imapHost: String, smtpHost: String? = nil, address: String? = nil
  ) -> KnownProvider? {
    let (incoming, outgoing) = (imapHost.lowercased(), smtpHost?.lowercased())
    // A bridge on this machine is nobody in particular.
    let fitting = all.filter { $0.imap.host == incoming && $0.logIn != .bridge }
    let domain = address?.split(separator: "@").last?.lowercased()
    return fitting.first { domain.map($0.domains.contains) ?? false }
      ?? fitting.first { $0.smtp.host == outgoing } ?? fitting.first
  }

  /// Whether a provider's own program on this machine is reached there.
  package static func isBridge(_ host: String) -> Bool {
    all.contains { $0.logIn == .bridge && ($0.imap.host == host || $0.smtp.host == host) }
  }

  package static func provider(smtpHost host: String) -> KnownProvider? {
    let host = host.lowercased()
    return all.first { $0.smtp.host == host && $0.logIn != .bridge }
  }

  /// By the names of a domain's MX hosts, of those that are preferred: behind them stands who jumps in when they are
  /// down, and holds no mailbox. Only providers that others' domains use.
  package static func provider(mx hosts: [String]) -> KnownProvider? {
    for host in hosts {
      let host = host.lowercased()
      for provider in all {
        if provider.mx.contains(where: { host == $0 || host.hasSuffix("." + $0) }) {
          return provider
        }
      }
    }
    return nil
  }
}
