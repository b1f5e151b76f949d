/// A change that the server refused, and how often.
package struct PushRefusal: Sendable, Equatable {
  package var mailbox: MailboxKey
  package var subject: RefusalSubject
  /// 0 for one of which only the words are kept, and that each push asks for again.
  package var attempts: Int
  /// Unix seconds.
  package var lastAttempt: Int64
  package var reason: String
  /// What stands in the way, where the server tells it by a code: what a person can do about it.
  package var obstacle: Obstacle?

  package enum Obstacle: String, Sendable {
    /// A limit of the server's own, such as that of keywords in a mailbox.
    case limit
    /// The quota.
    case room
    /// The message is larger than the server takes.
    case size
  }

  package init(
    mailbox: MailboxKey, subject: RefusalSubject, attempts: Int, lastAttempt: Int64, reason: String,
    obstacle: Obstacle? = nil
  ) {
    self.obstacle = obstacle
    self.mailbox = mailbox
    self.subject = subject
    self.attempts = attempts
    self.lastAttempt = lastAttempt
    self.reason = reason
  }

  /// So often refused, a thing is not asked for again.
  package static let most = 3

  /// Of a message that the server no longer had.
  package var isLost: Bool { if case .lost = subject { true } else { false } }
}
