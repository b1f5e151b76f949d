import MailCore
import SASL

/// From the greeting to the point where messages may be sent: EHLO, STARTTLS, AUTH.
///
/// Knows no socket: give it each reply, and do what it answers.
package struct OpeningMachine: Sendable {
  package struct Options: Sendable {
    /// Told in EHLO.
    package var clientName: String
    package var choice: SASLChoice
    package var wantsStartTLS: Bool
    /// False for servers on this machine that know no log-in.
    package var wantsLogin: Bool

    package init(
      clientName: String = "[127.0.0.1]", choice: SASLChoice = .automatic,
      wantsStartTLS: Bool = false, wantsLogin: Bool = true
    ) {
      self.clientName = clientName
      self.choice = choice
      self.wantsStartTLS = wantsStartTLS
      self.wantsLogin = wantsLogin
    }
  }

  package enum Action: Sendable, Equatable {
    /// Send it, then read a reply.
    case send(SMTPCommand)
    /// Send the base64 line (its CRLF added), then read a reply. Secret.
    case answer([UInt8])
    /// Do the handshake, with nothing read ahead; then ``startedTLS()``.
    case startTLS
    /// Then ``authenticate(with:context:)``.
    case needCredential
    case finish
  }

  private enum State: Sendable {
    case greeting, ehloBeforeTLS, startingTLS, handshaking, ehlo, helo, credential
    case authenticating(SASLExchange, hasSentInitial: Bool)
    /// `*` was sent after an error of ours, told once the server has answered.
    case cancelled(SASLError)
    case finished
  }

  private let options: Options
  private var state = State.greeting
  private var credential: SASLCredential?
  private var context: SASLContext?
  private var candidates: ArraySlice<SASLMechanism> = []
  /// A mechanism was refused that the server may have no secret for, and another is tried.
  private var hasGivenWay = false
  package private(set) var extensions = ServerExtensions()
  /// Its first words, which often name the software.
  package private(set) var greeting = ""

  /// RFC 4954 §4: a longer AUTH line may not be sent; the server then asks for the response.
  private static let maximumLine = 512

  package init(_ options: Options) { self.options = options }

  package mutating func received(_ reply: Reply) throws -> Action {
    if reply.endsSession { throw ended(reply) }
    switch state {
    case .greeting:
      guard reply.isPositive else { throw SMTPError.turnedAway(reply) }
      greeting = reply.lines.first ?? ""
      state = options.wantsStartTLS ? .ehloBeforeTLS : .ehlo
      return .send(.ehlo(options.clientName))
    case .ehloBeforeTLS:
      guard reply.isPositive else { throw SMTPError.turnedAway(reply) }
      guard ServerExtensions(reply).startTLS else { throw SMTPError.startTLSUnavailable }
      state = .startingTLS
      return .send(.startTLS)
    case .startingTLS:
      guard reply.isPositive else {
        throw reply.isDeferral ? SMTPError.turnedAway(reply) : SMTPError.startTLSUnavailable
      }
      state = .handshaking
      return .startTLS
    case .ehlo:
      guard reply.isPositive else {
        // Only a server of before 1995 knows no EHLO, and it knows no log-in either.
        guard reply.isRefusal, !options.wantsLogin else { throw SMTPError.turnedAway(reply) }
        state = .helo
        return .send(.helo(options.clientName))
      }
      extensions = ServerExtensions(reply)
      return opened()
    case .helo:
      guard reply.isPositive else { throw SMTPError.turnedAway(reply) }
      state = .finished
      return .finish
    case .authenticating(let exchange, let hasSentInitial):
      return try authenticating(reply, exchange, hasSentInitial)
    case .cancelled(let error): throw error
    case .handshaking, .credential, .finished:
      throw SMTPError.protocolViolation("a reply that no command asked for")
    }
  }

  /// Nothing that was said before the handshake counts (RFC 3207 §4.2).
  package mutating func startedTLS() -> Action {
    extensions = ServerExtensions()
    state = .ehlo
    return .send(.ehlo(options.clientName))
  }

  package mutating func authenticate(with credential: SASLCredential, context: SASLContext) throws
    -> Action
  {
    self.credential = credential
    self.context = context
    do {
      candidates =
        try SASLMechanism.candidates(
          offered: extensions.mechanisms, choice: options.choice, kind: credential.kind,
          context: context)[...]
    } catch {
      throw SMTPError.noMechanism(offered: extensions.mechanisms)
    }
    return try nextMechanism()
  }

  // MARK: Steps

  private mutating func opened() -> Action {
    state = options.wantsLogin ? .credential : .finished
    return options.wantsLogin ? .needCredential : .finish
  }

  private mutating func nextMechanism() throws -> Action {
    guard let mechanism = candidates.popFirst(), let credential, let context else {
      throw SMTPError.noMechanism(offered: extensions.mechanisms)
    }
    var exchange = try SASLExchange(
      mechanism, credential: credential, offered: extensions.mechanisms, context: context)
    let before = exchange
    let command = SMTPCommand.authenticate(mechanism, initial: try exchange.initialResponse())
    guard command.bytes.count <= Self.maximumLine else {
      state = .authenticating(before, hasSentInitial: false)
      return .send(.authenticate(mechanism, initial: nil))
    }
    state = .authenticating(exchange, hasSentInitial: command.isSecret)
    return .send(command)
  }

  private mutating func authenticating(
    _ reply: Reply, _ exchange: SASLExchange, _ hasSentInitial: Bool
  ) throws -> Action {
    var exchange = exchange
    switch reply.code {
    case 334: return try challenged(reply, &exchange, hasSentInitial)
    case 200...299:
      try exchange.succeeded()
      credential = nil
      state = .finished
      return .finish
    default: return try refused(reply, exchange)
    }
  }

  private mutating func challenged(
    _ reply: Reply, _ exchange: inout SASLExchange, _ hasSentInitial: Bool
  ) throws -> Action {
    do throws(SASLError) {
      if !hasSentInitial, let initial = try exchange.initialResponse() {
        // The challenge that asks for it is empty; some servers put words there.
        state = .authenticating(exchange, hasSentInitial: true)
        return .answer(Base64.encode(initial))
      }
      let text = (reply.lines.first ?? "").utf8.filter { $0 > 0x20 }
      guard let challenge = Base64.decode(text) else {
        throw SASLError.malformedChallenge(exchange.mechanism, reason: "it is no base64")
      }
      let response = try exchange.respond(to: challenge)
      state = .authenticating(exchange, hasSentInitial: true)
      return .answer(Base64.encode(response))
    } catch {
      state = .cancelled(error)
      return .answer([UInt8(ascii: "*")])
    }
  }

  /// A wrong password is told at once, since servers lock accounts for it. After a mechanism that the server can't do the
  /// next is tried; after one that it may have no secret for, one further (``SASLExchange/alternative(among:isJudged:isFurther:)``):
  /// that is known only where the server refused before it saw a proof, because 535 stands for all else.
  private mutating func refused(_ reply: Reply, _ exchange: SASLExchange) throws -> Action {
    // RFC 4954 §6: 504 unknown mechanism, 534 too weak, 500 and 501 not understood.
    let cannotDoIt = [500, 501, 502, 504].contains(reply.code)
    if cannotDoIt, !candidates.isEmpty { return try nextMechanism() }
    if !reply.isDeferral,
      let next = exchange.alternative(among: candidates, isJudged: true, isFurther: hasGivenWay)
    {
      if !next.needsKeptSecret { hasGivenWay = true }
      candidates = candidates.drop { $0 != next }
      return try nextMechanism()
    }
    if reply.isDeferral { throw SMTPError.loginUnavailable(reply) }
    throw SMTPError.loginRefused(reply, said: exchange.serverError)
  }

  private func ended(_ reply: Reply) -> SMTPError {
    switch state {
    case .authenticating: .loginUnavailable(reply)
    default: .turnedAway(reply)
    }
  }
}
