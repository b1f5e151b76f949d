import MailCore

/// How to reach one server and log in: the `imap` or `smtp` table of an account.
package struct ServerSettings: Sendable, Equatable {
  /// A name or an address; an IPv6 address stands without brackets.
  package var host: String
  package var port: UInt16
  package var tls: TLSMode
  /// A PEM file with certificates to trust beside the system's, absolute.
  package var caFile: String?
  package var user: String
  package var auth: AuthenticationChoice
  package var secret: SecretSource
  /// How many connections a run may hold at once, 1…32.
  package var connections: Int
  /// Names of quirks to force; `-name` switches one off.
  package var quirks: [String]
  /// Only read for `smtp`.
  package var sentCopy: SentCopy

  package init(
    host: String, port: UInt16, tls: TLSMode = .implicit, caFile: String? = nil, user: String,
    auth: AuthenticationChoice = .auto, secret: SecretSource, connections: Int = 4,
    quirks: [String] = [], sentCopy: SentCopy = .auto
  ) {
    self.host = host
    self.port = port
    self.tls = tls
    self.caFile = caFile
    self.user = user
    self.auth = auth
    self.secret = secret
    self.connections = connections
    self.quirks = quirks
    self.sentCopy = sentCopy
  }
}

/// The `tls` key. There is no opportunistic mode: what is asked for is had, or the run ends.
package enum TLSMode: String, CaseIterable, Sendable {
  case implicit, starttls
  /// Only to the loopback host; the settings refuse it for any other name.
  case none
}

/// The `auth` key: a SASL mechanism, or the strongest that both sides can do.
package enum AuthenticationChoice: String, CaseIterable, Sendable {
  case auto, plain, login
  case cramMD5 = "cram-md5"
  case scramSHA1 = "scram-sha-1"
  case scramSHA256 = "scram-sha-256"
  case xoauth2, oauthbearer, external

  /// The credential is an access token, no password.
  package var takesToken: Bool { self == .xoauth2 || self == .oauthbearer }
}

/// Where the password, or the access token, comes from.
package enum SecretSource: Sendable, Equatable {
  case password(Secret)
  /// The first line of this file, absolute.
  case file(String)
  /// The first line that this command prints; the program and its arguments.
  case command([String])
  /// None is configured: EXTERNAL needs none, OAuth2 gets its own elsewhere.
  case none
}

/// The `sent-copy` key: who files a copy of what was sent.
package enum SentCopy: String, CaseIterable, Sendable {
  case auto, append, server
}
