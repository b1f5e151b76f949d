import MailCore
import Settings

/// A program as one provider knows it: the `oauth` table, with the provider's facts filled in.
package struct OAuthClient: Sendable, Equatable {
  package var provider: OAuthProvider
  package var id: String
  package var secret: Secret?
  /// A PEM file with certificates to trust beside the system's.
  package var caFile: String?

  package init(provider: OAuthProvider, id: String, secret: Secret? = nil, caFile: String? = nil) {
    self.provider = provider
    self.id = id
    self.secret = secret
    self.caFile = caFile
  }

  package init(_ settings: OAuthSettings) {
    var provider: OAuthProvider =
      switch settings.provider {
      case .google: .google
      case .microsoft: .microsoft
      case .yahoo: .yahoo
      case .custom: .custom(tokenURL: settings.tokenURL ?? "")
      }
    provider.authorizationURL = settings.authorizationURL ?? provider.authorizationURL
    provider.tokenURL = settings.tokenURL ?? provider.tokenURL
    provider.deviceURL = settings.deviceURL ?? provider.deviceURL
    provider.revocationURL = settings.revocationURL ?? provider.revocationURL
    provider.redirectURL = settings.redirectURL ?? provider.redirectURL
    provider.scopes = settings.scopes ?? provider.scopes
    self.init(
      provider: provider, id: settings.clientID, secret: settings.clientSecret,
      caFile: settings.caFile)
  }
}

extension OAuthProvider {
  /// A server of which only the settings know anything.
  package static func custom(tokenURL: String) -> OAuthProvider {
    OAuthProvider(
      name: "The provider", tokenURL: tokenURL, redirectURL: "http://127.0.0.1", scopes: [],
      clientAuthentication: .header)
  }
}
