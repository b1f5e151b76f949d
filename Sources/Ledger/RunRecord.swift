/// One run as it went, for `mirror status`.
package struct RunRecord: Codable, Sendable, Equatable {
  package var kind: String
  /// Unix seconds.
  package var started: Int64
  package var ended: Int64
  package var exitStatus: Int32
  /// The summary as JSON.
  package var summary: String

  package init(kind: String, started: Int64, ended: Int64, exitStatus: Int32, summary: String) {
    self.kind = kind
    self.started = started
    self.ended = ended
    self.exitStatus = exitStatus
    self.summary = summary
  }
}

/// A message, or a whole mailbox, that could not be pulled and is tried again on the next run.
package struct FailureRecord: Codable, Sendable, Equatable {
  package var mailbox: MailboxKey
  /// Nil for the mailbox itself.
  package var uid: UInt32?
  package var attempts: Int
  /// Unix seconds.
  package var lastAttempt: Int64
  package var reason: String
  /// So many messages beyond this one could not be pulled for the same reason.
  package var others = 0
  /// The connection was lost each time the message was asked for: it is asked for last, and by itself.
  package var isCut = false

  /// Whether a message that is missed may be this one, or in this mailbox. What waits for it had better not wait for ever:
  /// after three runs only a file that has its name does.
  package var isAwaited: Bool { attempts <= 3 }
  /// The mailbox that could not be opened for so long.
  package var closedMailbox: MailboxKey? { uid == nil && !isAwaited ? mailbox : nil }

  package init(mailbox: MailboxKey, uid: UInt32?, attempts: Int, lastAttempt: Int64, reason: String)
  {
    self.mailbox = mailbox
    self.uid = uid
    self.attempts = attempts
    self.lastAttempt = lastAttempt
    self.reason = reason
  }
}
