import MailCore
import OAuth
import Settings
import Setup

/// A log-in that was made before its account stood in the configuration.
struct GrantedLogIn: Sendable {
  private let grant: TokenGrant
  private let settings: OAuthSettings
  private let since = ContinuousClock.now

  init(_ grant: TokenGrant, _ settings: OAuthSettings) {
    (self.grant, self.settings) = (grant, settings)
  }

  /// Whether anything renews it when its access token has run out.
  var canRenew: Bool { grant.refreshToken != nil }

  /// **Blocks.** What kept it from being kept; nil where nothing did.
  func keep(for draft: AccountDraft, environment: [String: String]) -> Explanation? {
    let keeper = TokenKeeper(
      account: draft.account, user: draft.imap.user, settings, environment: environment)
    guard let keeper else { return AuthProblem.noHome.explanation }
    var grant = grant
    // Its lifetime counts from when it was granted; questions were answered since.
    grant.lifetime = max(0, grant.lifetime - since.duration(to: .now).components.seconds)
    do throws(OAuthError) {
      try keeper.signedIn(grant)
      return nil
    } catch {
      return error.explanation
    }
  }
}
