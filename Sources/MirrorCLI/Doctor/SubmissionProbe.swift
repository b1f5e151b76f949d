import MailCore
import SASL
import SMTPClient
import SMTPWire
import Settings
import Transport

/// A session with an account's submission server whose connection can be looked at afterwards. Confined to one thread.
final class SubmissionProbe {
  /// Nil until the connection stands.
  private(set) var stream: NetworkStream?
  private let server: ServerSettings
  private let credentials: Credentials
  private let interrupt: Interrupt
  private let wireLog: WireLog?

  init(
    server: ServerSettings, credentials: Credentials, interrupt: Interrupt, wireLog: WireLog?
  ) {
    (self.server, self.credentials) = (server, credentials)
    (self.interrupt, self.wireLog) = (interrupt, wireLog)
  }

  /// Connects and logs in, as sending does, but waits no longer than a person would.
  func openSession() throws -> SMTPSession {
    try credentials.loggedIn(
      isRefusal: { if case SMTPError.loginRefused = $0 { true } else { false } },
      open: { used in
        let session = makeSession(used)
        try session.open()
        return session
      })
  }

  private func makeSession(_ used: @escaping (Secret) -> Void) -> SMTPSession {
    let policy = TLSPolicy(caFile: server.caFile)
    return SMTPSession(
      options: options,
      connect: { [self] in
        let stream = try NetworkStream.connect(
          Endpoint(host: server.host, port: server.port),
          security: server.tls == .implicit ? .implicit(policy) : .plain, interrupt: interrupt,
          log: wireLog)
        self.stream = stream
        return NetworkByteStream(stream, policy: policy)
      },
      credential: { [self] in
        let secret = try credentials.secret()
        used(secret)
        return secret
      })
  }

  private var options: SMTPSessionOptions {
    var options = SMTPSessionOptions(host: server.host, port: server.port, user: server.user)
    options.opening = OpeningMachine.Options(
      choice: SASLChoice(setting: server.auth.rawValue) ?? .automatic,
      wantsStartTLS: server.tls == .starttls)
    options.credentialKind =
      server.auth.takesToken ? .accessToken : server.auth == .external ? .none : .password
    (options.greetingSeconds, options.commandSeconds) = (30, 30)
    return options
  }
}
