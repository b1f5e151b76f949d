import GRDB

/// Opens the sources of a plan.
struct StreamBuilder {
  let db: Database
  /// What leaves out texts whose message is gone.
  let withoutDead: String
  private let fewMatches: Int

  /// - Parameter fewMatches: of how many messages the threads are listed; for tests.
  init(_ db: Database, fewMatches: Int = ThreadStream.few) throws {
    self.db = db
    self.fewMatches = fewMatches
    let hasDead = try Bool.fetchOne(db, sql: "SELECT EXISTS(SELECT 1 FROM dead)") ?? false
    withoutDead = hasDead ? " AND rowid NOT IN (SELECT id FROM dead)" : ""
  }

  func stream(_ plan: SearchPlan) throws -> NumberStream {
    switch plan {
    case .everything: try rows(RowFilter("1"))
    case .nothing: NumberStream()
    case .text(let match): try text(match)
    case .rows(let filter): try rows(filter)
    case .keywords(let ids):
      try union(ids, "SELECT message FROM message_keyword WHERE keyword = ?2", "message")
    case .folders(let ids): try folders(ids)
    case .lists(let names):
      try union(names, "SELECT message FROM file WHERE list_id = ?2", "message")
    case .mediaTypes(let names):
      try union(names, "SELECT message FROM attachment WHERE media_type = ?2", "message")
    case .blindCopy(let words): try blindCopies(words)
    case .id(let id): try messages(named: id)
    case .thread(let id): try statement("SELECT id FROM message WHERE thread = ?2", [id], "id")
    case .threads(let plan): try ThreadStream.make(stream(plan), db, few: fewMatches)
    case .and(let plans): try intersection(plans)
    case .or(let plans): Union(try plans.map(stream))
    case .not(let plan): Difference(try rows(RowFilter("1")), without: try stream(plan))
    }
  }

  private func statement(
    _ sql: String, _ arguments: [any DatabaseValueConvertible], _ number: String
  ) throws -> NumberStream {
    try StatementStream(db, "\(sql) AND \(number) <= ?1 ORDER BY \(number) DESC", arguments)
  }

  /// One stream a value, so that each is read in the order of its index.
  private func union(_ values: [some DatabaseValueConvertible], _ sql: String, _ number: String)
    throws -> NumberStream
  {
    let streams = try values.map { try statement(sql, [$0], number) }
    return streams.count == 1 ? streams[0] : Union(streams)
  }

  private func text(_ match: TextMatch) throws -> NumberStream {
    try StatementStream(
      db,
      """
      SELECT rowid FROM message_text WHERE message_text MATCH ?2 AND rowid <= ?1\(withoutDead)
      ORDER BY rowid DESC
      """,
      [match.expression], steps: 256 * match.weight)
  }

  private func rows(_ filter: RowFilter) throws -> NumberStream {
    try StatementStream(
      db,
      """
      SELECT id FROM message WHERE id <= ?1 AND id >= ?2 AND (\(filter.sql)) ORDER BY id DESC
      """,
      [filter.ids.lowerBound] + filter.arguments, highest: filter.ids.upperBound)
  }

  /// Few folders are read one by one; of many, each message is asked whether it lies in one.
  private func folders(_ ids: [Int64]) throws -> NumberStream {
    if ids.count <= 8 {
      return try union(ids, "SELECT message FROM file WHERE mailbox = ?2", "message")
    }
    let marks = ids.map { _ in "?" }.joined(separator: ",")
    return try StatementStream(
      db,
      """
      SELECT id FROM message AS m WHERE id <= ?1 AND EXISTS (
        SELECT 1 FROM file WHERE message = m.id AND mailbox IN (\(marks))) ORDER BY id DESC
      """,
      ids)
  }

  private func blindCopies(_ words: String) throws -> NumberStream {
    let numbers = try Int64.fetchAll(
      db,
      sql: """
        SELECT DISTINCT ma.message FROM address AS a
        CROSS JOIN message_address AS ma ON ma.address = a.id AND ma.role = 4
        WHERE instr(lower(a.address), ?1) OR instr(lower(a.name), ?1)
        """,
      arguments: [words.lowercased()])
    return SortedNumbers(sorting: numbers)
  }

  /// A number is ours; a Message-ID of digits alone is possible, too.
  private func messages(named id: String) throws -> NumberStream {
    var numbers = Set<Int64>()
    if id.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }), let number = Int64(id) {
      numbers.formUnion(
        try Int64.fetchAll(db, sql: "SELECT id FROM message WHERE id = ?", arguments: [number]))
    }
    let isStale =
      try Bool.fetchOne(db, sql: "SELECT value FROM meta WHERE key = 'threads_stale'") ?? false
    if isStale {
      numbers.formUnion(
        try Int64.fetchAll(db, sql: "SELECT id FROM message WHERE message_key = ?", arguments: [id])
      )
    } else {
      for account in try Int64.fetchAll(db, sql: "SELECT id FROM account") {
        numbers.formUnion(try holders(of: id, account: account))
      }
    }
    return SortedNumbers(sorting: Array(numbers))
  }

  /// Messages with the Message-ID, through the keys that threads are made from.
  private func holders(of id: String, account: Int64) throws -> [Int64] {
    let key = Int64(bitPattern: LinkKey.messageID(id, account: account))
    return try Int64.fetchAll(
      db,
      sql: """
        SELECT m.id FROM thread_key AS k JOIN message AS m ON m.id = k.message
        WHERE k.key = ?1 AND m.message_key = ?2
        """,
      arguments: [key, id])
  }

  private func intersection(_ plans: [SearchPlan]) throws -> NumberStream {
    var excluded: [NumberStream] = []
    var included: [(rank: Int, stream: NumberStream)] = []
    for plan in plans {
      if case .not(let inner) = plan {
        excluded.append(try stream(inner))
      } else {
        included.append((plan.jumpCost, try stream(plan)))
      }
    }
    let streams = included.sorted { $0.rank < $1.rank }.map(\.stream)
    let base =
      streams.isEmpty
      ? try rows(RowFilter("1")) : streams.count == 1 ? streams[0] : Intersection(streams)
    if excluded.isEmpty { return base }
    return Difference(base, without: excluded.count == 1 ? excluded[0] : Union(excluded))
  }
}

extension SearchPlan {
  /// How dear it is to jump in the plan's stream, in order.
  fileprivate var jumpCost: Int {
    switch self {
    case .nothing, .id, .blindCopy: 0
    case .thread: 1
    case .keywords, .lists, .mediaTypes: 2
    case .folders: 3
    case .rows, .everything: 4
    case .and, .or, .not: 5
    case .text: 6
    case .threads: 7
    }
  }
}
