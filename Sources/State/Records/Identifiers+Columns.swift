import GRDB
import GRDBSQLite
import Ledger
import MailCore

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

/// As the signed number that has the same bits: SQLite knows no others.
package protocol HashColumn: RawRepresentable<UInt64>, DatabaseValueConvertible,
  StatementColumnConvertible
{
  init(_ value: UInt64)
}

extension HashColumn {
  package init(sqliteStatement: SQLiteStatement, index: CInt) {
    self.init(row: sqliteStatement, index)
  }

  package var databaseValue: DatabaseValue { column.databaseValue }

  package static func fromDatabaseValue(_ value: DatabaseValue) -> Self? {
    Int64.fromDatabaseValue(value).map { Self(UInt64(bitPattern: $0)) }
  }

  /// From the current row of a hand-bound statement.
  init(row: OpaquePointer, _ column: Int32) {
    self.init(UInt64(bitPattern: sqlite3_column_int64(row, column)))
  }

  var column: Int64 { Int64(bitPattern: rawValue) }
}

extension HeaderHash: HashColumn {}
extension ContentHash: HashColumn {}
extension NameHash: HashColumn {}
