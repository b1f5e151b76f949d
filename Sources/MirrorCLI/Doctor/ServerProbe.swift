import IMAPClient
import Remote
import Settings
import Sync
import Transport

/// A session with an account's server whose connection can be looked at afterwards. Confined to one thread.
final class ServerProbe {
  /// Nil until the connection stands.
  private(set) var stream: NetworkStream?
  private let factory: ConnectionFactory

  init(
    account: AccountSettings, credentials: Credentials, interrupt: Interrupt, wireLog: WireLog?
  ) {
    factory = ConnectionFactory(
      server: account.imap, credentials: credentials, interrupt: interrupt, wireLog: wireLog)
  }

  func openSession() throws -> IMAPSession {
    try factory.openSession(connected: { [self] in stream = $0 })
  }
}
