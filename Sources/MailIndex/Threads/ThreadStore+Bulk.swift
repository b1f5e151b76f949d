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
  /// About 120 bytes of memory a message beside what SQLite needs.
  package static func rebuild(_ db: Database) throws {
    try db.execute(
      sql: """
        DELETE FROM thread_node WHERE message NOT IN (SELECT id FROM message);
        DELETE FROM thread_key;
        DELETE FROM thread_subject;
        DELETE FROM thread_hub;
        DELETE FROM thread;
        """)
    let nodes = try read(db)
    let links = ThreadLinker.link(nodes, hubs: nil)
    try writeHubs(links, db)
    try writeSubjects(nodes, db)
    try writeKeys(nodes, db)
    try writeMessages(links, nodes, db)
    try writeThreads(links, nodes, db)
  }

  static func read(_ db: Database) throws -> ThreadNodes {
    var nodes = ThreadNodes()
    nodes.reserve(Int(try RowStatement(db, "SELECT count(*) FROM thread_node").number([]) ?? 0))
    try RowStatement(db, "SELECT message, facts FROM thread_node ORDER BY message").forEachRow {
      let message = $0.number(0)
      nodes.append(
        message,
        ThreadFacts(packed: $0.bytes(1)) ?? ThreadFacts(standingInFor: message))
    }
    return nodes
  }

  private static func writeHubs(_ links: ThreadLinks, _ db: Database) throws {
    let insert = try RowStatement(db, "INSERT INTO thread_hub VALUES (?)")
    for key in links.hubs { try insert.run([key.signed]) }
  }

  private static func writeSubjects(_ nodes: ThreadNodes, _ db: Database) throws {
    let insert = try RowStatement(db, "INSERT INTO thread_subject VALUES (?, ?, ?, ?, ?)")
    let places = nodes.nodes.indices.filter { nodes[$0].subject != 0 }.sorted {
      let (a, b) = (nodes[$0], nodes[$1])
      return a.subject == b.subject ? a.precedes(b) : a.subject.signed < b.subject.signed
    }
    for place in places {
      let node = nodes[place]
      insert.bind(node.id, at: 4)
      insert.bind(node.seeksSubject ? 1 : 0 as Int64, at: 5)
      try insert.run(node.subject.signed, node.date, Int64(node.rank))
    }
  }

  private static func writeKeys(_ nodes: ThreadNodes, _ db: Database) throws {
    struct Entry {
      let key: Int64
      let place: Int32
      let role: UInt8
    }
    var entries: [Entry] = []
    entries.reserveCapacity(nodes.count + nodes.keys.count)
    for (place, node) in nodes.nodes.enumerated() {
      nodes.forEachRole(of: node) { key, role in
        entries.append(Entry(key: key.signed, place: Int32(place), role: role.rawValue))
      }
    }
    entries.sort { $0.key == $1.key ? $0.place < $1.place : $0.key < $1.key }
    let insert = try RowStatement(db, "INSERT INTO thread_key VALUES (?, ?, ?)")
    for entry in entries {
      try insert.run(entry.key, nodes[Int(entry.place)].id, Int64(entry.role))
    }
  }

  /// Only what differs: rewriting every message's row would cost more than all the rest.
  private static func writeMessages(
    _ links: ThreadLinks, _ nodes: ThreadNodes, _ db: Database
  ) throws {
    let store = ThreadStore(db)
    for place in try misplaced(links, nodes, db) {
      try store.write(
        nodes[place].id, thread: nodes[Int(links.thread[place])].id,
        parent: links.parent[place] < 0 ? nil : nodes[Int(links.parent[place])].id,
        source: links.source[place])
    }
  }

  /// Places of the messages whose rows name another thread, parent or source than the links.
  static func misplaced(_ links: ThreadLinks, _ nodes: ThreadNodes, _ db: Database) throws
    -> [Int]
  {
    var changes: [Int32] = []
    var place = 0
    try RowStatement(db, "SELECT id, thread, parent, link FROM message ORDER BY id").forEachRow {
      row in
      let id = row.number(0)
      while place < nodes.count, nodes[place].id < id { place += 1 }
      guard place < nodes.count, nodes[place].id == id else { return }
      let thread = nodes[Int(links.thread[place])].id
      let parent = links.parent[place] < 0 ? nil : nodes[Int(links.parent[place])].id
      let isRight =
        !row.isNull(1) && row.number(1) == thread && (row.isNull(2) ? nil : row.number(2)) == parent
        && row.number(3) == Int64(links.source[place].rawValue)
      if !isRight { changes.append(Int32(place)) }
    }
    return changes.map(Int.init)
  }
}
