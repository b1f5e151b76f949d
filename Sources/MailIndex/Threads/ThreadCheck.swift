import GRDB

/// Computes all threads anew from the recorded facts and tells where the tables differ. Writes
/// nothing.
struct ThreadCheck {
  private let db: Database
  private let links: ThreadLinks
  private let keys: Digest
  private let subjects: Digest

  init(_ db: Database) throws {
    self.db = db
    var keys = Digest()
    var subjects = Digest()
    links = try ThreadStore.link(
      db,
      ThreadLinker.Listener { key, message, role in
        keys.add(key.signed, message, Int64(role.rawValue))
      } subject: { subject, message, place in
        subjects.add(
          subject.signed, message, place.date, Int64(place.rank), place.seeks ? 1 : 0)
      })
    self.keys = keys
    self.subjects = subjects
  }

  /// Call where every message has its facts.
  func faults() throws -> [String] {
    var faults: [String] = []
    func tell(_ count: Int, _ words: String) {
      if count > 0 { faults.append("\(count) × \(words)") }
    }
    tell(
      try ThreadStore.misplaced(links, db).count(where: \.self),
      "a message in the wrong place of its thread")
    tell(try wrongRows(), "a thread whose row is not what its messages make it")
    if try keys != Digest(db, "SELECT key, message, role FROM thread_key") {
      faults.append("the keys of the threads are not those of the messages")
    }
    if try subjects != Digest(db, "SELECT key, message, date, rank, seeks FROM thread_subject") {
      faults.append("the subjects of the threads are not those of the messages")
    }
    let hubs = Set(try Int64.fetchAll(db, sql: "SELECT key FROM thread_hub"))
    if hubs != Set(links.hubs.map(\.signed)) {
      faults.append("the keys that join nothing are not those that should")
    }
    return faults
  }

  private func wrongRows() throws -> Int {
    let find = try RowStatement(
      db,
      """
      SELECT account, latest, count, unread, root, last, subject FROM thread WHERE id = ?
      """)
    var wrong = 0
    try ThreadStore.forEachThread(links, db) { thread in
      var isRight = false
      find.bind(thread.id, at: 1)
      try find.forEachRow { row in
        isRight =
          row.number(0) == thread.account && row.number(1) == thread.latest
          && row.number(2) == thread.count && row.number(3) == thread.unread
          && row.number(4) == thread.root && row.number(5) == thread.last
          && (row.isNull(6) ? nil : row.text(6)) == thread.subject
      }
      if !isRight { wrong += 1 }
    }
    return wrong
  }
}

/// A sum over rows of numbers, the same in whatever order they come.
private struct Digest: Equatable {
  private var count = 0
  private var sum: UInt64 = 0

  init() {}

  init(_ db: Database, _ sql: String) throws {
    let rows = try Row.fetchCursor(db, sql: sql)
    while let row = try rows.next() { add((0..<row.count).map { row[$0] }) }
  }

  mutating func add(_ numbers: Int64...) { add(numbers) }

  private mutating func add(_ numbers: [Int64]) {
    count += 1
    sum &+= numbers.reduce(0) { LinkKey.mixed($0 ^ UInt64(bitPattern: $1)) }
  }
}
