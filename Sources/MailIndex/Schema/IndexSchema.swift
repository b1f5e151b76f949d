import GRDB

/// The shape of index.db: what a reader of any SQLite from 3.40.1 on finds there.
///
/// Views (`messages`, `files`, `threads`, …) and the FTS5 table `message_text` are the promise to
/// other programs; the tables behind them may change with ``version``. No function, tokenizer or
/// option that a plain `sqlite3` 3.40.1 lacks occurs in any of it.
package enum IndexSchema {
  /// `PRAGMA user_version`. Another number means another shape: the index is reset and rebuilt.
  package static let version: Int32 = 8
  /// `PRAGMA application_id`: "mirx".
  package static let applicationID: Int32 = 0x6D69_7278

  /// Creates everything in an empty database, inside the caller's transaction.
  static func create(_ db: Database) throws {
    try db.execute(sql: tables)
    try db.execute(sql: ThreadSchema.sql)
    try db.execute(sql: textTable)
    try db.execute(sql: textRanking)
    try db.execute(sql: views)
    try db.execute(sql: IndexShape.table)
    try IndexShape.record(db)
    try db.execute(sql: "PRAGMA application_id = \(applicationID)")
    try db.execute(sql: "PRAGMA user_version = \(version)")
  }

  /// Takes everything out of the database, also what another version made.
  static func drop(_ db: Database) throws {
    let made = try Row.fetchAll(
      db,
      sql: """
        SELECT type, name, sql FROM sqlite_schema WHERE type IN ('view', 'table')
          AND name NOT GLOB 'sqlite_*'
        ORDER BY type = 'table', ifnull(sql, '') NOT LIKE 'CREATE VIRTUAL%'
        """)
    for row in made {
      let (type, name): (String, String) = (row[0], row[1])
      try db.execute(sql: "DROP \(type) IF EXISTS \(name.quotedDatabaseIdentifier)")
    }
  }

  /// Indexes on the tables. A first build makes them at its end, which is several times faster than
  /// keeping them up row by row; every run makes those that an interrupted build left out, or that this program has and an earlier one had not,
  /// unless it found nothing new in an index that an update had left whole.
  static func createIndexes(_ db: Database) throws {
    try db.execute(sql: indexes)
    try db.execute(sql: ThreadSchema.indexes)
  }
}

/// Bits of `message.flags` and `file.flags`.
///
/// A message has seen, replied, flagged, draft and passed when one of its files has, and trashed
/// when all of them have: so it counts as unread only where no copy was read, and as deleted only
/// where no copy is left standing.
package struct IndexFlags: OptionSet, Hashable, Sendable {
  package let rawValue: Int64
  package init(rawValue: Int64) { self.rawValue = rawValue }

  package static let seen = IndexFlags(rawValue: 1)
  package static let replied = IndexFlags(rawValue: 2)
  package static let flagged = IndexFlags(rawValue: 4)
  package static let draft = IndexFlags(rawValue: 8)
  package static let trashed = IndexFlags(rawValue: 16)
  package static let passed = IndexFlags(rawValue: 32)
}
