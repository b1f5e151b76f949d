import GRDB

/// Looks at an index before it is updated, as closely as every run can afford: by counts, and once
/// in a while at every page.
struct Soundness {
  let store: IndexStore
  /// Unix seconds.
  let now: Int64

  /// Seconds from one look at all pages to the next.
  static let interval: Int64 = 14 * 86_400
  /// Of an index: when all its pages were last known to be good.
  static let checkedFact = "checked"

  /// Call when nothing is interrupted.
  ///
  /// - Parameter isMarked: whether the index is as an update left it (``SoundMark``).
  /// - Throws: ``IndexError/damaged(_:)``.
  func look(isMarked: Bool) throws(IndexError) {
    if !isMarked { try count() }
    let checked = try store.read { try IndexStore.fact(Self.checkedFact, $0) }
    if let checked, checked <= now, now - checked < Self.interval { return }
    if checked != nil, let words = try store.read(Self.tornPage) { throw .damaged(words) }
    try store.write { try IndexStore.setFact(Self.checkedFact, now, $0) }
  }

  /// Counts what should be as many, and remembers how many messages there are.
  private func count() throws(IndexError) {
    let (words, messages, told) = try store.read { db in
      // Mapped, the counts' thousands of pages cost no memory and no calls.
      try db.execute(sql: "PRAGMA mmap_size = \(1 << 40)")
      defer { try? db.execute(sql: "PRAGMA mmap_size = 0") }
      return (
        try Self.disagreement(db), try MessageCount.counted(db),
        try IndexStore.fact(MessageCount.fact, db)
      )
    }
    if let words { throw .damaged(words) }
    if messages != told {
      try store.write { try IndexStore.setFact(MessageCount.fact, messages, $0) }
    }
  }

  /// Rows that went away without those that belong to them. Counts of small trees: a page of them
  /// holds hundreds of rows.
  static func disagreement(_ db: Database) throws -> String? {
    func count(_ what: String) throws -> Int64 {
      try Int64.fetchOne(db, sql: "SELECT \(what)") ?? 0
    }
    let messages = try MessageCount.counted(db)
    if try count("count(*) FROM message_text_docsize") != messages + count("count(*) FROM dead") {
      return "messages and search text are not as many"
    }
    if try count("count(*) FROM file") != count("sum(total) FROM mailbox") {
      return "the folders don't hold as many files as they should"
    }
    return nil
  }

  /// What is wrong with the pages of a table or its indexes, or with the rows that threads are made
  /// from, whose count takes a look at as many pages. The search text's own structure is not
  /// looked into, which would take many times as long: a search that meets damage tells.
  static func tornPage(_ db: Database) throws -> String? {
    let tables = try String.fetchAll(
      db,
      sql: """
        SELECT name FROM sqlite_schema
        WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND sql NOT LIKE 'CREATE VIRTUAL%'
        """)
    for table in tables {
      let line = try String.fetchOne(
        db, sql: "PRAGMA quick_check(\(table.quotedDatabaseIdentifier))")
      if let line, line != "ok" { return line }
    }
    let isWhole = try Bool.fetchOne(
      db, sql: "SELECT (SELECT count(*) FROM thread_node) = (SELECT count(*) FROM message)")
    return isWhole == true ? nil : "messages and what their threads are made from are not as many"
  }
}
