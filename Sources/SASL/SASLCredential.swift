import MailCore

/// Who logs in, and with what.
package struct SASLCredential: Sendable {
  package enum Kind: Sendable, Equatable {
    case password, accessToken, none
  }

  /// Authentication identity.
  package let user: String
  package let secret: Secret
  package let kind: Kind
  /// Authorization identity; empty means the user's own.
  package let authorization: String

  package init(user: String, secret: Secret, kind: Kind = .password, authorization: String = "") {
    self.user = user
    self.secret = secret
    self.kind = kind
    self.authorization = authorization
  }
}

/// A value both ends derive from the TLS channel, so that a log-in cannot be relayed (RFC 5056).
package struct ChannelBinding: Sendable, Equatable {
  /// The raw value is the registered name.
  package enum Kind: String, Sendable, CaseIterable {
    /// RFC 9266.
    case tlsExporter = "tls-exporter"
    /// RFC 5929 §3; before TLS 1.3 what RFC 5802 §6.1 expects unless agreed otherwise.
    case tlsUnique = "tls-unique"
    /// RFC 5929 §4.
    case tlsServerEndPoint = "tls-server-end-point"
  }

  package let kind: Kind
  package let data: [UInt8]

  package init(kind: Kind, data: [UInt8]) {
    self.kind = kind
    self.data = data
  }
}

/// What a mechanism needs to know of the connection.
package struct SASLContext: Sendable {
  package let host: String
  package let port: UInt16
  package let isEncrypted: Bool
  /// nil where the channel has none; then no -PLUS mechanism is taken.
  package let channelBinding: ChannelBinding?
  package let digests: SASLDigests

  package init(
    host: String, port: UInt16, isEncrypted: Bool, channelBinding: ChannelBinding? = nil,
    digests: SASLDigests
  ) {
    self.host = host
    self.port = port
    self.isEncrypted = isEncrypted
    self.channelBinding = channelBinding
    self.digests = digests
  }
}
