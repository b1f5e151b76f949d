import MailCore

/// What a refusal is about.
package enum RefusalSubject: Hashable, Sendable {
  /// Any change to the mailbox.
  case mailbox
  /// Changes of one kind.
  case marks, uploads, deletions
  /// Gmail: taking labels off.
  case labels
  case moves(to: MailboxKey)
  /// A new name for the mailbox.
  case rename(String)
  /// A mailbox of this name; kept with INBOX.
  case create(String)
  /// One new message, by its content.
  case upload(ContentHash)
  /// An edit of a message, which no server takes.
  case edit(UID, contentHash: ContentHash)
  /// A flag, by its name, that the mailbox cannot keep.
  case flag(String)
  /// A keyword that it cannot keep, folded.
  case keyword(String)
  /// A message that the server no longer had.
  case lost(UID)
  /// Tries of this that a run has made and not ended.
  indirect case tries(RefusalSubject)
}
