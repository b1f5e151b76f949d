import IMAPWire
import MailCore
import SASL
import SMTPClient
import SMTPWire
import Settings
import Transport

/// Makes sessions with an account's submission server: what the settings say, in the client's terms.
package struct SMTPConnector: Sendable {
  let server: ServerSettings
  let credentials: Credentials
  let wireLog: WireLog?
  private let policy: TLSPolicy

  package init(server: ServerSettings, credentials: Credentials, wireLog: WireLog?) {
    self.server = server
    self.credentials = credentials
    self.wireLog = wireLog
    policy = TLSPolicy(caFile: server.caFile)
  }

  /// A session that is logged in, for the thread that calls. Where the server refuses an access token, another is
  /// got, once.
  func openSession(_ interrupt: Interrupt) throws -> SMTPSession {
    try credentials.loggedIn(
      isRefusal: { if case SMTPError.loginRefused = $0 { true } else { false } },
      open: { used in
        let session = makeSession(interrupt, used: used)
        try session.open()
        return session
      })
  }

  /// A session that is not open yet, for the thread that opens it.
  func makeSession(_ interrupt: Interrupt, used: @escaping (Secret) -> Void = { _ in })
    -> SMTPSession
  {
    let endpoint = Endpoint(host: server.host, port: server.port)
    return SMTPSession(
      options: options,
      connect: {
        let stream = try NetworkStream.connect(
          endpoint, security: server.tls == .implicit ? .implicit(policy) : .plain,
          interrupt: interrupt, log: wireLog)
        return NetworkByteStream(stream, policy: policy)
      },
      credential: {
        let secret = try credentials.secret()
        used(secret)
        return secret
      })
  }

  var options: SMTPSessionOptions {
    var options = SMTPSessionOptions(host: server.host, port: server.port, user: server.user)
    options.opening = OpeningMachine.Options(
      choice: SASLChoice(setting: server.auth.rawValue) ?? .automatic,
      wantsStartTLS: server.tls == .starttls)
    options.credentialKind =
      server.auth.takesToken ? .accessToken : server.auth == .external ? .none : .password
    return options
  }
}

extension ServerSettings {
  /// Which server it is, for what is remembered of it.
  var place: String { "\(host.lowercased()):\(port)" }
}
