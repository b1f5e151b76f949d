import GRDB
import GRDBSQLite
import Ledger

extension Statement {
  /// Steps through the result; GRDB's cursors would box every row.
  func rows(_ arguments: [any DatabaseValueConvertible], _ body: (OpaquePointer) throws -> Void)
    throws
  {
    let row = sqliteStatement
    defer {
      sqlite3_reset(row)
      sqlite3_clear_bindings(row)
    }
    sqlite3_reset(row)
    for (index, argument) in arguments.enumerated() {
      try bind(argument, at: Int32(index + 1))
    }
    while true {
      let code = sqlite3_step(row)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
      try body(row)
    }
  }

  func bind(_ argument: (any DatabaseValueConvertible)?, at index: Int32) throws {
    switch argument?.databaseValue.storage ?? .null {
    case .null: sqlite3_bind_null(sqliteStatement, index)
    case .int64(let value): sqlite3_bind_int64(sqliteStatement, index, value)
    case .string(let text):
      sqlite3_bind_text(
        sqliteStatement, index, text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    default: throw StateError.failed("a statement was bound to a type it does not take")
    }
  }

  func step(_ db: Database) throws {
    let code = sqlite3_step(sqliteStatement)
    sqlite3_reset(sqliteStatement)
    guard code == SQLITE_DONE || code == SQLITE_ROW else {
      throw DatabaseError(
        resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage ?? "")
    }
  }
}
