import GRDB
import MailCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Merges the segments of the search text after a build: each segment costs every query a look, and few large ones take
/// less room.
///
/// FTS5 does that on one core, as long as all else that a build leaves for its end. So it is done beside that, in a table of
/// its own in a file of its own, which then takes the place of what the index has.
final class SearchMerge: Sendable {
  private let root: String
  private let outcome = Mutex(Outcome())

  private struct Outcome {
    var merged: DatabaseQueue?
    var failure: IndexError?
  }

  /// Up to so many, a merge costs more than it brings.
  static let enough = 24

  /// Nil where the segments are few.
  init?(of store: IndexStore, enough: Int) throws(IndexError) {
    guard try store.read(SegmentAdoption.count) > enough else { return nil }
    root = store.root
  }

  /// Where the merge fails, as on a disk that has no room for the text twice, the index stays as it is: whole, and slower
  /// to search.
  ///
  /// - Throws: what `body` throws.
  func run(beside body: @escaping @Sendable () throws(IndexError) -> Void) throws(IndexError) {
    onThreads(2, stack: 8) { [self] number in
      if number == 0 {
        do throws(IndexError) { try body() } catch { outcome.withLock { $0.failure = error } }
      } else if let queue = try? MergedText.make(of: root) {
        outcome.withLock { $0.merged = queue }
      }
    }
    if let failure = outcome.withLock(\.failure) { throw failure }
  }

  /// Of a build that was interrupted while it put the merged text in its place: it has to begin anew.
  static let isReplacing: Int64 = 2

  func replace(in store: IndexStore) throws(IndexError) {
    guard let queue = outcome.withLock(\.merged), hasRoom else { return }
    do {
      try queue.read { source in
        try SegmentAdoption.replaceSegments(by: source, in: store) {
          try IndexStore.setFact(BulkAdditions.underWayFact, Self.isReplacing, $0)
        } end: {
          try IndexStore.setFact(BulkAdditions.underWayFact, 1, $0)
        }
      }
      try queue.close()
    } catch {
      throw IndexError(error)
    }
  }

  /// Bytes: four times the log. A disk that fills while the text is replaced would cost the whole build, and the next one, too.
  private static let room: UInt64 = 128 << 20

  private var hasRoom: Bool {
    var disk = statvfs()
    guard statvfs(root + "/.mirror", &disk) == 0 else { return false }
    return UInt64(disk.f_bavail) * UInt64(disk.f_frsize) >= Self.room
  }
}

/// A database of search text alone, whose file goes with the process.
private enum MergedText {
  /// The text of the index, merged.
  static func make(of root: String) throws -> DatabaseQueue {
    let path = root + "/.mirror/merge.db"
    unlink(path)
    guard PrivateFile.make(path) else { throw IndexError.notWritable(path) }
    defer { unlink(path) }
    // FTS5 remembers the segments that it made: only another connection finds those that are put in by hand.
    let (gathering, merging) = (try open(path), try open(path))
    unlink(path)
    try gathering.write { db in
      try db.execute(sql: IndexSchema.textTable)
      try IndexReader.open(root: root).read { try SegmentAdoption.adoptSegments(of: $0, into: db) }
    }
    try gathering.close()
    try merging.write { db in
      try db.execute(
        sql: "INSERT INTO message_text(message_text, rank) VALUES('merge', \(Int32.max))")
    }
    return merging
  }

  private static func open(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.label = "index.merge"
    configuration.prepareDatabase { db in
      try db.execute(
        sql: """
          PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA secure_delete = OFF;
          PRAGMA cache_size = -1024
          """)
    }
    return try DatabaseQueue(path: path, configuration: configuration)
  }
}
