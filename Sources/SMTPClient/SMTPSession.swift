import MailCore
import SASL
import SMTPWire
import Transport

/// One connection to a submission server, blocking, confined to one thread.
///
/// `open()` logs in; then `submit` as often as ``isUsable`` holds; then `quit()`.
package final class SMTPSession {
  package let options: SMTPSessionOptions
  private let connect: () throws -> any ByteStream
  private let credential: () throws -> Secret
  private(set) var stream: (any ByteStream)?
  private var parser = ReplyParser()
  private let room = ReceiveRoom()
  private var needsReset = false
  private var transactions = 0
  private var ahead: Ahead?

  /// A message whose envelope has left already, behind the end of the one before.
  private struct Ahead {
    var plan: SubmissionPlan
    var machine: SubmissionMachine
  }

  package private(set) var extensions = ServerExtensions()
  /// The server's own words at the start: they often tell which software it is.
  package private(set) var greeting = ""
  /// Whether another message may be submitted on this connection.
  package private(set) var isUsable = false
  /// Of the log-in: no word that the server says leaves the session with its secret in it.
  private var mask = SecretMask()

  /// - Parameters:
  ///   - connect: makes the connection; with implicit TLS, the handshake done.
  ///   - credential: asked once the server is ready to hear it; never without need.
  package init(
    options: SMTPSessionOptions, connect: @escaping () throws -> any ByteStream,
    credential: @escaping () throws -> Secret
  ) {
    self.options = options
    self.connect = connect
    self.credential = credential
  }

  deinit { stream?.close() }

  // MARK: Opening

  /// Connects and logs in, once.
  ///
  /// - Throws: ``SMTPError``, `TransportError`, `SASLError`, or what the credential function throws.
  package func open() throws {
    guard stream == nil else { throw SMTPError.sessionOver }
    do {
      let stream = try connect()
      self.stream = stream
      let mayTalk =
        options.opening.wantsStartTLS || stream.isEncrypted || stream.isPeerLoopback
      guard mayTalk else { throw SMTPError.plaintextRefused }
      try run(stream)
      isUsable = true
    } catch {
      close()
      throw error
    }
  }

  private func run(_ stream: any ByteStream) throws {
    var machine = OpeningMachine(options.opening)
    defer { stream.hidesTraffic = false }
    var action = try machine.received(try reply(options.greetingSeconds))
    while true {
      switch action {
      case .send(let command):
        stream.hidesTraffic = command.verb == "AUTH"
        try write(command.bytes, logAs: command.isSecret ? "\(command.verb) …" : nil)
        action = try machine.received(try reply(options.commandSeconds))
      case .answer(let line):
        mask.hide(answer: line)
        stream.hide(mask)
        try write(line + [0x0D, 0x0A], logAs: "…")
        action = try machine.received(try reply(options.commandSeconds))
      case .startTLS:
        guard parser.buffered == 0 else { throw SMTPError.startTLSInjected }
        try stream.startTLS(before: .after(seconds: options.commandSeconds))
        action = machine.startedTLS()
      case .needCredential: action = try authenticate(stream, &machine)
      case .finish:
        extensions = machine.extensions
        greeting = machine.greeting
        return
      }
    }
  }

  private func authenticate(_ stream: any ByteStream, _ machine: inout OpeningMachine) throws
    -> OpeningMachine.Action
  {
    guard stream.isEncrypted || stream.isPeerLoopback else { throw SMTPError.plaintextRefused }
    let secret = try options.credentialKind == .none ? Secret("") : credential()
    let credential = SASLCredential(
      user: options.user, secret: secret, kind: options.credentialKind)
    mask = SecretMask(credential, host: options.host, port: options.port)
    stream.hide(mask)
    let context = SASLContext(
      host: options.host, port: options.port, isEncrypted: stream.isEncrypted,
      channelBinding: stream.preferredChannelBinding, digests: options.digests)
    return try machine.authenticate(with: credential, context: context)
  }

  // MARK: Submitting

  /// Submits one message.
  ///
  /// - Parameters:
  ///   - body: fills its buffer with the message's next bytes, line ends LF; 0 at the end.
  ///   - next: is asked, once the end of this message has left, which one follows: where the server takes that,
  ///     its envelope leaves before the answer is here, which saves a round trip. Nothing of its text does: to
  ///     submit another message then, or none, costs the connection and no more.
  ///   - recipientsKnown: is told what each recipient was answered, before the body leaves.
  ///   - willEnd: is called when all but the end of the message has left, and has to make durable that
  ///     the end is about to. What it throws stops the end from leaving.
  /// - Returns: what became of it; a lost connection is an outcome, too.
  /// - Throws: only what the three functions throw, and ``SMTPError/sessionOver``: then nothing was
  ///   sent, and the session is over.
  package func submit(
    _ plan: SubmissionPlan, body: @escaping (inout [UInt8]) throws -> Int,
    next: () -> SubmissionPlan? = { nil },
    recipientsKnown: ([RecipientAnswer]) throws -> Void = { _ in },
    willEnd: () throws -> Void
  ) throws -> SubmissionOutcome {
    guard isUsable else { throw SMTPError.sessionOver }
    isUsable = false
    let begun = ahead
    ahead = nil
    if let begun, begun.plan != plan {
      close()
      return SubmissionOutcome(
        recipients: plan.recipients.map { _ in .notTried },
        result: .lost("another message was announced to the server"), isConnectionUsable: false,
        needsReset: false)
    }
    transactions += 1
    let limit = extensions.maximumMessages ?? .max
    let mayGoOn = transactions < limit
    let transaction = SubmissionTransaction(
      session: self, plan: plan, reset: needsReset, begun: begun?.machine)
    do {
      let outcome = try transaction.run(
        body: body, next: { mayGoOn ? next() : nil }, recipientsKnown: recipientsKnown,
        willEnd: willEnd)
      // The server was told nothing of what it cannot take, and so it does not count there either.
      if case .unsuitable = outcome.result { transactions -= 1 }
      isUsable = outcome.isConnectionUsable && transactions < limit
      needsReset = outcome.needsReset
      if !outcome.isConnectionUsable { close() }
      return outcome
    } catch {
      close()
      throw error
    }
  }

  /// Lets the envelope of the next message leave now, if it can. A connection that is gone shows at the answer
  /// that is awaited.
  func announce(_ plan: SubmissionPlan) {
    var machine = SubmissionMachine(
      plan, extensions: extensions, allowsChunks: options.allowsChunks)
    guard let bytes = machine.startAhead() else { return }
    try? write(bytes)
    ahead = Ahead(plan: plan, machine: machine)
  }

  /// Says QUIT, does not wait for the answer, and closes. Where the server waits for a message's text, it only closes.
  package func quit() {
    if isUsable, ahead == nil { try? write(SMTPCommand.quit.bytes, seconds: 1) }
    close()
  }

  /// Closes without a word.
  package func close() {
    isUsable = false
    ahead = nil
    stream?.close()
    stream = nil
  }

  // MARK: Bytes

  /// Reads one reply; the deadline is for the whole of it.
  func reply(_ seconds: Double) throws -> Reply {
    let deadline = Deadline.after(seconds: seconds)
    while true {
      do throws(ReplyError) {
        if let reply = try parser.next() { return reply.masked(by: mask) }
      } catch {
        throw SMTPError.protocolViolation(mask.masked(error.words))
      }
      guard let stream else { throw SMTPError.sessionOver }
      let count = try stream.read(into: room.bytes, before: deadline, extendedBy: seconds)
      if count == 0 { throw SMTPError.connectionLost }
      parser.feed(UnsafeRawBufferPointer(rebasing: room.bytes[..<count]))
    }
  }

  func write(_ bytes: [UInt8], logAs: String? = nil, seconds: Double? = nil) throws {
    try write(bytes[...], logAs: logAs, seconds: seconds)
  }

  func write(_ bytes: ArraySlice<UInt8>, logAs: String? = nil, seconds: Double? = nil) throws {
    guard let stream else { throw SMTPError.sessionOver }
    try bytes.withUnsafeBytes {
      try stream.write(
        $0, before: .after(seconds: seconds ?? options.blockSeconds), logAs: logAs)
    }
  }
}

/// Memory for what comes in.
private final class ReceiveRoom {
  let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 * 1024, alignment: 16)
  deinit { bytes.deallocate() }
}

extension Reply {
  /// Cuts the secret out of what people may come to read; a challenge is data.
  fileprivate func masked(by mask: SecretMask) -> Reply {
    guard code != 334, !mask.isEmpty else { return self }
    // Together, since a server may have broken what it repeats into lines.
    let words = lines.joined(separator: "\n")
    let shown = mask.masked(words)
    guard shown != words else { return self }
    return Reply(
      code: code, enhanced: enhanced,
      lines: shown.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
  }
}

extension ReplyError {
  var words: String {
    switch self {
    case .malformed(let line): "“\(line)” is no reply"
    case .tooLong: "a reply without end"
    }
  }
}
