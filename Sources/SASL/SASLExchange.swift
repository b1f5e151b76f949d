import MailCore

/// One authentication from its initial response to the server's verdict; raw bytes in and out.
///
/// Base64, the `=` of an empty initial response and the `*` that cancels are the protocol's (RFC 9051
/// §6.2.2, RFC 4954 §4).
package struct SASLExchange: Sendable {
  private enum Machine: Sendable {
    case plain(PlainExchange)
    case login(LoginExchange)
    case cramMD5(CRAMExchange)
    case scram(SCRAMExchange)
    case oauth(OAuthExchange)
    case external(ExternalExchange)
  }

  package let mechanism: SASLMechanism
  private var machine: Machine
  private let mask: SecretMask
  private var started = false

  /// - Parameter offered: the server's list: SCRAM tells it that we noticed when no -PLUS was in it.
  /// - Throws: `.unusableCredential` before anything is sent; `.cryptography`.
  package init(
    _ mechanism: SASLMechanism, credential: SASLCredential, offered: [String], context: SASLContext
  ) throws(SASLError) {
    self.mechanism = mechanism
    mask = SecretMask(credential, host: context.host, port: context.port)
    switch mechanism {
    case .plain: machine = .plain(try PlainExchange(credential))
    case .login: machine = .login(try LoginExchange(credential))
    case .cramMD5: machine = .cramMD5(try CRAMExchange(credential, digests: context.digests))
    case .scramSHA1, .scramSHA1Plus, .scramSHA256, .scramSHA256Plus:
      machine = .scram(
        try SCRAMExchange(mechanism, credential: credential, offered: offered, context: context))
    case .xoauth2, .oauthBearer:
      machine = .oauth(
        try OAuthExchange(
          mechanism, credential: credential, host: context.host, port: context.port))
    case .external: machine = .external(ExternalExchange(credential))
    }
  }

  /// What the client says first; nil where the server has to begin (LOGIN, CRAM-MD5).
  ///
  /// Without SASL-IR it answers the server's empty challenge instead: `respond` does that by itself
  /// when this was never called.
  package mutating func initialResponse() throws(SASLError) -> [UInt8]? {
    started = true
    switch machine {
    case .plain(let exchange): return exchange.message
    case .login, .cramMD5: return nil
    case .scram(let exchange): return exchange.firstMessage
    case .oauth(let exchange): return exchange.message
    case .external(let exchange): return exchange.message
    }
  }

  /// Answers a challenge; an empty answer is an empty line.
  ///
  /// - Throws: cancel the exchange (`*`) and report; nothing more may be sent in it.
  package mutating func respond(to challenge: [UInt8]) throws(SASLError) -> [UInt8] {
    // Servers put words into this first challenge, which has no meaning where the client speaks first.
    if !started, let first = try initialResponse() { return first }
    switch machine {
    case .plain, .external:
      throw .malformedChallenge(mechanism, reason: "one challenge too many")
    case .login(var exchange):
      defer { machine = .login(exchange) }
      return try exchange.respond()
    case .cramMD5(var exchange):
      defer { machine = .cramMD5(exchange) }
      return try exchange.respond(to: challenge)
    case .scram(var exchange):
      defer { machine = .scram(exchange) }
      return try exchange.respond(to: challenge)
    case .oauth(var exchange):
      defer { machine = .oauth(exchange) }
      return try exchange.respond(to: challenge)
    }
  }

  /// Nothing more is to be said, or to be proved by the server: only its verdict is due, unless it refuses. Known of PLAIN
  /// and SCRAM.
  package var isOver: Bool {
    switch machine {
    case .plain: started
    case .scram(let exchange): exchange.isVerified
    case .login, .cramMD5, .oauth, .external: false
    }
  }

  /// To be called at the server's tagged OK.
  ///
  /// - Throws: `.serverNotVerified` where the mechanism lets the server prove itself and it did not, or
  ///   `.malformedChallenge` where it says yes before the exchange is over. Treat the log-in as failed
  ///   and drop the connection.
  package mutating func succeeded() throws(SASLError) {
    switch machine {
    case .scram(let exchange): try exchange.succeeded()
    case .cramMD5(let exchange): try exchange.succeeded()
    case .plain, .login, .oauth, .external: break
    }
  }

  /// What the mechanism itself said went wrong, visible, bounded, and without the secret: for the message after a NO.
  package var serverError: String? {
    let words: String? =
      switch machine {
      case .scram(let exchange): exchange.serverError
      case .oauth(let exchange): exchange.serverError
      case .plain, .login, .cramMD5, .external: nil
      }
    return words.map(mask.masked)
  }

  /// After the server's NO: the mechanism to try next on this connection, of those that are left.
  ///
  /// Servers announce mechanisms for which they have kept no secret of this user's (GNU mailutils, Dovecot over hashed
  /// passwords), and refuse those in words that are also a wrong password's. So one further attempt is made, with a
  /// mechanism that any server can judge; it is no less safe than what would be sent if the server announced it alone,
  /// since only those are candidates that this connection allows. Never more than one, and none where the server says
  /// that it judged the password: servers lock accounts after a few wrong ones.
  ///
  /// - Parameters:
  ///   - isJudged: the server says that the password, the user or the account is what it refuses.
  ///   - isFurther: one mechanism gave way to another already.
  package func alternative(
    among candidates: some Sequence<SASLMechanism>, isJudged: Bool, isFurther: Bool
  ) -> SASLMechanism? {
    if case .scram(let exchange) = machine {
      // It was the channel's binding that was refused.
      if exchange.bindingWasRefused { return candidates.first { _ in true } }
      if isJudged, exchange.hasProved { return nil }
    } else if isJudged {
      return nil
    }
    guard mechanism.needsKeptSecret, !isFurther else { return nil }
    return candidates.first { !$0.needsKeptSecret }
  }
}
