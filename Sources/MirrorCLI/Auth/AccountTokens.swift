import Foundation
import MailCore
import OAuth
import Settings

extension MirrorSession {
  /// What keeps an account's tokens; nil where it has no `oauth` table.
  func tokens(_ account: AccountSettings) -> TokenKeeper? {
    let interrupt = interrupt
    return TokenKeeper(
      account, environment: ProcessInfo.processInfo.environment,
      isCancelled: { interrupt.isTriggered })
  }

  /// What logs in to one of the account's servers: its password, or the access tokens that `mirror auth` looks after.
  /// Nothing is read or asked before it is needed.
  func credentials(_ account: AccountSettings, for server: ServerSettings) -> Credentials {
    Credentials(for: server, tokens: tokens(account))
  }
}
