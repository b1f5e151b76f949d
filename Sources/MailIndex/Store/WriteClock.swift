import GRDB
import GRDBSQLite
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Measures how long the transactions of a run keep others from writing: from the lock to the commit, without the
/// checkpoint that may follow, which locks nobody out.
final class WriteClock: Sendable {
  private struct State {
    var begun: WriteTime?
    var last = WriteTime()
    var longest = WriteTime()
  }

  private let state = Mutex(State())

  /// Of the transaction that ended last.
  var last: WriteTime { state.withLock(\.last) }
  /// The most of each that one transaction took.
  var longest: WriteTime { state.withLock(\.longest) }

  /// Runs a write transaction. The measure ends at ``committed()`` where the transaction wrote something.
  func run<T>(_ db: Database, _ body: (Database) throws -> T) throws -> T {
    defer { end() }
    var result: T?
    try db.inTransaction {
      state.withLock { $0.begun = .now }
      result = try body(db)
      return .commit
    }
    guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
    return result
  }

  private func end() {
    state.withLock { state in
      guard let begun = state.begun else { return }
      state.begun = nil
      state.last = .now - begun
      state.longest = state.longest.most(state.last)
    }
  }

  // MARK: The checkpoint

  /// Pages of the log after which it is brought into the database: 16 MiB.
  private static let longestLog: Int32 = 4000

  /// Hears of each commit, in place of SQLite's own hook, whose checkpoint would count as part of the commit. The
  /// clock must live as long as the connection.
  func attach(to db: Database) {
    let clock = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_wal_hook(
      db.sqliteConnection,
      { clock, connection, name, pages in
        clock.map { Unmanaged<WriteClock>.fromOpaque($0).takeUnretainedValue().end() }
        if pages >= WriteClock.longestLog {
          // Passive: whoever reads or writes is not disturbed; what is left comes next time.
          sqlite3_wal_checkpoint_v2(connection, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        }
        return SQLITE_OK
      }, clock)
  }
}

/// Time by the clock on the wall, and time of the thread on a processor: on a loaded machine the first is more.
package struct WriteTime: Sendable, Equatable {
  package var elapsed = Duration.zero
  package var processor = Duration.zero

  static var now: WriteTime {
    WriteTime(elapsed: read(CLOCK_MONOTONIC), processor: read(CLOCK_THREAD_CPUTIME_ID))
  }

  private static func read(_ clock: clockid_t) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }

  static func - (a: WriteTime, b: WriteTime) -> WriteTime {
    WriteTime(elapsed: a.elapsed - b.elapsed, processor: a.processor - b.processor)
  }

  func most(_ other: WriteTime) -> WriteTime {
    WriteTime(
      elapsed: max(elapsed, other.elapsed), processor: max(processor, other.processor))
  }
}
