import CSQLiteCalls
import GRDB
import GRDBSQLite
import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// index.db opened to be written; whoever has it holds the ``IndexLock``.
final class IndexStore: Sendable {
  let root: String
  let queue: DatabaseQueue
  /// Why the index was made anew, if it was.
  let reset: ResetReason?
  let clock: WriteClock

  /// Spares SQLite's allocations a shared lock; done once, before SQLite is first used.
  private static let isTuned: Bool = sqlite_stop_memory_statistics() == SQLITE_OK

  static func tune() { _ = isTuned }

  /// Opens the index, and makes it where it is missing.
  ///
  /// One that is damaged, of another version, or to be rebuilt is emptied in place: readers may have
  /// it open, and go on in the new one.
  ///
  /// - Parameters:
  ///   - damage: what the caller met; also a ``DamageMark`` is obeyed.
  ///   - isMarked: it is as an update left it (``SoundMark``), and so of the shape that it was made in.
  static func open(
    root: String, rebuild: Bool, damage: String? = nil, isMarked: Bool = false,
    clock: WriteClock = WriteClock()
  ) throws(IndexError) -> IndexStore {
    tune()
    let path = IndexReader.path(root: root)
    // Made here and not by SQLite, so that nobody else can read what mail says.
    let isNew = try !IndexPlace.hasFile(path) && PrivateFile.make(path)
    let store: IndexStore
    if !isNew, let damage = damage ?? DamageMark.words(root: root) {
      // Not table by table: what is torn may hang together wrongly.
      store = try reset(path, root: root, because: rebuild ? .asked : .damaged(damage), clock)
    } else {
      do {
        store = try openWhole(
          path, root: root, isNew: isNew, rebuild: rebuild, isMarked: isMarked, clock)
      } catch {
        let problem = IndexError(error)
        guard case .damaged(let words) = problem else { throw problem }
        store = try reset(path, root: root, because: .damaged(words), clock)
      }
    }
    // Not in any other case: a reader may be leaving one just now.
    if isNew || store.reset != nil { DamageMark.remove(root: root) }
    return store
  }

  private static func openWhole(
    _ path: String, root: String, isNew: Bool, rebuild: Bool, isMarked: Bool, _ clock: WriteClock
  ) throws -> IndexStore {
    let queue = try DatabaseQueue(path: path, configuration: configuration(clock))
    let (application, version, isKnown) = try queue.unsafeRead { db in
      let application = try RowStatement(db, "PRAGMA application_id").number() ?? 0
      let version = try RowStatement(db, "PRAGMA user_version").number() ?? 0
      return (
        application, version, try isOurs(application, version) && IndexShape.isKnown(db)
      )
    }
    let isEmpty = application == 0 && version == 0
    if !isNew, rebuild || !isEmpty && !isKnown {
      let reason: ResetReason = rebuild ? .asked : .otherVersion
      if application == Int64(IndexSchema.applicationID) {
        // In one transaction: whoever reads sees the old index, then one that fills.
        try queue.write { db in
          try IndexSchema.drop(db)
          try IndexSchema.create(db)
        }
        return IndexStore(root: root, queue: queue, reset: reason, clock)
      }
      try queue.close()
      return try reset(path, root: root, because: reason, clock)
    }
    if isEmpty {
      try queue.write(IndexSchema.create)
      let reason: ResetReason? = isNew ? nil : .damaged("it held nothing")
      return IndexStore(root: root, queue: queue, reset: reason, clock)
    }
    // What is torn or missing shows here, and not in the middle of the work.
    if !isMarked {
      let differences = try queue.unsafeRead(IndexShape.differences)
      if !differences.isEmpty { try queue.write { try IndexShape.mend(differences, $0) } }
    }
    try queue.unsafeRead { db in
      _ = try RowStatement(db, "SELECT count(*) FROM sqlite_schema").number()
      _ = try RowStatement(db, "SELECT max(id) FROM message").number()
      _ = try RowStatement(db, "SELECT max(rowid) FROM message_text WHERE rowid < 0").number()
    }
    return IndexStore(root: root, queue: queue, reset: nil, clock)
  }

  private static func isOurs(_ application: Int64, _ version: Int64) -> Bool {
    application == Int64(IndexSchema.applicationID) && version == Int64(IndexSchema.version)
  }

  private init(root: String, queue: DatabaseQueue, reset: ResetReason?, _ clock: WriteClock) {
    self.root = root
    self.queue = queue
    self.reset = reset
    self.clock = clock
  }

  /// Opens an index that is there, whatever is in it. Where an update is under way, its transactions leave gaps for
  /// those who look often: ``ShortTransactions``.
  static func openAsItIs(root: String) throws(IndexError) -> IndexStore {
    do {
      let path = IndexReader.path(root: root)
      _ = try IndexPlace.hasFile(path)
      let clock = WriteClock()
      var configuration = configuration(clock)
      // SQLite's own patience sleeps for a tenth of a second at a time.
      configuration.busyMode = .callback { tries in
        usleep(1000)
        return tries < 10_000
      }
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      return IndexStore(root: root, queue: queue, reset: nil, clock)
    } catch {
      throw IndexError(error)
    }
  }

  // MARK: Emptying

