import IMAPWire

/// Commands that are sent early, after those under way, for the run that comes next: it finds its answers waiting.
///
/// Only servers that are known to answer in order get such: one that reads on while it works (Stalwart starts a task for
/// each FETCH) would send the next mailbox's messages while this one's are awaited, under the same UIDs.
extension IMAPSession {
  /// Sends them, for the next run to begin with. Of a run that begins with others, none of the answers is lost: these pass
  /// by first, without anybody to hear them.
  ///
  /// - Returns: false where they cannot be sent without waiting; nothing was sent then.
  package func sendAhead(_ commands: [IMAPCommand]) throws -> Bool {
    guard stream != nil, families.contains(where: \.answersInOrder),
      !inFlight.contains(where: { $0.sentAhead != nil })
    else { return false }
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

  /// Whether the command was sent already: then its answers are those of the run's command `index` from here on. Where
  /// another was, the answers of all that were sent ahead are let pass by.
  func isSentAhead(_ command: IMAPCommand, as index: Int, _ handler: inout some ResponseHandler)
    throws -> Bool
  {
    guard let place = inFlight.firstIndex(where: { $0.sentAhead != nil }) else { return false }
    if let text = inFlight[place].sentAhead, try text == self.text(of: command) {
      inFlight[place].index = index
      inFlight[place].sentAhead = nil
      return true
    }
    try flush()
    while inFlight.contains(where: { $0.sentAhead != nil }) { try takeEvents(&handler) }
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
