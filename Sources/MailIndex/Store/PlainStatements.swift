import GRDB
import GRDBSQLite

extension Database {
  /// Statements are prepared without GRDB's hearing of every column that they read and write. It asks for that on
  /// behalf of observers of changes; an index has none, and it is an eighth of a short run.
  func preparesPlainly() {
    sqlite3_set_authorizer(sqliteConnection, nil, nil)
  }
}
