import Settings

/// How to reach one server: what a source told of it, with the address filled in.
package struct ServerOffer: Sendable, Hashable {
  package var host: String
  package var port: UInt16
  package var tls: TLSMode
  package var user: String

  package enum Kind: Sendable, Hashable { case imap, smtp }

  /// The port that is usual for a kind of server and of TLS.
  package static func usualPort(_ kind: Kind, _ tls: TLSMode) -> UInt16 {
    switch (kind, tls) {
    case (.imap, .implicit): 993
    case (.imap, _): 143
    case (.smtp, .implicit): 465
    case (.smtp, _): 587
    }
  }

  /// `imap.example.org, port 993, TLS`
  package var words: String {
    let security =
      switch tls {
      case .implicit: "TLS"
      case .starttls: "STARTTLS"
      case .none: "not encrypted"
      }
    return "\(host), port \(port), \(security)"
  }
}

/// Who says so. In the order of trust, the best first.
package enum Origin: Int, Sendable, Hashable, Comparable, CaseIterable {
  case told, table, pacc, autoconfig, srv, ispdb, mx, guess

  package static func < (a: Origin, b: Origin) -> Bool { a.rawValue < b.rawValue }

  /// For scripts.
  package var name: String {
    switch self {
    case .told: "told"
    case .table: "table"
    case .pacc: "pacc"
    case .autoconfig: "autoconfig"
    case .srv: "srv"
    case .ispdb: "ispdb"
    case .mx: "mx"
    case .guess: "guess"
    }
  }

  /// Follows “from”.
  package func words(domain: String) -> String {
    switch self {
    case .told: "what you said"
    case .table: "the table of providers that comes with mirror"
    case .pacc: "\(domain) itself, by PACC over HTTPS"
    case .autoconfig: "\(domain) itself, by autoconfig over HTTPS"
    case .srv: "the DNS of \(domain) (SRV records)"
    case .ispdb: "the ISP database of Thunderbird"
    case .mx: "the provider that \(domain) gets its mail by (MX records)"
    case .guess: "asking the usual names and ports"
    }
  }
}

/// What one source knows; either server may be missing.
package struct MailService: Sendable, Equatable {
  package var origin: Origin
  package var imap: ServerOffer?
  package var smtp: ServerOffer?
  /// The provider's name, where the source tells one.
  package var provider: String?
  /// For each kind, the source said that the provider has none.
  package var hasNoIMAP = false
  /// Why what it describes cannot be used, for each kind: no encryption, or log-ins that mirror does not speak.
  package var unusable: String?
  package var unusableOutgoing: String?
}
