import GRDB
import GRDBSQLite

/// Moves the segments of a shard's FTS5 table into the index's, page by page.
///
/// FTS5 keeps an index as segments that it merges by and by. A segment's pages stand in `%_data`
/// under (segment << 37 | page), its top level in `%_idx`, and the list of segments in the structure
/// record, `%_data` row 10. Row 1 holds the totals that ranking divides by, `%_docsize` the tokens of
/// each row. Pages name no segment, so they are good under another number. The format is FTS5's
/// version 4, which every SQLite since 3.9 reads and writes (fts5_index.c describes it).
///
/// Must run on a connection that has not used `message_text` itself, because FTS5 keeps the
/// structure in memory.
enum SegmentAdoption {
  private static let segmentShift: Int64 = 37
  private static let averages: Int64 = 1
  private static let structure: Int64 = 10

  /// - Throws: ``IndexError/failed(_:)`` for a format that this code does not know; nothing has been
  ///   changed then that the caller's rollback does not undo.
  static func adopt(_ shard: TextShard, into db: Database) throws {
    try shard.read { source in
      let theirs = try FTSStructure(record(structure, source))
      var ours = try FTSStructure(record(structure, db))
      var numbers: [Int64: Int64] = [:]
      for level in theirs.levels {
        for segment in level.segments {
          let number = try ours.adopt(segment)
          numbers[segment.id] = number
        }
      }
      try copyPages(source, db, numbers)
      try copyTopLevel(source, db, numbers)
      try copySizes(source, db)
      try put(structure, ours.bytes, db)
      let totals = try FTSTotals(record(averages, db)) + FTSTotals(record(averages, source))
      try put(averages, totals.bytes, db)
    }
  }

  /// Whether the index's search text has the form that this code knows; a later SQLite may write
  /// another one.
  static func isPossible(_ db: Database) throws -> Bool {
    do {
      _ = try FTSStructure(record(structure, db))
      return true
    } catch IndexError.failed {
      return false
    }
  }

  private static func record(_ id: Int64, _ db: Database) throws -> [UInt8] {
    let find = try RowStatement(db, "SELECT block FROM message_text_data WHERE id = ?")
    find.bind(id, at: 1)
    var bytes: [UInt8] = []
    try find.forEachRow { bytes = Array($0.bytes(0)) }
    return bytes
  }

  private static func put(_ id: Int64, _ bytes: [UInt8], _ db: Database) throws {
    let replace = try RowStatement(db, "REPLACE INTO message_text_data(id, block) VALUES (?, ?)")
    try bytes.withUnsafeBytes {
      replace.bind(id, at: 1)
      replace.bindUncopied(blob: $0, at: 2)
      try replace.run()
    }
    replace.bindNull(at: 2)
  }

  private static func copyPages(_ source: Database, _ db: Database, _ numbers: [Int64: Int64])
    throws
  {
    let insert = try RowStatement(db, "INSERT INTO message_text_data(id, block) VALUES (?, ?)")
    let pages = try RowStatement(source, "SELECT id, block FROM message_text_data WHERE id > 10")
    try pages.forEachRow { row in
      let id = row.number(0)
      guard let number = numbers[id >> segmentShift] else { return }
      insert.bind(number << segmentShift | id & (1 << segmentShift - 1), at: 1)
      insert.bindUncopied(blob: row.bytes(1), at: 2)
      try insert.run()
    }
    insert.bindNull(at: 2)
  }

  private static func copyTopLevel(_ source: Database, _ db: Database, _ numbers: [Int64: Int64])
    throws
  {
    let insert = try RowStatement(
      db, "INSERT INTO message_text_idx(segid, term, pgno) VALUES (?, ?, ?)")
    let rows = try RowStatement(source, "SELECT segid, term, pgno FROM message_text_idx")
    try rows.forEachRow { row in
      guard let number = numbers[row.number(0)] else { return }
      insert.bind(number, at: 1)
      insert.bindUncopied(blob: row.bytes(1), at: 2)
      insert.bind(row.number(2), at: 3)
      try insert.run()
    }
    insert.bindNull(at: 2)
  }

  private static func copySizes(_ source: Database, _ db: Database) throws {
    let insert = try RowStatement(db, "INSERT INTO message_text_docsize(id, sz) VALUES (?, ?)")
    let rows = try RowStatement(source, "SELECT id, sz FROM message_text_docsize")
    try rows.forEachRow { row in
      insert.bind(row.number(0), at: 1)
      insert.bindUncopied(blob: row.bytes(1), at: 2)
      try insert.run()
    }
    insert.bindNull(at: 2)
  }
}
