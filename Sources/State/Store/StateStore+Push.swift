import GRDB
import GRDBSQLite
import Ledger
import MailCore

/// What a push remembers: refusals, deletions held back, and folders without pending changes.
extension StateStore {
  package func pushRefusals() throws(StateError) -> [PushRefusal] {
    try read {
      try Row.fetchAll($0, sql: "SELECT * FROM pushRefusal ORDER BY mailbox, kind")
        .compactMap { PushRefusal(row: $0) }
    }
  }

  package func deletionHolds() throws(StateError) -> [DeletionHold] {
    try read {
      try Row.fetchAll($0, sql: "SELECT * FROM deletionHold ORDER BY mailbox")
        .compactMap { DeletionHold(row: $0) }
    }
  }

  /// Which directories each mailbox's folder was when what was missing in it was last pushed or held back.
  package func folderIdentities() throws(StateError) -> [MailboxKey: Int64] {
    try read { db in
      let rows = try Row.fetchAll(db, sql: "SELECT mailbox, value FROM folderIdentity")
      return Dictionary(rows.map { ($0["mailbox"], $0["value"]) }) { first, _ in first }
    }
  }

  package func folderIdentity(of mailbox: MailboxKey) throws(StateError) -> Int64? {
    try read {
      try Int64.fetchOne(
        $0, sql: "SELECT value FROM folderIdentity WHERE mailbox = ?", arguments: [mailbox])
    }
  }

  package func pushScans() throws(StateError) -> [PushScan] {
    try read { try PushScan.order(sql: "mailbox").fetchAll($0) }
  }

  /// Base-name hashes by UID of all messages of a mailbox with one of these contents.
  package func contents(in mailbox: MailboxKey, among hashes: Set<ContentHash>) throws(StateError)
    -> [ContentHash: [UID]]
  {
    guard !hashes.isEmpty else { return [:] }
    return try read { db in
      var found: [ContentHash: [UID]] = [:]
      let statement = try db.cachedStatement(
        sql: "SELECT contentHash, uid FROM message WHERE mailbox = ? AND uid <= 4294967295 "
          + "AND name <> '' AND NOT traits & 20")
      try statement.rows([mailbox]) { row in
        let hash = ContentHash(row: row, 0)
        guard hash != .unknown, hashes.contains(hash) else { return }
        found[hash, default: []].append(
          UID(UInt32(truncatingIfNeeded: sqlite3_column_int64(row, 1))))
      }
      return found
    }
  }
}

extension StateTransaction {
  package func put(_ refusal: PushRefusal) throws {
    try removeRefusal(mailbox: refusal.mailbox, subject: refusal.subject)
    try db.execute(
      sql: "INSERT INTO pushRefusal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      arguments: StatementArguments(
        [refusal.mailbox] + refusal.subject.columns
          + [refusal.attempts, refusal.lastAttempt, refusal.reason, refusal.obstacle?.rawValue]))
  }

  package func removeRefusal(mailbox: MailboxKey, subject: RefusalSubject) throws {
    let same = PushRefusal.subjectColumns.map { " AND \($0) IS ?" }.joined()
    try db.execute(
      sql: "DELETE FROM pushRefusal WHERE mailbox = ?" + same,
      arguments: StatementArguments([mailbox] + subject.columns))
  }

  /// Those that told of single messages by UID: a pull knows better now, or the UIDs mean other messages.
  package func removeRefusals(ofMessagesIn mailbox: MailboxKey, onlyLost: Bool) throws {
    try db.execute(
      sql: "DELETE FROM pushRefusal WHERE mailbox = ? AND kind IN ('lost', ?)",
      arguments: [mailbox, onlyLost ? nil : "edit"])
  }

  /// In place of what was held in the mailbox before.
  ///
  /// - Parameter time: Unix seconds.
  package func put(_ hold: DeletionHold, at time: Int64) throws {
    try db.execute(
      sql: "INSERT OR REPLACE INTO deletionHold VALUES (?, ?, ?, ?, ?, ?)",
      arguments: [
        hold.mailbox, hold.cause.rawValue, hold.count, hold.total, hold.uids?.description, time,
      ])
  }

  package func removeHold(of mailbox: MailboxKey) throws {
    try db.execute(sql: "DELETE FROM deletionHold WHERE mailbox = ?", arguments: [mailbox])
  }

  /// Their UIDs are other messages' now; the deletions are still to be confirmed.
  func forgetUIDs(ofHoldIn mailbox: MailboxKey) throws {
    try db.execute(
      sql: "UPDATE deletionHold SET uids = NULL WHERE mailbox = ?", arguments: [mailbox])
  }

  package func setFolderIdentity(_ value: Int64, of mailbox: MailboxKey) throws {
    try db.execute(
      sql: "INSERT OR REPLACE INTO folderIdentity VALUES (?, ?)", arguments: [mailbox, value])
  }

  package func removeFolderIdentity(of mailbox: MailboxKey) throws {
    try db.execute(sql: "DELETE FROM folderIdentity WHERE mailbox = ?", arguments: [mailbox])
  }

  package func removeScan(of mailbox: MailboxKey) throws {
    try db.execute(sql: "DELETE FROM pushScan WHERE mailbox = ?", arguments: [mailbox])
  }
}
