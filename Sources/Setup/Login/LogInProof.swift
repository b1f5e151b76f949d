import MailCore

/// What logs in to the servers.
package enum LogInProof: Sendable, Equatable {
  case password(Secret)
  case accessToken(Secret)

  package var secret: Secret {
    switch self {
    case .password(let secret), .accessToken(let secret): secret
    }
  }
}
