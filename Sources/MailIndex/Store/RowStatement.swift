import GRDB
import GRDBSQLite

/// A prepared statement, stepped without GRDB's boxes: for what runs once a message.
///
/// Good for one access to the database: made from its cache, and bound and stepped at once.
struct RowStatement {
  private let statement: OpaquePointer
  private let db: Database

  init(_ db: Database, _ sql: String) throws {
    self.db = db
    statement = try db.cachedStatement(sql: sql).sqliteStatement
    sqlite3_reset(statement)
  }

  func bind(_ value: Int64, at index: Int32) { sqlite3_bind_int64(statement, index, value) }

  func bind(_ value: Int64?, at index: Int32) {
    if let value { bind(value, at: index) } else { sqlite3_bind_null(statement, index) }
  }

  func bind(_ text: String, at index: Int32) {
    var text = text
    text.withUTF8 {
      _ = sqlite3_bind_text(
        statement, index, Self.start(UnsafeRawBufferPointer($0)), Int32(clamping: $0.count),
        Self.transient)
    }
  }

  func bind(_ text: String?, at index: Int32) {
    if let text { bind(text, at: index) } else { sqlite3_bind_null(statement, index) }
  }

  /// A file's name: text where it is UTF-8, else a blob.
  func bind(name: UnsafeRawBufferPointer, at index: Int32) {
    let count = Int32(clamping: name.count)
    if String(validating: name, as: UTF8.self) != nil {
      sqlite3_bind_text(statement, index, Self.start(name), count, Self.transient)
    } else {
      sqlite3_bind_blob(statement, index, name.baseAddress, count, Self.transient)
    }
  }

  /// The bytes must live until the statement was stepped.
  func bindUncopied(text: UnsafeRawBufferPointer, at index: Int32) {
    sqlite3_bind_text(statement, index, Self.start(text), Int32(clamping: text.count), nil)
  }

  /// The bytes must live until the statement was stepped.
  func bindUncopied(blob: UnsafeRawBufferPointer, at index: Int32) {
    if let start = blob.baseAddress {
      sqlite3_bind_blob(statement, index, start, Int32(clamping: blob.count), nil)
    } else {
      sqlite3_bind_zeroblob(statement, index, 0)
    }
  }

  func bindNull(at index: Int32) { sqlite3_bind_null(statement, index) }

  /// Runs a statement without result; its bindings stay.
  func run() throws {
    let code = sqlite3_step(statement)
    sqlite3_reset(statement)
    guard code == SQLITE_DONE || code == SQLITE_ROW else { throw failure(code) }
  }

  /// Rows that the last statement of the connection wrote; good just after ``run()`` of one that writes.
  var changes: Int { Int(sqlite3_changes(sqlite3_db_handle(statement))) }

  /// Calls `body` for each row of the result.
  func forEachRow(_ body: (Row) throws -> Void) throws {
    defer { sqlite3_reset(statement) }
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw failure(code) }
      try body(Row(statement: statement))
    }
  }

  /// The first row's first column; nil without a row.
  func number() throws -> Int64? {
    defer { sqlite3_reset(statement) }
    let code = sqlite3_step(statement)
    if code == SQLITE_DONE { return nil }
    guard code == SQLITE_ROW else { throw failure(code) }
    return sqlite3_column_type(statement, 0) == SQLITE_NULL
      ? nil : sqlite3_column_int64(statement, 0)
  }

  private func failure(_ code: Int32) -> DatabaseError {
    DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage)
  }

  /// A row under the cursor; valid until the next step.
  struct Row {
    fileprivate let statement: OpaquePointer

    func number(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    /// Text or blob as it is stored.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
      let start = sqlite3_column_blob(statement, column)
      return UnsafeRawBufferPointer(
        start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(statement, column)))
    }

    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
  }

  /// SQLite copies the bytes before the call returns.
  private static var transient: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }

  /// An empty text needs an address, or it would be NULL.
  private static func start(_ text: UnsafeRawBufferPointer) -> UnsafePointer<CChar> {
    let start = text.baseAddress ?? UnsafeRawPointer(("" as StaticString).utf8Start)
    return start.assumingMemoryBound(to: CChar.self)
  }
}
