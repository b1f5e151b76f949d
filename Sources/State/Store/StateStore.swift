import CSQLiteCalls
import GRDB
import GRDBSQLite
import Ledger
import MailCore

/// An account's state.db: authoritative, small, written only under the account's lock.
///
/// Calls block; they belong on a connection's own thread. Readers of other processes never wait (WAL).
package final class StateStore: Sendable {
  package let path: String
  let queue: DatabaseQueue

  /// Spares SQLite's allocations a shared lock; done once, before SQLite is first used.
  private static let isTuned: Bool = sqlite_stop_memory_statistics() == SQLITE_OK

  /// Opens or creates the database.
  ///
  /// - Parameter durable: whether a commit survives a power cut.
  /// - Throws: ``StateError/damaged(_:)`` when it must be rebuilt.
  package init(path: String, durable: Bool, readOnly: Bool = false) throws(StateError) {
    self.path = path
    _ = Self.isTuned
    do {
      if !readOnly { try Self.checkLength(path) }
      var configuration = Configuration()
      // A reader opens for writing, where it may, and writes nothing: only so does SQLite remove its side files when
      // the last one closes. A log that a killed run left is not folded in: that is the next run's.
      configuration.readonly = readOnly && Self.isForReadingOnly(path)
      let isFrozen = readOnly && Self.isFrozen(path)
      configuration.busyMode = .timeout(10)
      configuration.prepareDatabase { db in
        // Not by GRDB's own setting: that writes to the database each time it is opened.
        if !readOnly { try db.execute(sql: "PRAGMA journal_mode = WAL") }
        try db.execute(sql: "PRAGMA synchronous = \(durable ? "FULL" : "OFF")")
        // Where `fsync` leaves data in the drive's cache (macOS), files are synced as fully as this.
        if durable {
          try db.execute(sql: "PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON")
        }
        try db.execute(sql: "PRAGMA cache_size = -1024")
        try db.execute(sql: "PRAGMA temp_store = MEMORY")
        if readOnly { try db.execute(sql: "PRAGMA query_only = 1") }
      }
      let opened = try DatabaseQueue(
        path: isFrozen ? Self.frozenAddress(path) : path, configuration: configuration)
      let migrator = DatabaseMigrator.state
      let (applied, complete, future) = try opened.read { db in
        (
          try migrator.appliedIdentifiers(db), try migrator.hasCompletedMigrations(db),
          try migrator.hasBeenSuperseded(db)
        )
      }
      if future { throw StateError.fromTheFuture }
      if readOnly, !complete {
        if applied.isEmpty { throw StateError.damaged("no tables") }
        // An older program's: what is to be read is brought up to date beside it.
        defer { try? opened.close() }
        queue = try Self.scratch(copying: opened)
      } else {
        queue = opened
      }
      guard !complete else { return }
      if applied.isEmpty, durable, !readOnly {
        try Self.make(queue, migrator)
      } else {
        try migrator.migrate(queue)
      }
    } catch {
      throw StateError(error)
    }
  }

  /// Without a sync for each of the steps of its making: the first commit that follows syncs the log with all of them, and
  /// as much of them as reached the disk before holds.
  private static func make(_ new: DatabaseQueue, _ migrator: DatabaseMigrator) throws {
    func sync(_ how: String) throws {
      try new.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = \(how)") }
    }
    try sync("OFF")
    try migrator.migrate(new)
    try sync("FULL")
  }

  /// A copy to try things on: a nameless temporary database that vanishes when it is shut. What is on disk stays, but
  /// for the side files that SQLite makes and removes while it reads: without them a run that goes on meanwhile could
  /// write what is being read.
  ///
  /// - Parameter path: nil for an empty state.
  /// - Throws: ``StateError/damaged(_:)`` when it must be rebuilt.
  package init(rehearsing path: String?) throws(StateError) {
    self.path = ""
    do {
      if let path {
        try Self.checkLength(path)
        var reading = Configuration()
        reading.readonly = Self.isForReadingOnly(path)
        reading.busyMode = .timeout(10)
        reading.prepareDatabase { try $0.execute(sql: "PRAGMA query_only = 1") }
        let source = try DatabaseQueue(
          path: Self.isFrozen(path) ? Self.frozenAddress(path) : path, configuration: reading)
        defer { try? source.close() }
        queue = try Self.scratch(copying: source)
      } else {
        queue = try Self.scratch(copying: nil)
      }
      let migrator = DatabaseMigrator.state
      if try queue.read(migrator.hasBeenSuperseded) { throw StateError.fromTheFuture }
      try migrator.migrate(queue)
    } catch {
      throw StateError(error)
    }
  }

  private static func scratch(copying source: DatabaseQueue?) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA synchronous = OFF; PRAGMA cache_size = -2048")
    }
    let copy = try DatabaseQueue(path: "", configuration: configuration)
    try source?.backup(to: copy)
    return copy
  }

  /// Folds the log into the database and lets go of the files.
  package func shut() { try? queue.close() }

  /// One moment's state. Not by GRDB's own `read`: that has SQLite compile every statement anew each time, because it
  /// forbids writing by a pragma that expires them all.
  func read<T>(_ body: (Database) throws -> T) throws(StateError) -> T {
    do {
      return try queue.unsafeRead { db in
        try db.beginTransaction(.deferred)
        do {
          let result = try body(db)
          try db.commit()
          return result
        } catch {
          try? db.rollback()
          throw error
        }
      }
    } catch {
      throw StateError(error)
    }
  }

  func write<T>(_ body: (Database) throws -> T) throws(StateError) -> T {
    do { return try queue.write(body) } catch { throw StateError(error) }
  }
}

extension StateStore {
  // MARK: Adoption

