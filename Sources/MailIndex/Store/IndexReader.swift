import GRDB
import GRDBSQLite

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An index opened to be read. It never waits for an updater, and an updater never for it (WAL).
package final class IndexReader: Sendable {
  /// The tree's root; paths in the index are relative to it.
  package let root: String
  private let queue: DatabaseQueue

  private init(root: String, queue: DatabaseQueue) {
    self.root = root
    self.queue = queue
  }

  /// Where the index of a tree lies.
  package static func path(root: String) -> String { root + "/.mirror/index.db" }

  /// - Throws: ``IndexError/missing(root:)``, ``IndexError/otherVersion``,
  ///   ``IndexError/damaged(_:)``.
  package static func open(root: String) throws(IndexError) -> IndexReader {
    let path = path(root: root)
    guard try IndexPlace.hasFile(path) else { throw .missing(root: root) }
    do {
      let reader = IndexReader(root: root, queue: try openQueue(path))
      try reader.queue.read(checkVersion)
      return reader
    } catch {
      throw noted(error, root: root)
    }
  }

  /// Runs `body` over one state of the index: updates that are committed meanwhile don't show.
  package func read<T>(_ body: (Database) throws -> T) throws(IndexError) -> T {
    do { return try queue.read(body) } catch { throw Self.noted(error, root: root) }
  }

  /// Damage that SQLite meets is noted for the next update, which reads too little to meet it.
  private static func noted(_ error: any Error, root: String) -> IndexError {
    let problem = IndexError(error)
    if case .damaged(let words) = problem, error is DatabaseError {
      DamageMark.leave(root: root, words)
    }
    return problem
  }

  private static func openQueue(_ path: String) throws -> DatabaseQueue {
    do {
      return try DatabaseQueue(path: path, configuration: configuration)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CANTOPEN {
      // Read-only media have no room for the -shm file. Without a log there is nothing to share.
      guard access(path + "-wal", F_OK) != 0 else { throw error }
      let escaped = path.unicodeScalars.map { scalar in
        "?#%".unicodeScalars.contains(scalar)
          ? "%" + String(scalar.value, radix: 16) : String(scalar)
      }
      return try DatabaseQueue(
        path: "file:" + escaped.joined() + "?immutable=1", configuration: configuration)
    }
  }

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.readonly = true
    // The tables refer to none.
    configuration.foreignKeysEnabled = false
    configuration.busyMode = .timeout(5)
    configuration.label = "index.reader"
    configuration.prepareDatabase { db in
      db.preparesPlainly()
      // No memory map: a reset in place cuts the file, and a map of it would end the process.
      try db.run(plain: "PRAGMA query_only = 1; PRAGMA cache_size = -8192")
    }
    return configuration
  }

  private static func checkVersion(_ db: Database) throws {
    let application = try RowStatement(db, "PRAGMA application_id").number()
    let version = try RowStatement(db, "PRAGMA user_version").number()
    guard application == Int64(IndexSchema.applicationID), version == Int64(IndexSchema.version)
    else {
      // A reset leaves an empty database for a moment.
      throw application == 0 && version == 0
        ? IndexError.damaged("it holds nothing") : IndexError.otherVersion
    }
  }
}
