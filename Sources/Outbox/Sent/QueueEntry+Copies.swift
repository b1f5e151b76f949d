import Queue

extension QueueEntry {
  /// It went out, as did what came back from everybody, and its copy is not known to be filed.
  var awaitsCopy: Bool { phase.copy != .filed && phase.state != .sending && phase.wasTaken }

  /// A copy that is found proves only that it left once. So it is none for a message whose end has left
  /// more than once, which some have already, or whose Message-ID others of the queue have, too.
  func mayBeProven(among entries: [QueueEntry]) -> Bool {
    guard phase.hasUnknown, phase.state != .sending, phase.handedOver == 1,
      !phase.recipients.contains(where: { $0.state == .sent }), let envelope
    else { return false }
    return !entries.contains { $0.id != id && $0.envelope?.messageID == envelope.messageID }
  }
}

extension [QueueEntry] {
  /// Those for which a run that files copies has something to do.
  package var awaitingCopies: Set<QueueID> {
    Set(filter { $0.awaitsCopy || $0.mayBeProven(among: self) }.map(\.id))
  }
}
