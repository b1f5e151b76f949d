import MailCore
import SMTPWire

/// Does for one message what its ``SMTPWire/SubmissionMachine`` says.
struct SubmissionTransaction {
  let session: SMTPSession
  let plan: SubmissionPlan
  /// The transaction before this one was left open.
  let reset: Bool
  /// Set where the envelope has left already.
  let begun: SubmissionMachine?

  /// Bytes of the message read at once.
  private static let blockSize = 64 * 1024

  /// What the caller's functions threw, kept apart from what the connection throws.
  private struct CallerFailed: Error { var error: any Error }

  func run(
    body: @escaping (inout [UInt8]) throws -> Int, next: () -> SubmissionPlan?,
    recipientsKnown: ([RecipientAnswer]) throws -> Void, willEnd: () throws -> Void
  ) throws -> SubmissionOutcome {
    var machine =
      begun
      ?? SubmissionMachine(
        plan, extensions: session.extensions, allowsChunks: session.options.allowsChunks)
    var source = BodySource(read: body, blockSize: Self.blockSize)
    var action = begun == nil ? machine.start() : .read
    if case .finish(var outcome) = action {
      // Nothing was said, so the transaction before this one is still open.
      outcome.needsReset = reset
      return outcome
    }
    if begun == nil, reset {
      do {
        try session.write(SMTPCommand.reset.bytes)
        let reply = try session.reply(session.options.commandSeconds)
        if !reply.isPositive { action = machine.lost("“\(reply.words)” to RSET") }
      } catch {
        action = machine.lost(words(error))
      }
    }
    while true {
      do {
        if case .finish(let outcome) = action { return outcome }
        if case .recipientsKnown(let answers) = action {
          try caller { try recipientsKnown(answers) }
        }
        action = try step(action, &machine, &source, willEnd, next)
      } catch let failure as CallerFailed {
        throw failure.error
      } catch {
        action = machine.lost(words(error))
      }
    }
  }

  private func step(
    _ action: SubmissionMachine.Action, _ machine: inout SubmissionMachine,
    _ source: inout BodySource, _ willEnd: () throws -> Void, _ next: () -> SubmissionPlan?
  ) throws -> SubmissionMachine.Action {
    switch action {
    case .send(let bytes):
      try session.write(bytes)
      return machine.received(try session.reply(session.options.commandSeconds))
    case .read: return machine.received(try session.reply(session.options.commandSeconds))
    case .recipientsKnown:
      let next = machine.proceed()
      source.encoder = BodyEncoder(next == .sendChunk ? .plain : .dotStuffed)
      return next
    case .streamBody:
      while try caller({ try source.fill(atLeast: Self.blockSize) }) {
        if let early = try send(source.output[...], &machine) { return early }
      }
      return machine.streamed()
    case .sendChunk: return try sendChunk(&machine, &source, willEnd)
    case .dispatch:
      try caller(willEnd)
      return machine.dispatched()
    case .sendEnd:
      try session.write(source.encoder.finish(), logAs: "(end of the message)")
      if let plan = next() { session.announce(plan) }
      return machine.received(try session.reply(session.options.endSeconds))
    case .finish: return action
    }
  }

  private func sendChunk(
    _ machine: inout SubmissionMachine, _ source: inout BodySource, _ willEnd: () throws -> Void
  ) throws -> SubmissionMachine.Action {
    _ = try caller { try source.fill(atLeast: SubmissionMachine.chunkSize) }
    guard source.isAtEnd else {
      try session.write(SMTPCommand.chunk(source.output.count, isLast: false).bytes)
      if let early = try send(source.output[...], &machine) { return early }
      _ = machine.chunkSent()
      return machine.received(try session.reply(session.options.commandSeconds))
    }
    source.finish()
    let count = source.output.count
    let announced = SMTPCommand.chunk(count, isLast: true).bytes
    // As with the dot: the server cannot take the message before its last bytes, so all else goes first.
    let end = max(0, count - Self.lastPiece)
    if end > 0 {
      try session.write(announced)
      if let early = try send(source.output[..<end], &machine) { return early }
    }
    try caller(willEnd)
    _ = machine.dispatched()
    if end == 0 { try session.write(announced) }
    if end < count {
      try session.write(source.output[end...], logAs: "(the last \(count - end) bytes)")
    }
    return machine.received(try session.reply(session.options.endSeconds))
  }

  /// Bytes of the last chunk that are kept back until it is noted that they leave.
  private static let lastPiece = 1024

  /// In pieces, each with time of its own: a megabyte takes longer on a slow line than any of them. Where the server
  /// hangs up amid the message, it has often said why.
  private func send(_ bytes: ArraySlice<UInt8>, _ machine: inout SubmissionMachine) throws
    -> SubmissionMachine.Action?
  {
    var rest = bytes
    do {
      while !rest.isEmpty {
        let piece = rest.prefix(Self.blockSize)
        try session.write(piece, logAs: "(\(piece.count) bytes of the message)")
        rest = rest[piece.endIndex...]
      }
      return nil
    } catch {
      guard let reply = try? session.reply(2) else { throw error }
      return machine.interrupted(by: reply)
    }
  }

  private func caller<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch {
      throw CallerFailed(error: error)
    }
  }

  private func words(_ error: any Error) -> String {
    (error as? any Explained)?.explanation.problem ?? "\(error)"
  }
}

/// The message in the wire's form, some of it at a time, always in the same memory.
private struct BodySource {
  let read: (inout [UInt8]) throws -> Int
  var encoder = BodyEncoder(.dotStuffed)
  private(set) var isAtEnd = false
  /// What ``fill(atLeast:)`` brought last.
  private(set) var output: [UInt8] = []
  private var block: [UInt8]

  init(read: @escaping (inout [UInt8]) throws -> Int, blockSize: Int) {
    self.read = read
    block = [UInt8](repeating: 0, count: blockSize)
  }

  /// So many bytes or a block more, fewer at the end; false when there are none.
  mutating func fill(atLeast wanted: Int) throws -> Bool {
    output.removeAll(keepingCapacity: true)
    output.reserveCapacity(wanted + block.count + block.count / 16)
    while output.count < wanted, !isAtEnd {
      let count = try read(&block)
      guard count > 0 else {
        isAtEnd = true
        break
      }
      block.withUnsafeBytes {
        encoder.append(UnsafeRawBufferPointer(rebasing: $0[..<min(count, $0.count)]), to: &output)
      }
    }
    return !output.isEmpty
  }

  /// Adds what ends the body.
  mutating func finish() { output += encoder.finish() }
}
