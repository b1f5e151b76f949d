import GRDB

/// First builds: facts are recorded message by message, everything else is made at the end, sorted.
extension ThreadStore {
  /// Keeps a message's facts and no more; ``rebuild(_:)`` must follow.
  package static func record(_ message: Int64, _ facts: ThreadFacts, in db: Database) throws {
    let insert = try RowStatement(db, "INSERT OR REPLACE INTO thread_node VALUES (?, ?)")
    insert.bind(message, at: 1)
    try facts.packed.withUnsafeBytes {
      insert.bindUncopied(blob: $0, at: 2)
      try insert.run()
    }
  }

  /// Makes all threads anew from the recorded facts. Facts whose message is gone are dropped.
  ///
  /// Some 40 bytes of memory a message beside what SQLite needs.
  package static func rebuild(_ db: Database) throws {
    try db.execute(
      sql: """
        DELETE FROM thread_node WHERE message NOT IN (SELECT id FROM message);
        DELETE FROM thread_hub;
        DELETE FROM thread;
        """)
    let (keyTwin, subjectTwin) = (
      try TableTwin(of: "thread_key", db), try TableTwin(of: "thread_subject", db)
    )
    let keys = try RowStatement(db, "INSERT INTO \(keyTwin.name) VALUES (?, ?, ?)")
    let subjects = try RowStatement(db, "INSERT INTO \(subjectTwin.name) VALUES (?, ?, ?, ?, ?)")
    let links = try link(
      db,
      ThreadLinker.Listener { key, message, role in
        try keys.run(key.signed, message, Int64(role.rawValue))
      } subject: { subject, message, place in
        subjects.bind(message, at: 4)
        subjects.bind(place.seeks ? 1 : 0 as Int64, at: 5)
        try subjects.run(subject.signed, place.date, Int64(place.rank))
      })
    try keyTwin.replaceTable(db)
    try subjectTwin.replaceTable(db)
    let hubs = try RowStatement(db, "INSERT INTO thread_hub VALUES (?)")
    for key in links.hubs { try hubs.run([key.signed]) }
    try writeMessages(links, db)
    try writeThreads(consume links, db)
  }

  /// Threads as the recorded facts make them.
  static func link(_ db: Database, _ listener: ThreadLinker.Listener) throws -> ThreadLinks {
    let count = Int(try RowStatement(db, "SELECT count(*) FROM thread_node").number([]) ?? 0)
    var linker = ThreadLinker(in: IndexPlace.directory(of: db), count: count)
    try RowStatement(db, "SELECT message, facts FROM thread_node ORDER BY message").forEachRow {
      let message = $0.number(0)
      try linker.add(
        message, ThreadFacts(packed: $0.bytes(1)) ?? ThreadFacts(standingInFor: message))
    }
    return try linker.link(hubs: nil, listener)
  }

  /// Only what differs: rewriting every message's row would cost more than all the rest.
  private static func writeMessages(_ links: ThreadLinks, _ db: Database) throws {
    let store = ThreadStore(db)
    for (place, isMisplaced) in try misplaced(links, db).enumerated() where isMisplaced {
      try store.write(
        links.places.ids[place], thread: links.threadID(place), parent: links.parentID(place),
        source: links.source[place])
    }
  }

  /// By the places of messages: whether a row names another thread, parent or source than the links. At a first build
  /// nearly all do.
  static func misplaced(_ links: ThreadLinks, _ db: Database) throws -> [Bool] {
    let ids = links.places.ids
    var misplaced = [Bool](repeating: false, count: ids.count)
    var place = 0
    try RowStatement(db, "SELECT id, thread, parent, link FROM message ORDER BY id").forEachRow {
      row in
      let id = row.number(0)
      while place < ids.count, ids[place] < id { place += 1 }
      guard place < ids.count, ids[place] == id else { return }
      let isRight =
        !row.isNull(1) && row.number(1) == links.threadID(place)
        && (row.isNull(2) ? nil : row.number(2)) == links.parentID(place)
        && row.number(3) == Int64(links.source[place].rawValue)
      if !isRight { misplaced[place] = true }
    }
    return misplaced
  }
}
