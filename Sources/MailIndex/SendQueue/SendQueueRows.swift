import GRDB

/// One entry of the send queue as the view `send_queue` shows it.
struct SendQueueRow: Sendable, Equatable {
  var id: String
  var messageID: String?
  var subject: String?
  /// Unix seconds.
  var queued: Int64
  var state: String
  var attempts: Int
  /// Unix seconds.
  var nextAttempt: Int64?
  var error: String?
  /// A JSON array of objects with `address`, `state` and `reply`.
  var recipients: String
}

/// The rows behind the view `send_queue`.
enum SendQueueRows {
  /// Makes the rows of an account these.
  static func replace(account: String, with rows: [SendQueueRow], _ db: Database) throws {
    let known = try Int64.fetchOne(
      db, sql: "SELECT id FROM account WHERE name = ?", arguments: [account])
    if known == nil, rows.isEmpty { return }
    let id = try known ?? insert(account, db)
    let before = try Int.fetchOne(
      db, sql: "SELECT count(*) FROM send_entry WHERE account = ?", arguments: [id])
    if before == 0, rows.isEmpty { return }
    try db.execute(sql: "DELETE FROM send_entry WHERE account = ?", arguments: [id])
    for row in rows {
      try db.execute(
        sql: "INSERT OR REPLACE INTO send_entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        arguments: [
          id, row.id, row.messageID, row.subject, row.queued, row.state, row.attempts,
          row.nextAttempt, row.error, row.recipients,
        ])
    }
  }

  private static func insert(_ account: String, _ db: Database) throws -> Int64 {
    try db.execute(
      sql: "INSERT INTO account(name, path) VALUES (?, ?)", arguments: [account, account])
    return db.lastInsertedRowID
  }
}
