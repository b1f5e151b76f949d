import MailCore

/// The `oauth` table: whom to ask for access tokens, and as which program.
package struct OAuthSettings: Sendable, Equatable {
  package enum Provider: String, CaseIterable, Sendable {
    case google, microsoft, yahoo, custom
  }

  package var provider: Provider
  /// The name under which the provider knows the program.
  package var clientID: String
  package var clientSecret: Secret?
  /// Where an address is nil, the provider's own holds. All are HTTPS, or on this machine.
  package var authorizationURL: String?
  package var tokenURL: String?
  package var deviceURL: String?
  package var revocationURL: String?
  /// `http://` with a loopback host, without a port where a free one is to be taken; or `https://`, or `oob`.
  package var redirectURL: String?
  package var scopes: [String]?
  /// A PEM file with certificates to trust beside the system's, absolute.
  package var caFile: String?
  /// Keeps the refresh token, which comes on its standard input. Set together with ``loadCommand``.
  package var storeCommand: [String]?
  /// Prints the refresh token on its first line.
  package var loadCommand: [String]?

  package init(provider: Provider, clientID: String, clientSecret: Secret? = nil) {
    self.provider = provider
    self.clientID = clientID
    self.clientSecret = clientSecret
  }
}
