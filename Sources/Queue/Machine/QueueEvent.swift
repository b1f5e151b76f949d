/// What can happen to a queued message. Texts are the server's words, or ours, for people.
package enum QueueEvent: Sendable, Equatable {
  // The one who sends.
  case claim
  /// Connected and logged in: from here on it counts as an attempt.
  case reached
  /// The same for what follows at once, for recipients that a transaction had no room for.
  case continued
  /// The answers at RCPT, by recipient; the body follows if one of them is `offered`.
  case recipients([Int: RecipientResult])
  /// The same where the connection ended, or the server ended it, before all were answered and before one was
  /// taken: an attempt that failed, for this reason.
  case brokenOff([Int: RecipientResult], String)
  /// To be on disk before the final dot, or BDAT LAST, is handed to the system.
  case dispatching
  case accepted(receipt: String)
  /// 5yz at MAIL, DATA or the dot: for all that are open.
  case refused(String)
  /// 4yz, or the connection lost, before or at an answer to the dot that came.
  case deferred(String)
  /// The connection died, or was never made (offline, log-in refused), or the one who sent died; what that means
  /// depends on the step.
  case lost(String, ownerDied: Bool)

  // Time.
  case expired

  // The user, and the looks into Sent.
  case hold(String)
  /// The entry came out of a backup, or from another machine: it may have been sent since.
  case restored(String)
  /// Goes on where it was held.
  case release
  /// Sends it again from the start, to all but those who have it or were given up.
  case retry
  /// What was unknown of it was found at the provider.
  case foundSent(String)
  /// A server that had taken it says in a message, known by `report`, that it did not reach these recipients, and why.
  /// Of those who have no message that could have come back only the report is noted: it says nothing of what they are
  /// sent after it.
  case bounced(report: String, [Int: String])
  /// Some have it, and the user gives the others up, for this reason: it stays what was sent to some.
  case dealtWith(String)
  case copy(SentCopy)
}

/// An event that the state does not allow.
package struct QueueTransitionError: Error, Equatable, Sendable {
  package var state: QueueState
  package var event: QueueEvent
}

/// Whether a message's turn has come.
package enum QueueReadiness: Sendable, Equatable {
  case now
  /// An explicit push tries it all the same.
  case later
  /// To be given ``QueueEvent/expired``.
  case expired
  /// Failed, unknown, held, in hand, or sent.
  case no
}
