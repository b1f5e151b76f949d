import IMAPClient
import IMAPWire
import MailCore
import SASL
import Settings
import SyncPlan
import Transport

/// Makes the connections of one account: what the settings say, in the clients' terms.
package struct ConnectionFactory: Sendable {
  let server: ServerSettings
  package let credentials: Credentials
  private var interrupt: Interrupt
  let wireLog: WireLog?
  /// Connections that the last run left for the next; nil where each run makes its own.
  package let kept: KeptConnections?
  private let policy: TLSPolicy
  private let proven = ProvenMechanism()
  private let makeStream: (@Sendable () throws -> any ByteStream)?
  /// Hears what a log-in is at.
  private let entered: @Sendable (RunStage) -> Void

  /// - Parameter makeStream: where it is given, each connection is one of its streams, and none goes over the network.
  package init(
    server: ServerSettings, credentials: Credentials, interrupt: Interrupt, wireLog: WireLog?,
    kept: KeptConnections? = nil, entered: @escaping @Sendable (RunStage) -> Void = { _ in },
    makeStream: (@Sendable () throws -> any ByteStream)? = nil
  ) {
    self.entered = entered
    self.kept = kept
    self.server = server
    self.credentials = credentials
    self.interrupt = interrupt
    self.wireLog = wireLog
    self.makeStream = makeStream
    policy = TLSPolicy(caFile: server.caFile)
  }

  /// The same, whose connections end by another interrupt.
  package func interrupted(by interrupt: Interrupt) -> ConnectionFactory {
    var factory = self
    factory.interrupt = interrupt
    return factory
  }

  /// A session that is logged in. Where the server refuses an access token, another is got, once.
  ///
  /// - Parameters:
  ///   - known: the server as it was met before, where the first thing asked will be the list of mailboxes.
  ///   - made: is shown each session before it connects.
  ///   - connected: is shown the connection as soon as it stands.
  /// - Throws: what `IMAPSession.open` throws, and `SettingsError.noToken`. A bare NO beside another session of the same
  ///   secret is `loginUnavailable`: it may come of a limit of connections, and is asked for twice in a row at most. One with a
  ///   code means the secret: a password may have been changed while sessions go on.
  package func openSession(
    known: KnownServer? = nil, made: (IMAPSession) -> Void = { _ in },
    connected: @escaping (NetworkStream) -> Void = { _ in }
  ) throws -> IMAPSession {
    if let mechanism = known?.mechanism { proven.value = mechanism }
    let letIn = credentials.letIn
    if letIn.areInDoubt, let words = letIn.lastWords(on: try credentials.secret()) {
      throw IMAPError.loginUnavailable(words)
    }
    var last: Secret?
    do {
      return try credentials.loggedIn(
        isRefusal: {
          if case IMAPError.loginRefused(_, let hasCode) = $0 {
            hasCode || !isOneMore(last)
          } else {
            false
          }
        },
        open: { used in
          let session = makeSession(known: known, connected: connected) {
            last = $0
            used($0)
          }
          made(session)
          try session.open()
          if let last { letIn.add(session, by: last) }
          if let mechanism = session.met?.mechanism { proven.value = mechanism }
          return session
        })
    } catch IMAPError.loginRefused(let words, hasCode: false) where isOneMore(last) {
      if let last { letIn.noteRefusal(of: last, words) }
      throw IMAPError.loginUnavailable(words)
    }
  }

  /// Whether the same secret has opened a session that lasts. Access tokens run out while sessions go on.
  private func isOneMore(_ secret: Secret?) -> Bool {
    guard let secret, !server.auth.takesToken else { return false }
    return credentials.letIn.hasOne(by: secret)
  }

  /// A session whose work is done waits for the next run, where connections are kept; else it is logged out. Whoever
  /// calls this has it no longer.
  package func end(_ session: IMAPSession) {
    if let kept { kept.keep(session) } else { session.logout() }
  }

  private func makeSession(
    known: KnownServer?, connected: @escaping (NetworkStream) -> Void,
    used: @escaping (Secret) -> Void
  ) -> IMAPSession {
    let endpoint = Endpoint(host: server.host, port: server.port)
    var options = options
    options.known = known
    options.proven = proven.value
    return IMAPSession(
      options: options,
      connect: {
        if let makeStream { return try makeStream() }
        let stream = try NetworkStream.connect(
          endpoint, security: server.tls == .implicit ? .implicit(policy) : .plain,
          interrupt: interrupt, log: wireLog)
        connected(stream)
        entered(.authenticating)
        return NetworkByteStream(stream, policy: policy)
      },
      credential: {
        if server.auth.takesToken { entered(.refreshingToken) }
        let secret = try credentials.secret()
        used(secret)
        return secret
      })
  }

  /// Asks for COMPRESS=DEFLATE where it pays: it costs a round trip and time of both processors, and saves most of the
  /// bytes of mail; on this very machine bytes cost nothing. `MIRROR_COMPRESS` (always, never) overrules.
  package func compress(_ session: IMAPSession, environment: [String: String]) throws {
    switch environment["MIRROR_COMPRESS"] {
    case "always": break
    case "never": return
    default: if session.isPeerLoopback { return }
    }
    _ = try session.startCompression()
  }

  private var options: IMAPSessionOptions {
    var options = IMAPSessionOptions(host: server.host, port: server.port, user: server.user)
    options.choice = SASLChoice(setting: server.auth.rawValue) ?? .automatic
    options.credentialKind =
      server.auth.takesToken ? .accessToken : server.auth == .external ? .none : .password
    options.wantsStartTLS = server.tls == .starttls
    var unknown: [String] = []
    options.quirks = QuirkSettings(names: server.quirks, unknown: &unknown)
    return options
  }
}