  /// The tree is not the one that the state tells of: every mailbox is to be adopted, and from now on the state belongs
  /// to this tree. One transaction, so that an interruption neither forgets the adoption nor begins it twice.
  ///
  /// - Parameter change: writes the tree's token and the count of runs to go on from.
  package func beginAdoption(_ change: (inout AccountRecord) -> Void) throws(StateError) {
    try write { db in
      // Of one that keeps nothing, no pull would ever match the files.
      try db.execute(
        sql: "UPDATE mailbox SET needsAdoption = 1 WHERE windowStart IS NOT ?",
        arguments: [MailboxRecord.shutWindow])
      // What failed before is awaited once more.
      try db.execute(sql: "UPDATE failure SET attempts = 0")
      try Self.change(db, change)
    }
  }

  // MARK: Mailboxes

  package func mailboxes() throws(StateError) -> [MailboxRecord] {
    try read { try MailboxRecord.order(sql: "name").fetchAll($0) }
  }

  package func mailbox(_ id: MailboxKey) throws(StateError) -> MailboxRecord? {
    try read { try MailboxRecord.fetchOne($0, key: id) }
  }

  package func save(_ record: MailboxRecord) throws(StateError) {
    try write { try record.save($0) }
  }

  /// Gives a mailbox its record, as ``StateTransaction/addMailbox(name:rawName:delimiter:folder:_:)`` does.
  package func addMailbox(
    name: String, rawName: [UInt8], delimiter: String?, folder: FolderPath,
    _ complete: (inout MailboxRecord) throws -> Void = { _ in }
  ) throws(StateError) -> MailboxRecord {
    try write {
      try StateTransaction(db: $0).addMailbox(
        name: name, rawName: rawName, delimiter: delimiter, folder: folder, complete)
    }
  }

  /// Whether any mailbox got messages since a pull last visited all of them.
  package func hasArrivals() throws(StateError) -> Bool {
    try read {
      try Bool.fetchOne(
        $0, sql: "SELECT EXISTS (SELECT 1 FROM mailbox WHERE settledCursor <> forwardCursor)")
        ?? false
    }
  }

  /// A pull visited all mailboxes, and what came with it has been held against what is gone.
  ///
  /// - Parameter began: when it began, in Unix seconds.
  package func settleArrivals(_ began: Int64) throws(StateError) {
    try write { db in
      try db.execute(sql: "UPDATE mailbox SET settledCursor = forwardCursor")
      try Self.change(db) { $0.wholePull = began }
    }
  }

  // MARK: The account

  package func account() throws(StateError) -> AccountRecord { try read(Self.account) }

  /// Writes nothing where nothing is changed.
  package func changeAccount(_ change: (inout AccountRecord) -> Void) throws(StateError) {
    try write { try Self.change($0, change) }
  }

  private static func account(_ db: Database) throws -> AccountRecord {
    try AccountRecord.fetchOne(db) ?? AccountRecord()
  }

  private static func change(_ db: Database, _ change: (inout AccountRecord) -> Void) throws {
    let known = try account(db)
    var account = known
    change(&account)
    if account != known { try account.save(db) }
  }

  // MARK: Failures

  package func failures() throws(StateError) -> [FailureRecord] {
    try read { try FailureRecord.order(sql: "mailbox, uid").fetchAll($0) }
  }

  /// One more failed attempt at a whole mailbox. After one that passes by itself the mailbox is awaited as after the first.
  package func recordFailure(
    mailbox: MailboxKey, at time: Int64, reason: String, passesByItself: Bool
  ) throws(StateError) {
    try record(
      [FailureRecord(mailbox: mailbox, uid: nil, attempts: 1, lastAttempt: time, reason: reason)],
      counting: !passesByItself)
  }

  /// One more failed attempt each.
  ///
  /// - Parameter counts: false where it is to count as the first attempt.
  package func record(_ failures: [FailureRecord], counting counts: Bool = true) throws(StateError)
  {
    try write { db in
      for failure in failures {
        try db.execute(
          sql: """
            INSERT INTO failure VALUES (?, ?, 1, ?, ?, ?, ?)
            ON CONFLICT (mailbox, ifnull(uid, 0)) DO UPDATE SET attempts = iif(?, attempts + 1, 1),
            lastAttempt = excluded.lastAttempt, reason = excluded.reason, others = excluded.others, isCut = excluded.isCut
            """,
          arguments: [
            failure.mailbox, failure.uid, failure.lastAttempt, failure.reason,
            failure.others, failure.isCut, counts,
          ])
      }
    }
  }

  /// Forgets the failures of a mailbox but for those under these UIDs.
  package func keepFailures(_ uids: Set<UInt32>, of mailbox: MailboxKey) throws(StateError) {
    try write { db in
      let recorded = try UInt32?.fetchAll(
        db, sql: "SELECT uid FROM failure WHERE mailbox = ?", arguments: [mailbox])
      for uid in recorded where uid.map(uids.contains) != true {
        try db.execute(
          sql: "DELETE FROM failure WHERE mailbox = ? AND uid IS ?", arguments: [mailbox, uid])
      }
    }
  }

  // MARK: Runs

  /// Keeps the newest hundred.
  package func append(_ run: RunRecord) throws(StateError) {
    try write {
      try run.insert($0)
      try $0.execute(sql: "DELETE FROM run WHERE id <= (SELECT max(id) FROM run) - 100")
    }
  }

  /// - Parameter kind: of any kind where nil.
  package func lastRun(_ kind: String? = nil) throws(StateError) -> RunRecord? {
    try read {
      try RunRecord.filter(sql: "?1 IS NULL OR kind = ?1", arguments: [kind])
        .order(sql: "id DESC").fetchOne($0)
    }
  }
}
