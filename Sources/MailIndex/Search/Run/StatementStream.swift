import GRDB
import GRDBSQLite

/// The numbers that an SQL statement yields, `?1` being the bound:
/// `SELECT id … WHERE id <= ?1 … ORDER BY id DESC`.
///
/// A bound a little below the last number is reached by steps, one far below by asking anew.
final class StatementStream: NumberStream {
  private let db: Database
  private let statement: Statement
  private let steps: Int
  private let highest: Int64
  private var isOpen = false

  /// - Parameters:
  ///   - arguments: for `?2` and on.
  ///   - steps: what asking anew costs, in steps.
  ///   - highest: no number lies above it.
  init(
    _ db: Database, _ sql: String, _ arguments: [any DatabaseValueConvertible] = [],
    steps: Int = 16,
    highest: Int64 = .max
  ) throws {
    self.db = db
    self.steps = steps
    self.highest = highest
    statement = try db.makeStatement(sql: sql)
    statement.setUncheckedArguments(StatementArguments([Int64.max]) + StatementArguments(arguments))
  }

  override func find(atMost bound: Int64) throws -> Int64? {
    let bound = min(bound, highest)
    if isOpen {
      for _ in 0..<steps {
        guard let number = try step() else { return nil }
        if number <= bound { return number }
      }
    }
    start(atMost: bound)
    while let number = try step() {
      if number <= bound { return number }
    }
    return nil
  }

  private func start(atMost bound: Int64) {
    sqlite3_reset(statement.sqliteStatement)
    sqlite3_bind_int64(statement.sqliteStatement, 1, bound)
    isOpen = true
  }

  private func step() throws -> Int64? {
    let code = sqlite3_step(statement.sqliteStatement)
    switch code {
    case SQLITE_ROW: return sqlite3_column_int64(statement.sqliteStatement, 0)
    case SQLITE_DONE: return nil
    default:
      throw DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage)
    }
  }
}
