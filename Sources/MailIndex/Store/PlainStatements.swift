import GRDB
import GRDBSQLite

extension Database {
  /// From here on SQLite does not report to GRDB each column that a statement reads or writes while it prepares it. Only
  /// observers of changes need that, of which an index has none; it was an eighth of a short run's instructions.
  func preparesPlainly() {
    sqlite3_set_authorizer(sqliteConnection, nil, nil)
  }
}
