import CLISupport
import Foundation
import MailCore
import OAuth

/// One account's log-in, as `mirror auth` tells it.
struct AuthState: Encodable, Equatable {
  var account: String
  var user: String
  var provider: String
  /// `signed-in`, `needs-login` or `never`.
  var state: String
  /// Of the access token, which is renewed by itself.
  var expires: Date?
  /// True where a log-out was only looked at; else it is left out.
  var dryRun: Bool?

  init(_ subject: AuthSubject, _ status: TokenKeeper.Status) {
    account = subject.account.name
    user = subject.account.imap.user
    provider = subject.account.oauth?.provider.rawValue ?? ""
    state = status.state.rawValue
    expires = status.expires.map { Date(timeIntervalSince1970: Double($0)) }
  }

  /// Every object has every key, but for that of a dry run.
  func encode(to encoder: any Encoder) throws {
    var keys = encoder.container(keyedBy: CodingKeys.self)
    try keys.encode(account, forKey: .account)
    try keys.encode(user, forKey: .user)
    try keys.encode(provider, forKey: .provider)
    try keys.encode(state, forKey: .state)
    try keys.encode(expires, forKey: .expires)
    try keys.encodeIfPresent(dryRun, forKey: .dryRun)
  }

  private enum CodingKeys: String, CodingKey {
    case account, user, provider, state, expires, dryRun
  }

  static let endsByItself =
    "The provider gave nothing to renew this log-in with: it ends with its access token. "
    + "Check scopes; some providers want offline_access among them."
  static let awaitsCommand =
    "oauth.store-command does not take the refresh token: until it does, a file keeps it, which only "
    + "you can read. Run the command by hand."

  func text(now: Date) -> String {
    "\(account): \(words(now: now)) (\(user), \(provider))"
  }

  private func words(now: Date) -> String {
    switch TokenKeeper.Status.State(rawValue: state) {
    case .signedIn:
      guard let left = expires?.timeIntervalSince(now), left > 0 else {
        return "signed in, a new access token with the next run"
      }
      return "signed in, access token good for \(Quantities.seconds(left))"
    case .needsLogin: return "needs a log-in: mirror auth login \(account)"
    case .never, nil: return "never signed in: mirror auth login \(account)"
    }
  }
}
