import GRDB
import GRDBSQLite
import Ledger

// How columns keep what the ledger has types for.

extension MailboxKey: DatabaseValueConvertible, StatementColumnConvertible {
  package init(sqliteStatement: SQLiteStatement, index: CInt) {
    self.init(sqlite3_column_int64(sqliteStatement, index))
  }

  package var databaseValue: DatabaseValue { rawValue.databaseValue }

  package static func fromDatabaseValue(_ value: DatabaseValue) -> MailboxKey? {
    Int64.fromDatabaseValue(value).map { MailboxKey($0) }
  }

  /// From the current row of a hand-bound statement.
  init(row: OpaquePointer, _ column: Int32) { self.init(sqlite3_column_int64(row, column)) }
}