  private static func reset(
    _ path: String, root: String, because reason: ResetReason, _ clock: WriteClock
  ) throws(IndexError) -> IndexStore {
    do {
      try empty(path)
      let queue = try DatabaseQueue(path: path, configuration: configuration(clock))
      try queue.write(IndexSchema.create)
      return IndexStore(root: root, queue: queue, reset: reason, clock)
    } catch {
      throw IndexError(error)
    }
  }

  /// Empties the file through SQLite, which tells the readers; never by unlinking it.
  static func empty(_ path: String) throws {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX
    guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, let handle else {
      throw IndexError.notWritable(path)
    }
    defer { sqlite3_close_v2(handle) }
    sqlite3_busy_timeout(handle, 10_000)
    // The schema must have been read before, says the manual; of a damaged file it cannot be.
    sqlite3_exec(handle, "PRAGMA application_id", nil, nil, nil)
    sqlite3_exec(handle, "PRAGMA auto_vacuum = INCREMENTAL", nil, nil, nil)
    sqlite_set_reset(UnsafeMutableRawPointer(handle), 1)
    let code = sqlite3_exec(handle, "VACUUM", nil, nil, nil)
    sqlite_set_reset(UnsafeMutableRawPointer(handle), 0)
    if code == SQLITE_BUSY || code == SQLITE_LOCKED { throw IndexError.locked }
    guard code == SQLITE_OK else {
      throw IndexError.failed("emptying the index: \(String(cString: sqlite3_errmsg(handle)))")
    }
  }

  /// Leaves an empty file, of which the pages of before are cut off, and an empty log.
  ///
  /// - Throws: ``IndexError/locked`` where a reader stays in the old index.
  static func erase(root: String) throws(IndexError) {
    let path = IndexReader.path(root: root)
    do {
      guard try IndexPlace.hasFile(path) else { return }
      try empty(path)
      let queue = try DatabaseQueue(path: path, configuration: configuration(WriteClock()))
      defer { try? queue.close() }
      // SQLite cuts the file when it brings the log into it.
      let isBusy = try queue.inDatabase {
        try Int64.fetchOne($0, sql: "PRAGMA wal_checkpoint(TRUNCATE)") != 0
      }
      if isBusy { throw IndexError.locked }
    } catch {
      throw IndexError(error)
    }
  }

  // MARK: Working

  /// What `PRAGMA auto_vacuum` answers.
  private static let incremental: Int64 = 2

  private static func configuration(_ clock: WriteClock) -> Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    configuration.label = "index.writer"
    configuration.maximumReaderCount = 1
    // The tables refer to none.
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { db in
      db.preparesPlainly()
      // Before the journal's mode, which makes the file's first page. Where it is so already, SQLite would write that
      // page all the same.
      if try RowStatement(db, "PRAGMA auto_vacuum").number() != Self.incremental {
        try db.run(plain: "PRAGMA auto_vacuum = INCREMENTAL")
      }
      try db.run(
        plain: """
          PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = OFF;
          PRAGMA cache_size = -8192; PRAGMA journal_size_limit = 33554432
          """)
      clock.attach(to: db)
    }
    return configuration
  }

  func write<T>(_ body: (Database) throws -> T) throws(IndexError) -> T {
    do {
      return try queue.writeWithoutTransaction { try clock.run($0, body) }
    } catch {
      throw IndexError(error)
    }
  }

  /// What `body` reads is of one moment.
  func read<T>(_ body: (Database) throws -> T) throws(IndexError) -> T {
    do {
      return try queue.unsafeRead { try Self.atOneMoment($0, body) }
    } catch {
      throw IndexError(error)
    }
  }

  /// In a transaction as SQLite has it. GRDB's own forbids writing, too: two statements more, parsed each time, which
  /// were a fifth of a run with nothing new.
  private static func atOneMoment<T>(_ db: Database, _ body: (Database) throws -> T) throws -> T {
    try db.run(plain: "BEGIN")
    // After some errors SQLite has ended it already.
    defer {
      if sqlite3_get_autocommit(db.sqliteConnection) == 0 { try? db.run(plain: "COMMIT") }
    }
    return try body(db)
  }

  /// Another connection to the same database, for work that must not meet what FTS5 remembers.
  func reopened() throws(IndexError) -> IndexStore {
    do {
      try queue.close()
      let queue = try DatabaseQueue(
        path: IndexReader.path(root: root), configuration: Self.configuration(clock))
      return IndexStore(root: root, queue: queue, reset: reset, clock)
    } catch {
      throw IndexError(error)
    }
  }

  /// Brings the log into the database, as far as readers allow, and lets go of the files.
  func close() {
    // Passive: another kind would wait for readers.
    try? queue.inDatabase { db in try db.run(plain: "PRAGMA wal_checkpoint(PASSIVE)") }
    try? queue.close()
  }

  // MARK: Facts

  static func fact(_ key: String, _ db: Database) throws -> Int64? {
    let value = try RowStatement(db, "SELECT value FROM meta WHERE key = ?")
    value.bind(key, at: 1)
    return try value.number()
  }

  static func setFact(_ key: String, _ value: Int64, _ db: Database) throws {
    try db.execute(
      sql: "INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
      arguments: [key, value])
  }
}

/// Why an index was made anew.
package enum ResetReason: Sendable, Equatable {
  case asked
  case otherVersion
  case damaged(String)
}
