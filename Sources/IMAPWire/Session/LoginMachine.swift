import MailCore
import SASL

/// From the greeting to the authenticated state: greeting, STARTTLS, CAPABILITY, AUTHENTICATE or LOGIN.
///
/// Knows no socket: feed it what the server says, and do what it answers.
package struct LoginMachine {
  package struct Options {
    package var host: String
    package var port: UInt16
    package var user: String
    package var choice: SASLChoice
    package var wantsStartTLS: Bool
    package var quirks: QuirkSettings
    /// What the log-in came about by the last time, after the server had refused a better one: goes first.
    package var proven: SASLMechanism?

    package init(
      host: String, port: UInt16, user: String, choice: SASLChoice = .automatic,
      wantsStartTLS: Bool = false, quirks: QuirkSettings = QuirkSettings(),
      proven: SASLMechanism? = nil
    ) {
      self.proven = proven
      self.host = host
      self.port = port
      self.user = user
      self.choice = choice
      self.wantsStartTLS = wantsStartTLS
      self.quirks = quirks
    }
  }

  package enum Action {
    case send(IMAPCommand)
    /// The answer to a challenge: base64, without its line end. Secret.
    case answer([UInt8])
    /// Do the handshake, then call ``startedTLS()``.
    case startTLS
    /// Log in: call ``authenticate(with:context:)``.
    case needCredential
    case finish
  }

  private enum State {
    case greeting, capabilityBeforeTLS, startingTLS, handshaking, capability, credential
    case authenticating(SASLMechanism, SASLExchange, hasSentInitial: Bool)
    /// `*` was sent after an error of ours; the error is told once the server has answered.
    case cancelled(any Error)
    case loggingIn, capabilityAfterLogin, finished
  }

  private let options: Options
  private var state = State.greeting
  private var credential: SASLCredential?
  private var context: SASLContext?
  private var candidates: ArraySlice<SASLMechanism> = []
  /// Since the greeting, the handshake or the log-in, whichever came last; nil: not told.
  private var told: CapabilitySet?
  /// CAPABILITY data came between the log-in command and its OK: it holds for the new state.
  private var hasNotedSinceLogin = false
  /// An AUTHENTICATE with an initial response got BAD, and is tried once without it.
  private var hasRetried = false
  /// A mechanism was refused that the server may have no secret for, and another is tried.
  private var hasGivenWay = false
  /// A mechanism was refused that the server announces, and cannot do: each attempt with it counts somewhere, too.
  private var hasMisannounced = false
  /// What the log-in came about by, where the best that the server announces is refused; nil where that one was taken.
  package private(set) var proven: SASLMechanism?
  package private(set) var evidence: ServerFamily.Evidence

  package init(_ options: Options) {
    self.options = options
    evidence = ServerFamily.Evidence(host: options.host)
  }

  /// All is said, and only the answer to the log-in is still to come.
  package var awaitsVerdict: Bool {
    switch state {
    case .loggingIn: true
    case .authenticating(_, let exchange, hasSentInitial: true): exchange.isOver
    default: false
    }
  }

  package var quirks: Set<Quirk> { options.quirks.quirks(for: evidence) }
  /// As announced, quirks not applied.
  package var capabilities: CapabilitySet { told ?? CapabilitySet() }

  /// Capabilities count from wherever they come: CAPABILITY's data, or a code.
  package mutating func noted(_ capabilities: CapabilitySet) {
    switch state {
    case .authenticating, .loggingIn: hasNotedSinceLogin = true
    default: break
    }
    told = capabilities
    evidence.capabilities = capabilities
  }

  // MARK: Events

  package mutating func greeted(_ kind: StatusKind, _ text: ResponseText) throws -> Action {
    evidence.greeting = text.text
    if case .capability(let set) = text.code { noted(set) }
    switch kind {
    case .ok: break
    case .preauth:
      if options.wantsStartTLS { throw IMAPError.preauthenticatedBeforeTLS }
      return afterLogin()
    case .bye, .no, .bad:
      if let throttle = Throttle(code: text.code, text: text.text) {
        throw IMAPError.throttled(seconds: throttle.seconds, text.text)
      }
      throw IMAPError.bye(text.text)
    }
    guard options.wantsStartTLS else { return beforeLogin() }
    guard told != nil else {
      state = .capabilityBeforeTLS
      return .send(.capability)
    }
    return try upgrade()
  }

  package mutating func completed(_ result: TaggedResult) throws -> Action {
    if case .capability(let set) = result.code { noted(set) }
    switch state {
    case .capabilityBeforeTLS: return try upgrade()
    case .startingTLS:
      guard result.isOK else { throw IMAPError.startTLSUnavailable }
      state = .handshaking
      return .startTLS
    case .capability: return needCredential()
    case .authenticating(let mechanism, var exchange, let hasSentInitial):
      if result.isOK {
        try exchange.succeeded()
        if hasGivenWay || hasMisannounced { proven = mechanism }
        return loggedIn(result)
      }
      return try refused(result, mechanism, exchange, hasSentInitial: hasSentInitial)
    case .cancelled(let error): throw error
    case .loggingIn:
      guard result.isOK else { throw IMAPError(loginRefusedWith: result, said: nil) }
      return loggedIn(result)
    case .capabilityAfterLogin:
      guard result.isOK else { throw IMAPError(refusing: "CAPABILITY", result) }
      return finish()
    case .greeting, .handshaking, .credential, .finished:
      throw IMAPError.protocolViolation("a completion that no command asked for")
    }
  }

  /// The text of a continuation request, after `+` (RFC 9051 §7.6).
  package mutating func challenged(_ text: [UInt8]) throws -> Action {
    switch state {
    case .authenticating(let mechanism, var exchange, let hasSentInitial):
      do {
        if !hasSentInitial, let initial = try exchange.initialResponse() {
          // The challenge that asks for it is empty; public-inbox and others put words there.
          state = .authenticating(mechanism, exchange, hasSentInitial: true)
          return .answer(Base64.encode(initial))
        }
        guard let challenge = Base64.decode(text.trimmingBlanks) else {
          throw IMAPError.protocolViolation("a challenge that is no base64")
        }
        let response = try exchange.respond(to: challenge)
        state = .authenticating(mechanism, exchange, hasSentInitial: true)
        return .answer(Base64.encode(response))
      } catch {
        state = .cancelled(error)
        return .answer([UInt8(ascii: "*")])
      }
    case .greeting, .capabilityBeforeTLS, .startingTLS, .handshaking, .capability, .credential,
      .cancelled, .loggingIn, .capabilityAfterLogin, .finished:
      throw IMAPError.protocolViolation("a challenge that nobody asked for")
    }
  }

  /// The handshake is done: nothing that was said before it counts (RFC 9051 §6.2.1).
  package mutating func startedTLS() -> Action {
    told = nil
    evidence.capabilities = CapabilitySet()
    state = .capability
    return .send(.capability)
  }

  /// Chooses the mechanisms; the strongest goes first.
  package mutating func authenticate(
    with credential: SASLCredential, context: SASLContext
  ) throws -> Action {
    self.credential = credential
    self.context = context
    let mechanisms = capabilities.mechanisms
    do {
      candidates =
        try SASLMechanism.candidates(
          offered: mechanisms, choice: options.choice, kind: credential.kind, context: context)[...]
    } catch {
      // RFC 9051 §6.2.3: LOGIN is there unless LOGINDISABLED says otherwise; it is our last resort.
      guard case .password = credential.kind, allowsLoginCommand,
        !capabilities.contains(.loginDisabled)
      else { throw IMAPError.noMechanism(offered: mechanisms) }
      return login(credential)
    }
    if let proven = options.proven, candidates.contains(proven) {
      hasGivenWay = true
      candidates = [proven]
    }
    return try nextMechanism()
  }

  // MARK: Steps

  private var allowsLoginCommand: Bool {
    switch options.choice {
    case .automatic, .only(.login), .only(.plain): true
    case .only: false
    }
  }

  private mutating func upgrade() throws -> Action {
    guard capabilities.contains(.startTLS) else { throw IMAPError.startTLSUnavailable }
    state = .startingTLS
    return .send(.startTLS)
  }

  private mutating func beforeLogin() -> Action {
    if told != nil { return needCredential() }
    state = .capability
    return .send(.capability)
  }

  private mutating func needCredential() -> Action {
    state = .credential
    return .needCredential
  }

  private mutating func nextMechanism() throws -> Action {
    guard let mechanism = candidates.popFirst(), let credential, let context else {
      throw IMAPError.noMechanism(offered: capabilities.mechanisms)
    }
    let sendsInitial = capabilities.without(quirks).contains(.saslInitialResponse)
    return try begin(mechanism, credential, context, sendsInitial: sendsInitial)
  }

  private mutating func begin(
    _ mechanism: SASLMechanism, _ credential: SASLCredential, _ context: SASLContext,
    sendsInitial: Bool
  ) throws -> Action {
    var exchange = try SASLExchange(
      mechanism, credential: credential, offered: capabilities.mechanisms, context: context)
    let initial = sendsInitial ? try exchange.initialResponse().map(Base64.encode) : nil
    state = .authenticating(mechanism, exchange, hasSentInitial: initial != nil)
    return .send(.authenticate(mechanism.rawValue, initial: initial))
  }

  private mutating func login(_ credential: SASLCredential) -> Action {
    state = .loggingIn
    return .send(.login(user: options.user, password: credential.secret))
  }

  /// A wrong password is told at once, since servers lock accounts for it. After a mechanism that the server can't do the
  /// next is tried; after one that it may have no secret for, one further (``SASLExchange/alternative(among:isJudged:isFurther:)``).
  private mutating func refused(
    _ result: TaggedResult, _ mechanism: SASLMechanism, _ exchange: SASLExchange,
    hasSentInitial: Bool
  ) throws -> Action {
    guard result.throttle == nil else {
      throw IMAPError(loginRefusedWith: result, said: exchange.serverError)
    }
    if result.status == .bad, hasSentInitial, let credential, let context,
      capabilities.contains(.saslInitialResponse), !hasRetried
    {
      hasRetried = true
      return try begin(mechanism, credential, context, sendsInitial: false)
    }
    let cannotDoIt = result.status == .bad || result.code == .cannot
    if cannotDoIt, !candidates.isEmpty {
      hasMisannounced = true
      return try nextMechanism()
    }
    // A code that tells why: whatever it is, the password is no better in another mechanism.
    if result.code == nil || result.code == .authenticationFailed, !result.isTransient,
      let next = exchange.alternative(
        among: candidates, isJudged: result.code != nil, isFurther: hasGivenWay)
    {
      if !next.needsKeptSecret { hasGivenWay = true }
      candidates = candidates.drop { $0 != next }
      return try nextMechanism()
    }
    throw IMAPError(loginRefusedWith: result, said: exchange.serverError)
  }

  private mutating func loggedIn(_ result: TaggedResult) -> Action {
    // What was announced before counts no more, unless the OK itself carries the new list.
    if case .capability = result.code {} else if !hasNotedSinceLogin { told = nil }
    return afterLogin()
  }

  private mutating func afterLogin() -> Action {
    guard told == nil || quirks.contains(.capabilityAfterLogin) else { return finish() }
    state = .capabilityAfterLogin
    return .send(.capability)
  }

  private mutating func finish() -> Action {
    state = .finished
    credential = nil
    return .finish
  }
}

extension [UInt8] {
  fileprivate var trimmingBlanks: ArraySlice<UInt8> {
    let isBlank: (UInt8) -> Bool = { $0 <= 0x20 }
    var slice = self[...]
    while let last = slice.last, isBlank(last) { slice.removeLast() }
    return slice.drop(while: isBlank)
  }
}
