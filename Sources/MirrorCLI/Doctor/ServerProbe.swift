import IMAPClient
import IMAPWire
import MailCore
import SASL
import Settings
import Transport

/// A session with an account's server whose connection can be looked at afterwards. Confined to one thread.
final class ServerProbe {
  let credentials: Credentials
  /// Nil until the connection stands.
  private(set) var stream: NetworkStream?
  private let server: ServerSettings
  private let interrupt: Interrupt
  private let wireLog: WireLog?
  private let policy: TLSPolicy

  init(account: AccountSettings, interrupt: Interrupt, wireLog: WireLog?) {
    server = account.imap
    self.interrupt = interrupt
    self.wireLog = wireLog
    credentials = Credentials(for: account.imap)
    policy = TLSPolicy(caFile: account.imap.caFile)
  }

  func session() -> IMAPSession {
    let credentials = self.credentials
    let wireLog = self.wireLog
    return IMAPSession(
      options: options,
      connect: { [self] in
        let stream = try connect()
        self.stream = stream
        return NetworkByteStream(stream, policy: policy)
      },
      credential: {
        let secret = try credentials.secret()
        wireLog?.hide(secret)
        return secret
      })
  }

  private func connect() throws(TransportError) -> NetworkStream {
    try NetworkStream.connect(
      Endpoint(host: server.host, port: server.port),
      security: server.tls == .implicit ? .implicit(policy) : .plain, interrupt: interrupt,
      log: wireLog)
  }

  private var options: IMAPSessionOptions {
    var options = IMAPSessionOptions(host: server.host, port: server.port, user: server.user)
    options.choice = SASLChoice(setting: server.auth.rawValue) ?? .automatic
    options.wantsStartTLS = server.tls == .starttls
    options.credentialKind =
      server.auth.takesToken ? .accessToken : server.auth == .external ? .none : .password
    var unknown: [String] = []
    options.quirks = QuirkSettings(names: server.quirks, unknown: &unknown)
    return options
  }
}
