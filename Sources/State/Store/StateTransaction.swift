import GRDB
import GRDBSQLite
import Ledger
import MailCore

/// Changes to messages and their mailbox that become durable together.
package struct StateTransaction {
  let db: Database
  private let recorded = RecordedMailboxes()

  /// Mailboxes that got records: what their folders were held against is another now.
  private final class RecordedMailboxes {
    var keys: Set<MailboxKey> = []
  }

  init(db: Database) { self.db = db }

  /// Whether any record has this content, whatever became of its message. Reads the whole table unless
  /// ``StateStore/makeContentIndex()`` was called before.
  package func knowsContent(_ contentHash: ContentHash) throws -> Bool {
    let statement = try db.cachedStatement(
      sql: "SELECT EXISTS (SELECT 1 FROM message WHERE contentHash = ? AND contentHash <> 0)")
    return try Bool.fetchOne(statement, arguments: [contentHash]) ?? false
  }

  /// Inserts, or replaces the record of that UID.
  package func put(_ record: MessageRecord, in mailbox: MailboxKey) throws {
    // Most are new, and one that replaces none needs no journal of its own.
    for conflict in ["IGNORE", "REPLACE"] {
      let statement = try db.cachedStatement(
        sql: "INSERT OR \(conflict) INTO message VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
      let row = statement.sqliteStatement
      sqlite3_bind_int64(row, 1, mailbox.rawValue)
      record.bind(to: row)
      try statement.step(db)
      if db.changesCount > 0 { break }
    }
    recorded.keys.insert(mailbox)
  }

  package func put(_ scan: PushScan) throws {
    try scan.save(db)
    recorded.keys.remove(scan.mailbox)
  }

  /// At the end of the transaction. Changes to records that are there end a scan by a trigger.
  func endScans() throws {
    for mailbox in recorded.keys { try removeScan(of: mailbox) }
  }

  /// Date and size of a message that a window left out, where they were not known.
  package func fillIn(date: Int64, size: Int64, of uid: UID, in mailbox: MailboxKey) throws {
    let statement = try db.cachedStatement(
      sql: "UPDATE message SET internalDate = ?, serverSize = ? "
        + "WHERE mailbox = ? AND uid = ? AND internalDate = 0 AND traits & 4")
    let row = statement.sqliteStatement
    // 0 stands for "not known".
    sqlite3_bind_int64(row, 1, date == 0 ? 1 : date)
    sqlite3_bind_int64(row, 2, size)
    sqlite3_bind_int64(row, 3, mailbox.rawValue)
    sqlite3_bind_int64(row, 4, Int64(uid.rawValue))
    try statement.step(db)
  }

  /// What is here and arrived in this time stays, whatever the window leaves out.
  package func keep(from start: Int64, before end: Int64, in mailbox: MailboxKey) throws {
    try db.execute(
      sql: "UPDATE message SET traits = traits | 256 WHERE mailbox = ? AND name <> '' "
        + "AND internalDate >= ? AND internalDate < ? AND NOT traits & 20",
      arguments: [mailbox, start, end])
  }

  /// The server shows them no longer.
  ///
  /// - Parameter new: of these, those that it does not show since the mailbox has another MAILBOXID.
  package func setOutOfView(_ uids: UIDSet, notUnderNewID new: UIDSet, in mailbox: MailboxKey)
    throws
  {
    try set(.outOfView, true, uids, in: mailbox)
    try set(.notUnderNewID, true, new, in: mailbox)
  }

  /// The server shows them again.
  package func setInView(_ uids: UIDSet, in mailbox: MailboxKey) throws {
    try set([.outOfView, .notUnderNewID], false, uids, in: mailbox)
  }

  func set(_ trait: MessageRecord.Traits, _ isOn: Bool, _ uids: UIDSet, in mailbox: MailboxKey)
    throws
  {
    for range in uids.ranges {
      try db.execute(
        sql: "UPDATE message SET traits = \(isOn ? "traits | ?1" : "traits & ~?1") "
          + "WHERE mailbox = ?2 AND uid BETWEEN ?3 AND ?4",
        arguments: [
          trait.rawValue, mailbox, Int64(range.lowerBound), Int64(range.upperBound),
        ])
    }
  }

  package func remove(_ uid: UID, from mailbox: MailboxKey) throws {
    let statement = try db.cachedStatement(sql: "DELETE FROM message WHERE mailbox = ? AND uid = ?")
    let row = statement.sqliteStatement
    sqlite3_bind_int64(row, 1, mailbox.rawValue)
    sqlite3_bind_int64(row, 2, Int64(uid.rawValue))
    try statement.step(db)
  }

  package func save(_ record: MailboxRecord) throws { try record.save(db) }

  /// Gives a mailbox its record, and with it a key that no other mailbox has.
  ///
  /// - Parameter complete: what else the record holds from its beginning.
  package func addMailbox(
    name: String, rawName: [UInt8], delimiter: String?, folder: FolderPath,
    _ complete: (inout MailboxRecord) throws -> Void = { _ in }
  ) throws -> MailboxRecord {
    let highest = try Int64.fetchOne(db, sql: "SELECT max(id) FROM mailbox") ?? 0
    var record = MailboxRecord(
      id: MailboxKey(highest + 1), name: name, rawName: rawName, delimiter: delimiter,
      folder: folder)
    try complete(&record)
    try record.insert(db)
    return record
  }

  /// What is known of the mailbox's messages holds no longer.
  package func forgetMessages(of record: MailboxRecord) throws {
    try db.execute(
      sql: "DELETE FROM message WHERE mailbox = ? AND uid <= 4294967295", arguments: [record.id])
  }

  package func clearFailure(mailbox: MailboxKey, uid: UInt32) throws {
    try db.execute(
      sql: "DELETE FROM failure WHERE mailbox = ? AND uid = ?", arguments: [mailbox, uid])
  }
}
