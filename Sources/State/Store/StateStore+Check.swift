import GRDB
import GRDBSQLite
import Ledger

extension StateStore {
  /// What a look at all pages of a database says.
  package enum Soundness: Sendable, Equatable {
    case sound
    /// In SQLite's words.
    case damaged(String)
    /// It took longer than there was time.
    case unfinished
  }

  /// Looks at every page of a state, or of its backup, and changes nothing. A run may be at work meanwhile.
  ///
  /// Opening a state finds out what is torn at its beginning; this finds what a run would meet only later.
  package static func look(at path: String, seconds: Double) throws(StateError) -> Soundness {
    do {
      try checkLength(path)
      var reading = Configuration()
      reading.readonly = isForReadingOnly(path)
      reading.busyMode = .timeout(10)
      reading.prepareDatabase {
        try $0.execute(sql: "PRAGMA query_only = 1; PRAGMA cache_size = -2048")
      }
      let queue = try DatabaseQueue(
        path: isFrozen(path) ? frozenAddress(path) : path, configuration: reading)
      defer { try? queue.close() }
      let lines = try queue.read { db in
        try TimeLimit(seconds).during(db) {
          try String.fetchAll(db, sql: "PRAGMA quick_check(3)")
        }
      }
      return lines == ["ok"] ? .sound : .damaged(lines.joined(separator: "; "))
    } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
      return .unfinished
    } catch {
      guard case .damaged(let words) = StateError(error) else { throw StateError(error) }
      return .damaged(words)
    }
  }
}

/// Ends a statement that takes too long with `SQLITE_INTERRUPT`.
private final class TimeLimit {
  private let end: ContinuousClock.Instant

  init(_ seconds: Double) { end = .now.advanced(by: .seconds(seconds)) }

  func during<Value>(_ db: Database, _ work: () throws -> Value) rethrows -> Value {
    let connection = db.sqliteConnection
    sqlite3_progress_handler(
      connection, 1000,
      { context in
        guard let context else { return 0 }
        let limit = Unmanaged<TimeLimit>.fromOpaque(context).takeUnretainedValue()
        return ContinuousClock.now < limit.end ? 0 : 1
      }, Unmanaged.passUnretained(self).toOpaque())
    defer { sqlite3_progress_handler(connection, 0, nil, nil) }
    return try withExtendedLifetime(self) { try work() }
  }
}
