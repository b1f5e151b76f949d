import GRDB
import Ledger
import MailCore

/// What is noted of a mailbox while its record goes its own way: columns that ``MailboxRecord`` does not have, so that
/// saving one leaves them as they are.
extension StateStore {
  /// When a push first brought messages to the mailbox, or took some away, since a pull saw all that is known of it; in
  /// Unix seconds, written with them.
  package func pushedSince(in mailbox: MailboxKey) throws(StateError) -> Int64? {
    try mark("pushedSince", of: mailbox)
  }

  /// How many pulls in a row could not find out what became of steps to this mailbox.
  package func undecidedPulls(of mailbox: MailboxKey) throws(StateError) -> Int {
    try mark("undecidedPulls", of: mailbox) ?? 0
  }

  /// How many messages the server said that the mailbox has, when its history was last not whole here; nil where no pull
  /// said so.
  package func announced(in mailbox: MailboxKey) throws(StateError) -> Int? {
    try mark("announced", of: mailbox)
  }

  /// The UIDs of expunged messages whose files are being unlinked.
  func unlinking(in mailbox: MailboxKey) throws(StateError) -> UIDSet {
    try mark("unlinking", of: mailbox).flatMap { UIDSet(stored: $0) } ?? UIDSet()
  }

  private func mark<Value: DatabaseValueConvertible>(_ column: String, of mailbox: MailboxKey)
    throws(StateError) -> Value?
  {
    try read {
      try Value.fetchOne(
        $0, sql: "SELECT \(column) FROM mailbox WHERE id = ?", arguments: [mailbox])
    }
  }
}

extension StateTransaction {
  /// What is known already stays.
  package func setPushed(at time: Int64, in mailbox: MailboxKey) throws {
    try db.execute(
      sql: "UPDATE mailbox SET pushedSince = ? WHERE id = ? AND pushedSince IS NULL",
      arguments: [time, mailbox])
  }

  package func forgetPushed(in mailbox: MailboxKey) throws {
    try setMark("pushedSince", nil, of: mailbox)
  }

  package func setUndecidedPulls(_ count: Int, of mailbox: MailboxKey) throws {
    try setMark("undecidedPulls", count, of: mailbox)
  }

  package func setAnnounced(_ count: Int, in mailbox: MailboxKey) throws {
    try setMark("announced", count, of: mailbox)
  }

  package func setUnlinking(_ uids: UIDSet, in mailbox: MailboxKey) throws {
    try setMark("unlinking", uids.isEmpty ? nil : uids.description, of: mailbox)
  }

  private func setMark(
    _ column: String, _ value: (any DatabaseValueConvertible)?, of mailbox: MailboxKey
  ) throws {
    try db.execute(
      sql: "UPDATE mailbox SET \(column) = ? WHERE id = ? AND \(column) IS NOT ?",
      arguments: [value, mailbox, value])
  }
}
