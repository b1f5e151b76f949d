import IMAPWire
import MailCore
import Transport

extension IMAPSession {
  /// Unanswered command bytes that may be under way. A server that waits for us to read takes in less
  /// than this without stalling us both.
  private static let unansweredLimit = 16 * 1024

  /// Sends the commands without waiting in between, and returns when all are completed.
  ///
  /// - Throws: what ends the connection, or what the handler threw. The session is over then.
  package func run(_ commands: [IMAPCommand], handler: inout some ResponseHandler) throws {
    var rest = commands[...]
    try pipeline(depth: .max, next: { rest.popFirst() }, handler: &handler)
  }

  /// Keeps up to `depth` commands in flight, asking `next` whenever there is room. Nil means nothing just now:
  /// it is asked again after each completion, and with nothing in flight it means done.
  package func pipeline(
    depth: Int, next: () throws -> IMAPCommand?, handler: inout some ResponseHandler
  ) throws {
    guard isUsable else { throw IMAPError.sessionOver }
    isUsable = false  // unless this ends well
    try dropAhead()
    try submitPreamble(&handler)
    var index = 0
    while true {
      var isExhausted = false
      while !isExhausted, hasRoom(depth) {
        guard let command = try next() else {
          isExhausted = true
          break
        }
        if try !isSentAhead(command, as: index, &handler) {
          try submit(command, index: index, &handler)
        }
        index += 1
      }
      try flush()
      if inFlight.allSatisfy({ $0.sentAhead != nil }) {
        guard isExhausted else { continue }
        isUsable = true
        return
      }
      try takeEvents(&handler)
    }
  }

  /// Runs one command that must succeed and whose data does not matter.
  @discardableResult
  package func execute(_ command: IMAPCommand) throws -> TaggedResult {
    var outcome = Outcome()
    try run([command], handler: &outcome)
    guard let result = outcome.result else { throw IMAPError.sessionOver }
    guard result.isOK else { throw IMAPError(refusing: command.name, result) }
    return result
  }

  private struct Outcome: ResponseHandler {
    var result: TaggedResult?
    mutating func completed(_ command: Int, _ result: TaggedResult) { self.result = result }
  }

  /// COMPRESS=DEFLATE (RFC 4978): one round trip, then both directions are compressed.
  ///
  /// - Returns: false where the server refuses; the session goes on without.
  package func startCompression() throws -> Bool {
    guard capabilities.contains(.compressDeflate) else { return false }
    var outcome = Outcome()
    try run([.compress], handler: &outcome)
    guard let stream, outcome.result?.isOK == true else { return false }
    do {
      try stream.startCompression(alreadyRead: parser.takeBuffered())
    } catch {
      isUsable = false
      throw error
    }
    announced.remove(.compressDeflate)
    applyQuirks()
    return true
  }

  // MARK: Sending

  private func hasRoom(_ depth: Int) -> Bool {
    let count = inFlight.count { $0.sentAhead == nil }
    return count == 0 || (count < max(depth, 1) && unanswered < Self.unansweredLimit)
  }

  func hasRoom(for bytes: Int) -> Bool { unanswered + bytes < Self.unansweredLimit }

  func submitPreamble(_ handler: inout some ResponseHandler) throws {
    let commands = preamble
    preamble = []
    for command in commands { try submit(command, index: nil, &handler) }
  }

  func submit(
    _ command: IMAPCommand, index: Int?, _ handler: inout some ResponseHandler
  ) throws {
    let tag = nextTag()
    let steps = try CommandEncoder(capabilities).encode(command, tag: tag)
    inFlight.append(
      Pending(
        tag: tag, index: index, name: command.name, mayTakeLong: command.mayTakeLong, size: 0))
    switch command.name {
    case "SELECT", "EXAMINE": hasSelected = true
    case "UNSELECT": hasSelected = false
    default: break
    }
    for step in steps {
      switch step {
      case .send(let bytes):
        outgoing += bytes
        unanswered += bytes.count
        if let last = inFlight.lastIndex(where: { $0.tag == tag }) {
          inFlight[last].size += bytes.count
        }
        if outgoing.count > Self.unansweredLimit { try flush() }
      case .awaitContinuation:
        try flush()
        isAwaitingContinuation = true
        while isAwaitingContinuation, inFlight.contains(where: { $0.tag == tag }) {
          try takeEvent(&handler)
        }
        // Refused already: the server waits for no literal.
        if isAwaitingContinuation {
          isAwaitingContinuation = false
          return
        }
      case .stream(let source):
        if let last = inFlight.lastIndex(where: { $0.tag == tag }) {
          inFlight[last].streamed += source.size
        }
        try send(source)
      }
    }
  }

