import GRDB
import GRDBSQLite

/// An FTS5 table of a thread's own, in memory, that search text is put into before it joins the
/// index: tokenizing and sorting are most of the work of a build, and so go on in all threads.
///
/// Each batch becomes one segment (FTS5's b-tree), whose pages then move into `message_text` as they
/// are: see ``SegmentAdoption``.
final class TextShard: Sendable {
  private let queue: DatabaseQueue

  /// More than any batch, so that FTS5 writes once, at the commit.
  private static let hashSize = 512 << 20

  init() throws {
    var configuration = Configuration()
    configuration.label = "index.shard"
    configuration.prepareDatabase { db in
      try db.execute(
        sql:
          "PRAGMA journal_mode = OFF; PRAGMA secure_delete = OFF; PRAGMA locking_mode = EXCLUSIVE")
    }
    queue = try DatabaseQueue(configuration: configuration)
    try queue.write { db in
      try db.execute(sql: IndexSchema.textTable)
      try db.execute(
        sql: "INSERT INTO message_text(message_text, rank) VALUES('hashsize', \(Self.hashSize))")
    }
  }

  /// Takes a batch, ascending by number, in place of the last.
  func fill(_ batch: [(id: Int64, text: SearchText)]) throws {
    try queue.write { db in
      try db.execute(sql: "INSERT INTO message_text(message_text) VALUES('delete-all')")
    }
    try queue.write { db in
      let rows = try SearchRows(db)
      for entry in batch { try rows.add(entry.id, entry.text) }
    }
  }

  /// Access to the shadow tables, for ``SegmentAdoption``.
  func read<T>(_ body: (Database) throws -> T) throws -> T { try queue.read(body) }
}
