import IMAPWire

/// Commands that are sent early, after those under way, for the runs that come next: they find their answers waiting.
///
/// Only servers that are known to answer in order get such: one that reads on while it works (Stalwart starts a task for
/// each FETCH) would send the next mailbox's messages while this one's are awaited, under the same UIDs.
extension IMAPSession {
  /// Sends them, for the next run to begin with, or the one after those that were sent for before. Of a run that begins with
  /// others, none of the answers is lost: these pass by first, without anybody to hear them.
  ///
  /// - Returns: false where they cannot be sent without waiting; nothing was sent then.
  package func sendAhead(_ commands: [IMAPCommand]) throws -> Bool {
    guard stream != nil, families.contains(where: \.answersInOrder) else { return false }
    var texts: [[UInt8]] = []
    for command in commands {
      guard let text = try text(of: command) else { return false }
      texts.append(text)
    }
    guard hasRoom(for: texts.reduce(0) { $0 + $1.count }) else { return false }
    var nobody = Unheard()
    for (command, text) in zip(commands, texts) {
      try submit(command, index: nil, &nobody)
      inFlight[inFlight.count - 1].sentAhead = text
    }
    return true
  }

  /// Commands are under way that no run has come to yet.
  package var hasSentAhead: Bool { inFlight.contains { $0.sentAhead != nil } }

  /// Whether a run may have the command next: it was sent for it, or nothing was sent that comes after.
  package func isTurn(of command: IMAPCommand) throws -> Bool {
    guard let first = inFlight.first(where: { $0.sentAhead != nil }) else { return true }
    return try first.sentAhead == text(of: command)
  }

  /// Whether the command was sent already: then its answers are those of the run's command `index` from here on. Where
  /// another was, the answers of all that were sent ahead are let pass by.
  func isSentAhead(_ command: IMAPCommand, as index: Int, _ handler: inout some ResponseHandler)
    throws -> Bool
  {
    guard let place = inFlight.firstIndex(where: { $0.sentAhead != nil }) else { return false }
    if try isTurn(of: command) {
      inFlight[place].index = index
      inFlight[place].sentAhead = nil
      return true
    }
    // The server is in another mailbox by then.
    let opensMailbox = command.name == "SELECT" || command.name == "EXAMINE"
    guard opensMailbox || !inFlight.contains(where: { $0.sentAhead != nil && $0.isSelect })
    else { throw IMAPError.sessionOver }
    try flush()
    while hasSentAhead { try takeEvents(&handler) }
    return false
  }

  /// As it is sent, but for the tag; nil for one that is not sent at once.
  private func text(of command: IMAPCommand) throws -> [UInt8]? {
    var text: [UInt8] = []
    for step in try CommandEncoder(capabilities).encode(command, tag: CommandTag(0)) {
      guard case .send(let bytes) = step else { return nil }
      text += bytes
    }
    return text
  }
}