  private func send(_ source: IMAPCommand.Source) throws {
    try flush()
    guard let stream else { throw IMAPError.sessionOver }
    var left = source.size
    try source.write { bytes in
      left -= bytes.count
      guard left >= 0 else { return }
      try stream.write(
        bytes, before: .after(seconds: options.pieceSeconds), logAs: "\(bytes.count) bytes")
    }
    // The server counts on the size that was announced; the connection can't be mended.
    guard left == 0 else {
      throw IMAPError.protocolViolation("a message whose size changed while it was sent")
    }
  }

  // MARK: Receiving

  /// Takes what has arrived, at least one event, and stops when nothing is in flight: what follows
  /// COMPRESS's completion is for inflate, not for the parser.
  func takeEvents(_ handler: inout some ResponseHandler) throws {
    let before = inFlight.count
    repeat { try takeEvent(&handler) } while !inFlight.isEmpty && inFlight.count == before
  }

  private func takeEvent(_ handler: inout some ResponseHandler) throws {
    let event = try nextEvent(seconds: patience)
    let command = inFlight.first?.index
    let isHeard = inFlight.first?.sentAhead == nil
    switch event {
    case .untagged(let response):
      note(response)
      if case .status(.bye, let text) = response { throw IMAPError.bye(text.text) }
      noteEndOfMailbox(response)
      if let command, !awaitsNextMailbox || !response.isOfMessages {
        try handler.received(response, during: command)
      }
    case .bodyBegins(let data, let section, let size):
      if isHeard { try handler.bodyBegins(data, section: section, size: size) }
    case .bodyBytes(let bytes): if isHeard { try handler.bodyBytes(bytes) }
    case .bodyEnds: if isHeard { try handler.bodyEnds() }
    case .fetched(let data):
      unreadableItems.formUnion(data.unreadable)
      if isHeard, !awaitsUnselect, !awaitsNextMailbox {
        try handler.fetched(data, during: command ?? 0)
      }
    case .continuation: isAwaitingContinuation = false
    case .tagged(let tag, let result): try complete(tag, result, &handler)
    }
  }

  /// How long the server may send nothing. What it may have to do counts for the whole flight: some servers answer earlier
  /// commands only when they have nothing more to do.
  private var patience: Double {
    let longest = inFlight.reduce(silenceSeconds) { longest, command in
      guard command.mayTakeLong else { return longest }
      let bytes = Double(command.size + command.streamed)
      return max(longest, options.workSeconds + bytes / options.bytesASecond)
    }
    return min(longest, doubtSeconds ?? longest)
  }

  private func complete(
    _ tag: CommandTag?, _ result: TaggedResult, _ handler: inout some ResponseHandler
  ) throws {
    // Servers may answer out of order; a tag that is none of ours belongs to nothing.
    guard let place = inFlight.firstIndex(where: { $0.tag == tag }) else { return }
    // What follows is of another mailbox, and nothing of it may be taken for what is still awaited.
    if inFlight[place].sentAhead != nil, inFlight[..<place].contains(where: { $0.sentAhead == nil })
    {
      throw IMAPError.protocolViolation("an answer before its turn")
    }
    let pending = inFlight.remove(at: place)
    unanswered -= pending.size
    if pending.isSelect {
      tellsOfMailbox = result.isOK
    } else if pending.name == IMAPCommand.unselect.name {
      tellsOfMailbox = false
    }
    if case .capability(let set) = result.code { noteCapabilities(set) }
    noteAlert(result.code, result.text)
    guard let index = pending.index else { return }
    doubtSeconds = nil
    try handler.completed(index, result)
  }
}
