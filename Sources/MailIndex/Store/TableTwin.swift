import GRDB

/// An empty table of the same shape, through which rows come into full pages.
///
/// SQLite leaves an eighth of each page empty where rows of a table without rowid come one by one, also in their order. It
/// fills the pages where it copies a table into an empty one of the same shape.
struct TableTwin {
  let name: String
  private let table: String

  /// - Parameter table: without quotes in its name.
  init(of table: String, _ db: Database) throws {
    self.table = table
    name = "\(table)_twin"
    var sql = ""
    try RowStatement(db, "SELECT sql FROM sqlite_schema WHERE name = '\(table)'")
      .forEachRow { sql = $0.text(0) }
    try db.execute(sql: "CREATE TABLE \(name)\(sql.dropFirst("CREATE TABLE \(table)".count))")
  }

  /// Puts the twin's rows in the place of the table's. The twin is gone afterwards.
  func replaceTable(_ db: Database) throws {
    try db.execute(
      sql: """
        DELETE FROM \(table);
        INSERT INTO \(table) SELECT * FROM \(name);
        DROP TABLE \(name);
        """)
  }

  /// The rows that the table has, in full pages.
  static func repack(_ table: String, _ db: Database) throws {
    let twin = try TableTwin(of: table, db)
    try db.execute(sql: "INSERT INTO \(twin.name) SELECT * FROM \(table)")
    try twin.replaceTable(db)
  }
}
