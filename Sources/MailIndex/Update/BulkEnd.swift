import GRDB

/// What a build leaves for its end, also after an interruption: rows without their message, marks of messages with several
/// files, threads, the merge of the search text, indexes, counts of addresses. ``close(_:)`` follows when no file is left.
///
/// Several transactions: a single one over a large tree has a log as large as the index, and reads its own pages out of
/// it. Whichever are through, all are done again where the build is taken up.
struct BulkEnd {
  /// With more segments than this the search text is merged.
  let enoughSegments: Int

  /// The memory of threads grows with the messages: up to so many there is room for a merge beside them.
  private static let fewMessages = 400_000

  func run(_ store: inout IndexStore) throws(IndexError) {
    let bulk = store
    let merge = try SearchMerge(of: bulk, enough: enoughSegments)
    let isSmall = try bulk.read(MessageCount.read) <= Self.fewMessages
    if merge == nil || !isSmall { try Self.makeThreads(bulk) }
    if let merge {
      try merge.run { () throws(IndexError) in
        if isSmall { try Self.makeThreads(bulk) }
        try Self.makeIndexes(bulk)
      }
      try merge.replace(in: bulk)
    } else {
      try Self.makeIndexes(bulk)
    }
    // FTS5 must not be met by what it remembers of the segments.
    store = try store.reopened()
    try Maintenance(store: store).giveBack()
  }

  private static func makeThreads(_ store: IndexStore) throws(IndexError) {
    try store.write { db in
      try db.execute(sql: "CREATE INDEX IF NOT EXISTS file_message ON file(message, mailbox)")
      // A copy's batch may be there, and that of its message not.
      try db.execute(
        sql: """
          DELETE FROM file WHERE NOT EXISTS (SELECT 1 FROM message WHERE id = file.message)
          """)
      try FolderCount.recount(db)
      try refreshMarks(db)
    }
    try store.write { try ThreadChanges.rebuildIfStale($0) }
  }

  /// And the counts of addresses.
  private static func makeIndexes(_ store: IndexStore) throws(IndexError) {
    try store.write { db in
      try TableTwin.repack("message_address", db)
      try IndexSchema.createIndexes(db)
    }
    try store.write { try AddressRecount.run($0) }
  }

  private static func refreshMarks(_ db: Database) throws {
    let several = try Int64.fetchAll(
      db, sql: "SELECT message FROM file GROUP BY message HAVING count(*) > 1")
    let isStale = try IndexStore.fact(ThreadChanges.staleFact, db) == 1
    let marks = try MarkRows(db)
    var threads = try ThreadChanges(db, isStale ? .atEnd : .atOnce)
    for message in several where try marks.refresh(message) == true {
      try threads.flagsChanged(message)
    }
    try threads.settle()
  }

  /// From here on transactions are short.
  static func close(_ store: IndexStore) throws(IndexError) {
    try store.write { try IndexStore.setFact(BulkAdditions.underWayFact, 0, $0) }
  }
}
