import GRDB
import GRDBSQLite

extension Database {
  /// From here on SQLite does not report to GRDB each column that a statement reads or writes while it prepares it. Only
  /// observers of changes need that, of which an index has none; it was an eighth of a short run's instructions.
  func preparesPlainly() {
    sqlite3_set_authorizer(sqliteConnection, nil, nil)
  }

  /// Runs statements without parameters, of whose rows nothing is needed. Where they are run once, GRDB's own take longer
  /// to be made than SQLite takes to run them.
  func run(plain sql: String) throws {
    let code = sqlite3_exec(sqliteConnection, sql, nil, nil, nil)
    guard code == SQLITE_OK else {
      throw DatabaseError(
        resultCode: ResultCode(rawValue: code), message: lastErrorMessage, sql: sql)
    }
  }
}
