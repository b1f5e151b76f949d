import GRDB
import Ledger
import MailCore

/// What a list left out once, on servers whose lists differ from look to look.
extension StateStore {
  /// - Returns: nil where nothing waits for a second look, or the mailbox was renumbered since. The time, Unix seconds,
  ///   is that of the first look.
  package func missedOnce(in mailbox: MailboxKey) throws(StateError) -> (uids: UIDSet, time: Int64)?
  {
    try read { db in
      try Row.fetchOne(
        db,
        sql: "SELECT missed.* FROM missedOnce AS missed "
          + "JOIN mailbox ON mailbox.id = missed.mailbox AND mailbox.uidValidity = missed.uidValidity WHERE missed.mailbox = ?",
        arguments: [mailbox]
      ).map { (UIDSet(stored: $0["uids"]) ?? UIDSet(), $0["time"]) }
    }
  }
}

extension StateTransaction {
  /// These and no others; none where the set is empty.
  package func setMissedOnce(
    _ uids: UIDSet, at time: Int64, in mailbox: MailboxKey, uidValidity: UInt32
  ) throws {
    try db.execute(sql: "DELETE FROM missedOnce WHERE mailbox = ?", arguments: [mailbox])
    guard !uids.isEmpty else { return }
    try db.execute(
      sql: "INSERT INTO missedOnce VALUES (?, ?, ?, ?)",
      arguments: [mailbox, time, uidValidity, uids.description])
  }
}
