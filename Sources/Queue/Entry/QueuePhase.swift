/// What changes about a queued message. A message without a phase file has ``init(recipients:)``'s.
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
  package var changed: QueueInstant?
  /// One for each of the envelope's, in its order.
  package var recipients: [RecipientResult]

  package init(recipients count: Int) {
    recipients = Array(repeating: RecipientResult(), count: count)
  }

  /// Recipients that still wait for an attempt, as indexes.
  package var open: [Int] { recipients.indices.filter { recipients[$0].state == .queued } }
  /// What must show in `status` and in exit statuses.
  package var hasRefusals: Bool {
    recipients.contains { $0.state == .refused || $0.state == .failed }
  }
}
