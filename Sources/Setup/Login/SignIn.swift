import MailCore
import Settings

/// How a person signs in to an account that uses OAuth2.
package enum SignIn: String, Sendable, CaseIterable {
  case browser
  /// A code that is entered in a browser on any machine (RFC 8628).
  case device
  /// By `mirror auth login`, once the account stands.
  case later

  /// The ways that the provider offers. Of the large ones, Microsoft alone gives access to mail by a code; for others the
  /// configured addresses tell. An empty answer means the first, so that is one which works on this machine.
  static func ways(_ settings: OAuthSettings, hasBrowser: Bool) -> [SignIn] {
    let isKnown = settings.provider != .custom
    var ways: [SignIn] = []
    if isKnown || settings.authorizationURL != nil { ways.append(.browser) }
    if settings.provider == .microsoft || settings.deviceURL != nil {
      ways.insert(.device, at: hasBrowser ? ways.endIndex : 0)
    }
    return ways + [.later]
  }

  func words(hasBrowser: Bool) -> String {
    switch self {
    case .browser where !hasBrowser: "with a browser of this machine, which you open yourself"
    case .browser: "with the browser of this machine"
    case .device: "with a code, entered in a browser on any machine"
    case .later: "later, by mirror auth login"
    }
  }
}

/// What came of a log-in.
package enum SignInResult: Sendable, Equatable {
  /// The access token.
  case granted(Secret)
  case failed(Explanation)
}
