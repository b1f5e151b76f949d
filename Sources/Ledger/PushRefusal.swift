/// A change that the server refused, and how often.
package struct PushRefusal: Sendable, Equatable {
  package var mailbox: Int64
  package var subject: RefusalSubject
  package var attempts: Int
  /// Unix seconds.
  package var lastAttempt: Int64
  package var reason: String

  package init(
    mailbox: Int64, subject: RefusalSubject, attempts: Int, lastAttempt: Int64, reason: String
  ) {
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
