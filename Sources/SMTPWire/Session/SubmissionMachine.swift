/// One mail transaction (RFC 5321 §3.3): MAIL, RCPT, and DATA or BDAT, pipelined where the server takes
/// that (RFC 2920).
///
/// Events in, actions out; no socket, no clock. The rule that matters: before the driver hands the end
/// of data to the system it has noted durably that it is about to; a connection lost before then sent
/// nothing, lost behind it leaves the outcome unknown.
package struct SubmissionMachine: Sendable {
  package enum Action: Sendable, Equatable {
    /// Send the bytes, then read a reply and give it to ``received(_:)``.
    case send([UInt8])
    /// Read another reply.
    case read
    /// Note what each recipient was told, then ``proceed()``.
    case recipientsKnown([RecipientAnswer])
    /// Stream the message, dot-stuffed, all but its end; then ``streamed()``.
    case streamBody
    /// Send the next chunk behind ``SMTPCommand/chunk(_:isLast:)``, and read a reply. If it is the
    /// last, note the end of data first and call ``dispatched()``.
    case sendChunk
    /// Note durably that the end of data is about to leave; then ``dispatched()``.
    case dispatch
    /// Send the body's end, then read a reply.
    case sendEnd
    case finish(SubmissionOutcome)
  }

  /// A command whose reply is due.
  private enum Pending: Sendable, Equatable {
    case mail
    case recipient(Int)
    case data
    /// The lone dot that ends a DATA to nobody.
    case emptyEnd
    case chunk
    case endOfData
  }

  private enum State: Sendable {
    case commands, recipientsTold, streaming, dispatching, chunks, ending, finished
  }

  private let plan: SubmissionPlan
  private let extensions: ServerExtensions
  private let usesChunks: Bool
  private var state = State.commands
  private var pending: ArraySlice<Pending> = []
  /// Commands that were not sent yet.
  private var waiting: ArraySlice<(Pending, SMTPCommand)> = []
  private var answers: [RecipientAnswer]
  private var verdict: SubmissionOutcome.Result?
  private var hasBegunMail = false
  /// MAIL was answered with yes at some time: the server had this transaction.
  private var wasBegun = false
  /// Some RCPT was: what follows would go to somebody.
  private var hasAnyRecipient = false
  private var isDataOpen = false
  private var isDispatched = false

  /// Replies that may be due at once: what we send meanwhile must fit into the network's buffers.
  static let pipelineDepth = 100
  /// From this size on BDAT is worth its commands: a server that has no room says so at a chunk.
  package static let chunkSize = 1024 * 1024

  package init(_ plan: SubmissionPlan, extensions: ServerExtensions, allowsChunks: Bool = true) {
    self.plan = plan
    self.extensions = extensions
    usesChunks = allowsChunks && extensions.chunking && plan.size > UInt64(Self.chunkSize)
    answers = Array(repeating: .notTried, count: plan.recipients.count)
  }

  // MARK: Events

  package mutating func start() -> Action {
    switch EnvelopeCommands.make(plan, extensions) {
    case .failure(let problem):
      verdict = .unsuitable(problem)
      return finish()
    case .success(let commands):
      waiting = [(.mail, commands.mail)]
      for (index, command) in commands.recipients.enumerated() {
        waiting.append((.recipient(index), command))
      }
      if !usesChunks { waiting.append((.data, .data)) }
      return sendMore()
    }
  }

  /// Begins behind the end of another message, before the answer to that is here (RFC 2920 §3.1):
  /// the whole envelope in one flight. From there on it goes as behind ``Action/read``.
  ///
  /// - Returns: nil where one flight is not enough, or the server cannot take this message.
  package mutating func startAhead() -> [UInt8]? {
    guard extensions.pipelining, case .send(let bytes) = start(), waiting.isEmpty else {
      return nil
    }
    return bytes
  }

  package mutating func received(_ reply: Reply) -> Action {
    guard state != .finished else { return finish() }
    guard let command = pending.popFirst() else {
      return lost("a reply that no command asked for: “\(reply.words)”")
    }
    if reply.endsSession, command != .endOfData { return sessionEnded(reply, command) }
    switch command {
    case .mail: heardMail(reply)
    case .recipient(let index): heard(reply, recipient: index)
    case .data: heardData(reply)
    case .emptyEnd: isDataOpen = false
    case .chunk: return heardChunk(reply)
    case .endOfData: return heardEnd(reply)
    }
    return next()
  }

  /// After ``Action/recipientsKnown(_:)``.
  package mutating func proceed() -> Action {
    guard state == .recipientsTold else { return lost("out of turn") }
    state = usesChunks ? .chunks : .streaming
    return usesChunks ? .sendChunk : .streamBody
  }

  package mutating func streamed() -> Action {
    guard state == .streaming else { return lost("out of turn") }
    state = .dispatching
    return .dispatch
  }

  /// It is on disk that the end of data may have left.
  package mutating func dispatched() -> Action {
    isDispatched = true
    state = .ending
    pending = [.endOfData]
    return .sendEnd
  }

  /// A chunk that is not the last is about to be sent.
  package mutating func chunkSent() -> Action {
    pending = [.chunk]
    return .read
  }

  /// Sending the body failed, and this reply was there to read: why the server would have no more of it.
  package mutating func interrupted(by reply: Reply) -> Action {
    guard state == .streaming || state == .chunks else { return lost("out of turn") }
    guard reply.isRefusal || reply.isDeferral else {
      return lost("“\(reply.words)” amid the message")
    }
    judge("the message", reply)
    return finish(isUsable: false)
  }

  /// The connection died, timed out, or said what is no SMTP.
  package mutating func lost(_ reason: String) -> Action {
    if case .finished = state { return finish() }
    verdict = isDispatched ? .unknown(reason) : .lost(reason)
    return finish(isUsable: false)
  }

  // MARK: Commands out

  private mutating func sendMore() -> Action {
    var bytes: [UInt8] = []
    let depth = extensions.pipelining ? Self.pipelineDepth : 1
    while pending.count < depth, let (expected, command) = waiting.first {
      waiting.removeFirst()
      pending.append(expected)
      bytes += command.bytes
    }
    return .send(bytes)
  }

  /// What follows once a reply was taken in.
  private mutating func next() -> Action {
    if !pending.isEmpty { return .read }
    if verdict != nil { waiting = [] }
    dropPointlessCommands()
    if !waiting.isEmpty { return sendMore() }
    return commandsDone()
  }

  /// Without an accepted recipient DATA is not even asked for, unless it is already on its way.
  private mutating func dropPointlessCommands() {
    guard case .data? = waiting.first?.0, !hasRecipient else { return }
    waiting = []
  }

  private mutating func commandsDone() -> Action {
    guard verdict == nil, hasRecipient else {
      if isDataOpen {
        // A dot would be an empty message to those that the server has taken all the same.
        if hasAnyRecipient {
          verdict = verdict ?? .noRecipient
          return finish(isUsable: false)
        }
        // RFC 2920 §3.1: the server said go ahead to a message for nobody.
        isDataOpen = false
        pending = [.emptyEnd]
        return .send([UInt8(ascii: "."), 0x0D, 0x0A])
      }
      verdict = verdict ?? .noRecipient
      return finish()
    }
    guard usesChunks || isDataOpen else { return lost("no answer to DATA") }
    state = .recipientsTold
    return .recipientsKnown(answers)
  }

  // MARK: Replies in

  private var hasRecipient: Bool {
    answers.contains { if case .accepted = $0 { true } else { false } }
  }

  private mutating func heardMail(_ reply: Reply) {
    hasBegunMail = reply.isPositive
    if reply.isPositive { wasBegun = true }
    if !reply.isPositive { judge("MAIL", reply) }
  }

  private mutating func heard(_ reply: Reply, recipient index: Int) {
    if reply.isPositive { hasAnyRecipient = true }
    // Behind a refused MAIL every RCPT is a bad sequence: that says nothing about the recipient.
    guard verdict == nil else { return }
    if reply.isPositive {
      answers[index] = .accepted(reply)
    } else if reply.meansTooManyRecipients, hasRecipient {
      answers[index] = .notTried
    } else if reply.isRefusal {
      answers[index] = .refused(reply)
    } else {
      answers[index] = .deferred(reply)
    }
  }

  private mutating func heardData(_ reply: Reply) {
    if reply.isIntermediate {
      isDataOpen = true
    } else if verdict == nil, hasRecipient {
      judge("DATA", reply)
    }
  }

  private mutating func heardChunk(_ reply: Reply) -> Action {
    guard !reply.isPositive else { return .sendChunk }
    judge("the message", reply)
    return finish()
  }

  private mutating func heardEnd(_ reply: Reply) -> Action {
    hasBegunMail = false
    switch reply.code {
    case 200...299: verdict = .accepted(reply)
    case 300...399:
      // Neither yes nor no, and the bytes have left.
      verdict = .unknown("“\(reply.words)” to the end of the message")
      return finish(isUsable: false)
    default: judge("the message", reply)
    }
    return finish(isUsable: !reply.endsSession)
  }

  private mutating func judge(_ command: String, _ reply: Reply) {
    if reply.isRefusal {
      verdict = .refused(command: command, reply)
    } else if reply.isDeferral {
      verdict = .deferred(command: command, reply)
    } else {
      verdict = .lost("“\(reply.words)” to \(command)")
    }
  }

  private mutating func sessionEnded(_ reply: Reply, _ command: Pending) -> Action {
    let name =
      switch command {
      case .mail: "MAIL"
      case .recipient: "RCPT"
      case .data, .emptyEnd: "DATA"
      case .chunk, .endOfData: "the message"
      }
    if command == .emptyEnd { return finish(isUsable: false) }
    verdict = verdict ?? .deferred(command: name, reply)
    return finish(isUsable: false)
  }

  private mutating func finish(isUsable: Bool = true) -> Action {
    state = .finished
    waiting = []
    let result = verdict ?? .lost("the transaction did not begin")
    verdict = result
    var isUsable = isUsable
    if case .lost = result { isUsable = false }
    if isDataOpen, !isDispatched { isUsable = false }
    if !pending.isEmpty { isUsable = false }
    return .finish(
      SubmissionOutcome(
        recipients: answers, result: result, isConnectionUsable: isUsable,
        needsReset: hasBegunMail, wasBegun: wasBegun))
  }
}
