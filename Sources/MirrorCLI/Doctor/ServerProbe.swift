import IMAPClient
import Settings
import Sync
import Transport

/// A session with an account's server whose connection can be looked at afterwards. Confined to one thread.
final class ServerProbe {
  /// Nil until the connection stands.
  private(set) var stream: NetworkStream?
  private let factory: ConnectionFactory

  init(account: AccountSettings, interrupt: Interrupt, wireLog: WireLog?) {
    factory = ConnectionFactory(
      server: account.imap, credentials: Credentials(for: account.imap), interrupt: interrupt,
      wireLog: wireLog)
  }

  var credentials: Credentials { factory.credentials }

  func session() -> IMAPSession { factory.makeSession { [self] in stream = $0 } }
}
