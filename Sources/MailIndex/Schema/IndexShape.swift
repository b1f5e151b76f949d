import GRDB

/// The tables and views as they were made, kept in the table `made`, beside those that are there.
enum IndexShape {
  static let table = """
    -- What sqlite_schema held when the index was made; indexes are looked after by every run.
    CREATE TABLE made(
      name TEXT PRIMARY KEY NOT NULL, type TEXT NOT NULL, sql TEXT NOT NULL) WITHOUT ROWID;

    """

  struct Difference: Equatable {
    let name: String
    let isView: Bool
  }

  /// Call when all is made, in the same transaction.
  static func record(_ db: Database) throws {
    try db.execute(
      sql: """
        INSERT INTO made SELECT name, type, sql FROM sqlite_schema
        WHERE type IN ('table', 'view') AND sql IS NOT NULL AND name NOT GLOB 'sqlite_*'
        """)
  }

  /// Whether the index keeps its shape at all: one of an earlier build does not.
  static func isKnown(_ db: Database) throws -> Bool {
    try RowStatement(db, "SELECT 1 FROM sqlite_schema WHERE name = 'made' AND type = 'table'")
      .number() != nil
  }

  /// What is missing, or not as it was made.
  static func differences(_ db: Database) throws -> [Difference] {
    var differences: [Difference] = []
    try RowStatement(
      db,
      """
      SELECT name, type = 'view' FROM made WHERE NOT EXISTS (
        SELECT 1 FROM sqlite_schema AS s
        WHERE s.name = made.name AND s.type = made.type AND s.sql = made.sql)
      ORDER BY name
      """
    ).forEachRow { differences.append(Difference(name: $0.text(0), isView: $0.number(1) != 0)) }
    return differences
  }

  /// Makes views anew.
  ///
  /// - Throws: ``IndexError/damaged(_:)`` for a table, whose rows nobody knows.
  static func mend(_ differences: [Difference], _ db: Database) throws {
    for difference in differences {
      guard difference.isView,
        let sql = try String.fetchOne(
          db, sql: "SELECT sql FROM made WHERE name = ?", arguments: [difference.name])
      else { throw IndexError.damaged(difference.words) }
      do {
        try db.execute(sql: "DROP VIEW IF EXISTS \(difference.name.quotedDatabaseIdentifier)")
        try db.execute(sql: sql)
      } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
        throw IndexError.damaged(difference.words)
      }
    }
  }
}

extension IndexShape.Difference {
  var words: String {
    "the \(isView ? "view" : "table") \(name) is missing or not as it was made"
  }
}
