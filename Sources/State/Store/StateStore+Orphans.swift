import GRDB
import GRDBSQLite
import Ledger
import MailCore

/// Records whose UID lost its meaning because UIDVALIDITY changed. They wait beyond the UID range to be matched with
/// the messages' new UIDs, so that what a person changed and did not push yet is not forgotten (promise 6).
extension StateStore {
  static let orphanBase: Int64 = 1 << 33

  /// An orphan by its header: enough to find it again.
  package struct Orphan: Sendable {
    package let key: Int64
    package let headerHash: HeaderHash
    /// It has no file: it was left on the server marked \Deleted.
    package let isLeaving: Bool
    /// The server did not show it any more when UIDVALIDITY changed.
    package let isOutOfView: Bool

    package init(
      key: Int64, headerHash: HeaderHash, isLeaving: Bool = false, isOutOfView: Bool = false
    ) {
      self.key = key
      self.headerHash = headerHash
      self.isLeaving = isLeaving
      self.isOutOfView = isOutOfView
    }
  }

  package func orphans(in mailbox: MailboxKey) throws(StateError) -> [Orphan] {
    try read { db in
      var found: [Orphan] = []
      let statement = try db.cachedStatement(
        sql:
          "SELECT uid, headerHash, traits & 64, traits & 128 FROM message WHERE mailbox = ? AND uid >= ? "
          + "ORDER BY uid"
      )
      try statement.rows([mailbox, Self.orphanBase]) {
        found.append(
          Orphan(
            key: sqlite3_column_int64($0, 0),
            headerHash: HeaderHash(row: $0, 1),
            isLeaving: sqlite3_column_int64($0, 2) != 0,
            isOutOfView: sqlite3_column_int64($0, 3) != 0))
      }
      return found
    }
  }

  package func orphan(_ key: Int64, in mailbox: MailboxKey) throws(StateError) -> MessageRecord? {
    try read { db in
      var found: MessageRecord?
      let statement = try db.cachedStatement(
        sql: "SELECT \(MessageRecord.columns) FROM message WHERE mailbox = ? AND uid = ?")
      try statement.rows([mailbox, key]) { found = MessageRecord(row: $0) }
      return found
    }
  }
}

extension StateTransaction {
  /// Makes orphans of all records; pruned ones and failures are forgotten, since they hold nothing. So are the steps of
  /// a push that were to expunge something here: their UIDs are other messages' now. What they hid comes back; what is
  /// marked \Deleted for good stays hidden. What may have gone from here to another mailbox is still looked for there.
  package func orphanAll(of mailbox: MailboxKey) throws {
    try db.execute(
      sql: "DELETE FROM message WHERE mailbox = ? AND traits & 4 AND (NOT traits & 64 "
        + "OR uid IN (SELECT sourceUID FROM pushStep WHERE source = ? "
        + "AND sourceValidity = (SELECT uidValidity FROM mailbox WHERE id = ?)))",
      arguments: [mailbox, mailbox, mailbox])
    try db.execute(
      sql: "DELETE FROM pushStep WHERE source = ? AND (target = source OR stage = 'copied')",
      arguments: [mailbox])
    try removeRefusals(ofMessagesIn: mailbox, onlyLost: false)
    try forgetUIDs(ofHoldIn: mailbox)
    try db.execute(sql: "DELETE FROM failure WHERE mailbox = ?", arguments: [mailbox])
    // Beyond any orphan of an earlier change, so that no two meet.
    let highest =
      try Int64.fetchOne(
        db, sql: "SELECT max(uid) FROM message WHERE mailbox = ?", arguments: [mailbox]) ?? 0
    let base = max(StateStore.orphanBase, highest + 1)
    try db.execute(
      sql: """
        UPDATE message SET uid = uid + ?, traits = traits & ~16
        WHERE mailbox = ? AND uid <= 4294967295
        """,
      arguments: [base, mailbox])
  }

  /// One more that may be found again, behind all others of its mailbox.
  package func putOrphan(_ record: MessageRecord, of mailbox: MailboxKey) throws {
    let highest =
      try Int64.fetchOne(
        db, sql: "SELECT max(uid) FROM message WHERE mailbox = ?", arguments: [mailbox]) ?? 0
    try put(record, in: mailbox)
    try db.execute(
      sql: "UPDATE message SET uid = ? WHERE mailbox = ? AND uid = ?",
      arguments: [
        max(StateStore.orphanBase, highest + 1), mailbox, Int64(record.uid.rawValue),
      ])
  }

  /// - Parameter key: none of them has it, or a higher one.
  package func setOrphansOutOfView(below key: Int64, of mailbox: MailboxKey) throws {
    try db.execute(
      sql: "UPDATE message SET traits = traits | 128 "
        + "WHERE mailbox = ? AND uid >= ? AND uid < ? AND NOT traits & 64",
      arguments: [mailbox, StateStore.orphanBase, key])
  }

  package func removeOrphan(_ key: Int64, from mailbox: MailboxKey) throws {
    try db.execute(
      sql: "DELETE FROM message WHERE mailbox = ? AND uid = ?", arguments: [mailbox, key])
  }

  package func removeOrphans(of mailbox: MailboxKey) throws {
    try db.execute(
      sql: "DELETE FROM message WHERE mailbox = ? AND uid >= ?",
      arguments: [mailbox, StateStore.orphanBase])
  }
}
