import GRDB
import GRDBSQLite

/// Moves the segments of one FTS5 table of search text into another's, page by page.
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
      try adoptSegments(of: source, into: db)
      try copySizes(source, db)
      let totals = try FTSTotals(record(averages, db)) + FTSTotals(record(averages, source))
      try put(averages, totals.bytes, db)
    }
  }

  /// Without what FTS5 keeps of each row, and its totals.
  static func adoptSegments(of source: Database, into db: Database) throws {
    let numbers = try addSegments(of: source, to: db)
    let insert = try PageInsert(db)
    try forEachPage(of: source) { id, page in
      if let number = numbers[id >> segmentShift] { try insert.run(place(id, number), page) }
    }
    try copyTopLevel(source, db, numbers)
  }

  /// Puts the segments of `source` in the place of all that the index has: the same text, merged. In several transactions,
  /// lest its log become as large as the text.
  ///
  /// - Parameters:
  ///   - begin: is called in the first of them, from which on the text is not whole.
  ///   - end: is called in the last of them.
  static func replaceSegments(
    by source: Database, in store: IndexStore, begin: (Database) throws -> Void,
    end: (Database) throws -> Void
  ) throws {
    try store.write { db in
      try clear(db)
      try begin(db)
    }
    let numbers = try FTSStructure(record(structure, source)).numbers
    var last = structure
    var isThrough = false
    while !isThrough {
      try store.write { db in
        let insert = try PageInsert(db)
        var count = 0
        try forEachPage(of: source, after: last, limit: pagesAtOnce) { id, page in
          (count, last) = (count + 1, id)
          if numbers.contains(id >> segmentShift) { try insert.run(id, page) }
        }
        isThrough = count < pagesAtOnce
      }
    }
    try store.write { db in
      var ours = try FTSStructure(record(structure, db))
      ours.levels = try FTSStructure(record(structure, source)).levels
      try put(structure, ours.bytes, db)
      try copyTopLevel(source, db, Dictionary(uniqueKeysWithValues: numbers.map { ($0, $0) }))
      try end(db)
    }
  }

  /// 8 MiB.
  private static let pagesAtOnce = 2000

  /// How many segments a query looks into.
  static func count(_ db: Database) throws -> Int {
    try FTSStructure(record(structure, db)).segmentCount
  }

  /// Leaves search text without a segment.
  private static func clear(_ db: Database) throws {
    var none = try FTSStructure(record(structure, db))
    none.levels = []
    let totals = try record(averages, db)
    // Without a condition SQLite frees the pages as they are.
    try db.execute(sql: "DELETE FROM message_text_data; DELETE FROM message_text_idx")
    try put(averages, totals, db)
    try put(structure, none.bytes, db)
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

  /// Lists the segments of `source` in `db`. Returns their numbers there by those that they had.
  private static func addSegments(of source: Database, to db: Database) throws -> [Int64: Int64] {
    var ours = try FTSStructure(record(structure, db))
    var numbers: [Int64: Int64] = [:]
    for level in try FTSStructure(record(structure, source)).levels {
      for segment in level.segments { numbers[segment.id] = try ours.adopt(segment) }
    }
    try put(structure, ours.bytes, db)
    return numbers
  }

  /// The same page of another segment.
  private static func place(_ id: Int64, _ segment: Int64) -> Int64 {
    segment << segmentShift | id & (1 << segmentShift - 1)
  }

  private static func forEachPage(
    of source: Database, after last: Int64 = structure, limit: Int = -1,
    _ body: (Int64, UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let pages = try RowStatement(
      source, "SELECT id, block FROM message_text_data WHERE id > ? ORDER BY id LIMIT ?")
    pages.bind([last, Int64(limit)])
    try pages.forEachRow { try body($0.number(0), $0.bytes(1)) }
  }

  private struct PageInsert {
    private let insert: RowStatement

    init(_ db: Database) throws {
      insert = try RowStatement(db, "INSERT INTO message_text_data(id, block) VALUES (?, ?)")
    }

    func run(_ id: Int64, _ page: UnsafeRawBufferPointer) throws {
      insert.bind(id, at: 1)
      insert.bindUncopied(blob: page, at: 2)
      defer { insert.bindNull(at: 2) }
      try insert.run()
    }
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
