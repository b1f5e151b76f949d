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
  /// Recipients who did not get it, and of whom the user wants to hear no more: to them it is never sent again.
  package var givenUp: Set<Int> = []
  /// The reports of servers further on that were noted: none counts twice. Where there is one, a server had taken it.
  package var bounces: [String] = []
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
  /// What must show in `status` and in exit statuses, until it is dealt with.
  package var hasRefusals: Bool {
    recipients.indices.contains { index in
      let state = recipients[index].state
      return (state == .refused || state == .failed) && !givenUp.contains(index)
    }
  }
  /// A server has it, or had it before it came back: there may be a copy of it in Sent, and one belongs there.
  package var wasTaken: Bool {
    !bounces.isEmpty || recipients.contains { $0.state == .sent }
  }
}

/// Why a message is held, where that is no news to the user.
package enum HoldReason {
  package static let byHand = "held by hand"
  /// Until its editor is closed; what a killed editor leaves is told.
  package static let edited = "being edited"
  /// It was edited while nobody could tell whether it had been sent: that is no clearer now.
  package static let mayHaveGone = "it was edited, and may have been sent before that"
}
