/// Where a message stands on its way out.
package enum QueueState: String, Sendable, Hashable, CaseIterable {
  /// Waits for a push, or for the time of its next attempt.
  case queued
  /// A push has it in hand: ``SendingStep`` tells how far.
  case sending
  /// Every recipient has its final answer, and one at least was accepted.
  case sent
  /// No recipient was accepted, and no further attempt will be made by itself.
  case failed
  /// The connection died behind the final dot: the server may have it or not. Parked; never sent
  /// again without the user's word.
  case unknown
  /// Parked by hand, after a restore, or for damage, until it is released.
  case held
}

/// How far a message in hand has come. Up to `body` the server cannot have accepted it.
package enum SendingStep: String, Sendable, Hashable, CaseIterable {
  /// Taken by a push that has not yet reached the server.
  case claimed
  /// Connected and logged in; MAIL and RCPT are under way.
  case recipients = "rcpt"
  /// The message's bytes are on their way.
  case body
  /// The final dot, or BDAT LAST, is about to leave or has left.
  case endOfData = "end-of-data"
}

/// One recipient's part of the outcome.
package enum RecipientState: String, Sendable, Hashable, CaseIterable {
  case queued
  /// Accepted at RCPT in a transaction that is not over.
  case offered
  case sent
  /// Refused by the server for good (5yz).
  case refused
  /// Given up after the last attempt.
  case failed
  case unknown

  /// Whether nothing more will happen by itself.
  package var isFinal: Bool {
    switch self {
    case .sent, .refused, .failed: true
    case .queued, .offered, .unknown: false
    }
  }
}

package struct RecipientResult: Sendable, Hashable {
  package var state: RecipientState
  /// The server's last words on this recipient, or ours; as they came, bounded.
  package var reply: String?

  package init(state: RecipientState = .queued, reply: String? = nil) {
    self.state = state
    self.reply = reply.map { String($0.unicodeScalars.prefix(500)) }
  }

  /// It was taken for this recipient, and a server further on reported later that it did not arrive.
  package var cameBack: Bool {
    state == .refused && reply?.hasPrefix(Self.bounced) == true
  }
  static let bounced = "bounced: "
}

/// What became of the copy in the Sent mailbox.
package enum SentCopy: String, Sendable, Hashable, CaseIterable {
  case undecided
  /// An APPEND may have left: look for the copy before another.
  case appending
  /// It is there, or the provider files it.
  case filed
}
