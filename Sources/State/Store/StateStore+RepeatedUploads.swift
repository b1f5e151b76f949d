import GRDB
import GRDBSQLite
import Ledger

/// Uploads of which the server may have two (``RepeatedUpload``).
extension StateStore {
  /// Those that were sent again.
  /// - Parameter now: Unix seconds.
  package func repeatedUploads(in mailbox: Int64, now: Int64) throws(StateError)
    -> [RepeatedUpload]
  {
    try read { db in
      var found: [RepeatedUpload] = []
      let statement = try db.cachedStatement(
        sql: "SELECT contentHash, uidValidity, uidNext FROM repeatedUpload "
          + "WHERE mailbox = ? AND isRepeated AND missed > ?")
      try statement.rows([mailbox, now - RepeatedUpload.patience]) {
        found.append(
          RepeatedUpload(
            contentHash: UInt64(bitPattern: sqlite3_column_int64($0, 0)),
            uidValidity: UInt32(truncatingIfNeeded: sqlite3_column_int64($0, 1)),
            uidNext: UInt32(truncatingIfNeeded: sqlite3_column_int64($0, 2))))
      }
      return found
    }
  }
}

extension StateTransaction {
  /// It was sent, and is not there. A draft that replaces another is looked for in another way.
  /// - Parameter now: Unix seconds.
  package func setMissed(_ step: PushStep, at now: Int64) throws {
    try db.execute(
      sql: "DELETE FROM repeatedUpload WHERE missed <= ?",
      arguments: [now - RepeatedUpload.patience])
    guard step.record.contentHash != 0, step.source == nil, step.uidValidity != 0 else { return }
    try db.execute(
      sql: "INSERT OR IGNORE INTO repeatedUpload VALUES (?, ?, ?, ?, ?, 0)",
      arguments: [
        step.target, Int64(bitPattern: step.record.contentHash), step.uidValidity, step.uidNext,
        now,
      ])
  }

  /// It is being sent: if it was missed before, that is once more.
  package func setSent(_ step: PushStep) throws {
    try db.cachedStatement(
      sql: "UPDATE repeatedUpload SET isRepeated = 1 WHERE mailbox = ? AND contentHash = ?"
    ).execute(arguments: [step.target, Int64(bitPattern: step.record.contentHash)])
  }

  /// Its other sending was found.
  package func removeRepeatedUpload(of contentHash: UInt64, in mailbox: Int64) throws {
    try db.execute(
      sql: "DELETE FROM repeatedUpload WHERE mailbox = ? AND contentHash = ?",
      arguments: [mailbox, Int64(bitPattern: contentHash)])
  }
}
