import Foundation
import MailCore
import OAuth
import SASL
import Settings
import Transport

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
    Credentials(
      for: server, tokens: tokens(account), refusedLogIn: refusedLogIn(account, at: server))
  }

  /// What is known of a log-in that one of the account's servers refused; nil without a home directory.
  func refusedLogIn(_ account: AccountSettings, at server: ServerSettings) -> RefusedLogIn? {
    StateDirectory.path().map { state in
      RefusedLogIn(
        account: account.name, service: server == account.imap ? "imap" : "smtp", server: server,
        directory: state + "/refused", isHeeded: isUnattended,
        derive: { try? SASLDigests.openSSL.pbkdf2(.sha256, $0, $1, 100_000) })
    }
  }
}
