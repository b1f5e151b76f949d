import MailCore

/// What a person asked for though the window leaves it out. It stays from then on.
package struct BeyondWindow: Sendable, Equatable {
  /// What arrived from this moment on (Unix seconds).
  package var since: Int64?
  /// One by one.
  package var messages: [MailboxName: UIDSet]

  package init(since: Int64? = nil, messages: [MailboxName: UIDSet] = [:]) {
    self.since = since
    self.messages = messages
  }

  /// Whether something of this mailbox may be meant.
  package func concerns(_ mailbox: MailboxName) -> Bool {
    since != nil || messages[mailbox] != nil
  }
}
