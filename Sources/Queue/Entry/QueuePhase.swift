/// What changes about a queued message.
package struct QueuePhase: Sendable, Hashable {
  package var state = QueueState.queued
  /// Set while the state is `sending`.
  package var step: SendingStep?
  /// Those that reached the server and did not succeed at once.
  package var attempts = 0
  package var firstReached: QueueInstant?
  package var nextAttempt: QueueDue?
  package var error: String?
  /// The server's words on accepting it, which often name its own queue id.
  package var receipt: String?
  package var copy = SentCopy.undecided
  /// How often the end of it has left for the server and was not refused: as many servers may have it.
  package var handedOver = 0
  package var changed: QueueInstant?
  /// One for each of the envelope's, in its order.
  package var recipients: [RecipientResult]

  package init(recipients count: Int) {
    recipients = Array(repeating: RecipientResult(), count: count)
  }

  /// Recipients that still wait for an attempt, as indexes.
  package var open: [Int] { recipients.indices.filter { recipients[$0].state == .queued } }
  /// Those of them that this attempt has not come to: a transaction was full before.
  package var untried: [Int] { open.filter { recipients[$0].reply == nil } }
  /// Recipients who have it, or may have it.
  package var mayHaveArrived: Bool {
    handedOver > 0 || recipients.contains { $0.state == .sent || $0.state == .unknown }
  }
  package var hasUnknown: Bool { recipients.contains { $0.state == .unknown } }
  /// What must show in `status` and in exit statuses.
  package var hasRefusals: Bool {
    recipients.contains { $0.state == .refused || $0.state == .failed }
  }
}

/// Why a message is held, where that is no news to the user.
package enum HoldReason {
  package static let byHand = "held by hand"
  /// Until its editor is closed; what a killed editor leaves is told.
  package static let edited = "being edited"
}
