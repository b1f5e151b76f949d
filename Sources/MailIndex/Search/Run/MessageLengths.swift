import GRDB
import GRDBSQLite

/// How many words each message's text has, as FTS5 counted them: asked for with rising numbers.
///
/// FTS5's own answer looks each message up from the table's root, which costs more than all else that ranking does.
final class MessageLengths {
  /// What looking a message up costs, in steps to the next one.
  private static let steps = 16

  private let statement: Statement
  private let db: Database
  private var current: Int64?

  init(_ db: Database) throws {
    self.db = db
    statement = try db.makeStatement(
      sql: "SELECT id, sz FROM message_text_docsize WHERE id >= ?1 ORDER BY id")
    statement.setUncheckedArguments([0])
  }

  /// - Returns: 0 where none was stored.
  func length(of message: Int64) throws -> Int64 {
    guard try find(message) else { return 0 }
    let start = sqlite3_column_blob(statement.sqliteStatement, 1)
    let count = Int(sqlite3_column_bytes(statement.sqliteStatement, 1))
    return Self.sum(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }

  private func find(_ message: Int64) throws -> Bool {
    if current == message { return true }
    if let current, current < message {
      for _ in 0..<Self.steps {
        guard let next = try step() else { return false }
        if next >= message { return next == message }
      }
    }
    sqlite3_reset(statement.sqliteStatement)
    sqlite3_bind_int64(statement.sqliteStatement, 1, message)
    return try step() == message
  }

  private func step() throws -> Int64? {
    let code = sqlite3_step(statement.sqliteStatement)
    guard code == SQLITE_ROW || code == SQLITE_DONE else {
      throw DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage)
    }
    current = code == SQLITE_ROW ? sqlite3_column_int64(statement.sqliteStatement, 0) : nil
    return current
  }

  /// One number a column, in SQLite's variable length: seven bits a byte, the highest first.
  private static func sum(_ sizes: UnsafeRawBufferPointer) -> Int64 {
    var sum: Int64 = 0
    var number: Int64 = 0
    for byte in sizes {
      number = number << 7 | Int64(byte & 0x7F)
      if byte < 0x80 {
        sum &+= number
        number = 0
      }
    }
    return sum
  }
}
