import MailCore

/// The mechanisms we speak; the raw value is the name on the wire.
package enum SASLMechanism: String, CaseIterable, Sendable {
  case plain = "PLAIN"
  case login = "LOGIN"
  case cramMD5 = "CRAM-MD5"
  case scramSHA1 = "SCRAM-SHA-1"
  case scramSHA1Plus = "SCRAM-SHA-1-PLUS"
  case scramSHA256 = "SCRAM-SHA-256"
  case scramSHA256Plus = "SCRAM-SHA-256-PLUS"
  case xoauth2 = "XOAUTH2"
  case oauthBearer = "OAUTHBEARER"
  case external = "EXTERNAL"

  /// From a server's list, in any case (RFC 4422 §3.1 has capitals only, servers vary).
  package init?(name: String) {
    let folded = Keywords.fold(name)
    guard let found = Self.allCases.first(where: { Keywords.fold($0.rawValue) == folded }) else {
      return nil
    }
    self = found
  }

  /// Whether it binds the log-in to the TLS channel below.
  package var isChannelBound: Bool { self == .scramSHA1Plus || self == .scramSHA256Plus }

  /// The server can judge it only by something that it has kept for it: the password itself, or what SCRAM makes of it. Of
  /// most passwords servers have a hash alone, by which they judge those that show the password.
  package var needsKeptSecret: Bool {
    switch self {
    case .cramMD5, .scramSHA1, .scramSHA1Plus, .scramSHA256, .scramSHA256Plus: true
    case .plain, .login, .xoauth2, .oauthBearer, .external: false
    }
  }

  /// The same mechanism bound to the channel, for SCRAM.
  package var channelBound: SASLMechanism? {
    switch self {
    case .scramSHA1, .scramSHA1Plus: .scramSHA1Plus
    case .scramSHA256, .scramSHA256Plus: .scramSHA256Plus
    case .plain, .login, .cramMD5, .xoauth2, .oauthBearer, .external: nil
    }
  }
}

/// The `auth` setting: the strongest that fits, or one mechanism by name.
package enum SASLChoice: Sendable, Equatable {
  case automatic
  /// `.only(.scramSHA256)` takes SCRAM-SHA-256-PLUS where server and channel allow it.
  case only(SASLMechanism)

  /// From the configuration: `auto`, or a mechanism's name in any case.
  package init?(setting: String) {
    if Keywords.fold(setting) == "auto" {
      self = .automatic
    } else if let mechanism = SASLMechanism(name: setting) {
      self = .only(mechanism)
    } else {
      return nil
    }
  }
}
