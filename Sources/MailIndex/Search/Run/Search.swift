import GRDB

/// One search over one state of the index. Good within the `read` that it was made in.
package struct Search {
  /// Names in the query that the index doesn't know.
  package let unknownNames: [UnknownName]
  private let request: SearchRequest
  private let plan: SearchPlan
  private let db: Database
  private let builder: StreamBuilder

  package init(_ request: SearchRequest, in db: Database) throws {
    var planner = try SearchPlanner(db)
    plan = try planner.plan(request.query)
    unknownNames = planner.unknown
    builder = try StreamBuilder(db)
    self.request = request
    self.db = db
  }

  /// Numbers of the messages in order, from the request's offset, no more than its limit.
  package func messages() throws -> [Int64] {
    if request.limit == 0 { return [] }
    var order = try numbersInOrder()
    var messages: [Int64] = []
    var passed = 0
    while let number = try order.next() {
      passed += 1
      if passed <= request.offset { continue }
      messages.append(number)
      if messages.count == request.limit { break }
    }
    return messages
  }

  /// Threads that hold a match, each where its first match stands in the order of messages.
  package func threads() throws -> [ThreadHit] {
    if request.limit == 0 { return [] }
    var order = try numbersInOrder()
    let lookup = try ThreadLookup(db)
    var seen = Set<Int64>()
    var threads: [Int64] = []
    while let number = try order.next() {
      guard let thread = try lookup.thread(of: number),
        seen.insert(thread).inserted, seen.count > request.offset
      else { continue }
      threads.append(thread)
      if threads.count == request.limit { break }
    }
    return try HitReader(db).threads(threads)
  }

  /// How many messages match, whatever the limit.
  package func count() throws -> Int {
    if let count = try countBySQLite() { return count }
    var count = 0
    try forEachNumber { _ in count += 1 }
    return count
  }

  /// How many threads hold a match, whatever the limit.
  package func threadCount() throws -> Int {
    if plan == .everything {
      return try Int.fetchOne(db, sql: "SELECT count(*) FROM thread") ?? 0
    }
    let lookup = try ThreadLookup(db)
    var threads = Set<Int64>()
    try forEachNumber { number in
      if let thread = try lookup.thread(of: number) { threads.insert(thread) }
    }
    return threads.count
  }

  private func forEachNumber(_ body: (Int64) throws -> Void) throws {
    let stream = try builder.stream(plan)
    var bound = Int64.max
    while let number = try stream.next(atMost: bound) {
      try body(number)
      bound = number - 1
    }
  }

  /// What SQLite counts by itself.
  private func countBySQLite() throws -> Int? {
    switch plan {
    case .nothing: 0
    case .everything: try Int.fetchOne(db, sql: "SELECT count(*) FROM message")
    case .text(let match):
      try Int.fetchOne(
        db,
        sql: """
          SELECT count(*) FROM message_text
          WHERE message_text MATCH ?\(builder.withoutDead)
          """,
        arguments: [match.expression])
    case .rows(let filter):
      try Int.fetchOne(
        db,
        sql: "SELECT count(*) FROM message WHERE id BETWEEN ? AND ? AND (\(filter.sql))",
        arguments: StatementArguments(
          [filter.ids.lowerBound, filter.ids.upperBound] + filter.arguments))
    default: nil
    }
  }

  // MARK: Order

  private enum Order {
    case date(DateOrder)
    case relevance(Relevance)
    case nothing

    mutating func next() throws -> Int64? {
      switch self {
      case .date(var order):
        self = .nothing  // one owner, so the heap is changed in place
        let number = try order.next()?.number
        self = .date(order)
        return number
      case .relevance(var order):
        self = .nothing
        let number = try order.next()
        self = .relevance(order)
        return number
      case .nothing: return nil
      }
    }
  }

  private func numbersInOrder() throws -> Order {
    guard request.sort == .relevance, let text = request.query.wantedText else {
      return .date(try DateOrder(builder.stream(plan), db))
    }
    let wanted = request.limit.map { max($0, $0 &+ request.offset) }
    return .relevance(try Relevance(plan, by: text, wanted: wanted, in: db, builder))
  }
}
