import GRDB

/// Tells what readers of a message are to be warned of.
package protocol MailExaminer: Sendable {
  /// Nothing where the message's file is gone or cannot be read.
  func warnings(of message: Int64, _ db: Database) throws -> [FoundWarning]
}

/// A row of the view `warnings`.
package struct FoundWarning: Sendable, Equatable {
  package var kind: String
  package var detail: String

  package init(kind: String, detail: String) {
    self.kind = kind
    self.detail = detail
  }
}

/// Looks through the messages that no run has examined for warnings.
///
/// This takes much longer than indexing them: their HTML is read as a browser reads it. So of a first build the newest
/// are examined at once, about a hundredth of their bytes, and the others when there is time for it.
struct Examination {
  let store: IndexStore
  let examiner: any MailExaminer

  /// Of new messages, and of old ones at a first build.
  private static let most = 1000
  /// Bytes of files that a first build may look through, for each message that is there, and at least.
  private static let share = (bytes: 80, least: 1 << 20)
  /// So many it looks through however large they are.
  private static let fewest = 50
  /// Looked at before the database is locked for them.
  private static let chunk = 50
  /// Messages with numbers below this one were there at the first build and are not examined yet.
  private static let oldFact = "unexamined_below"

  /// After a first build: all that is there waits.
  static func begin(_ store: IndexStore) throws(IndexError) {
    try store.write { db in
      try db.execute(sql: "DELETE FROM unexamined")
      try IndexStore.setFact(oldFact, .max, db)
    }
  }

  func examineNew() throws(IndexError) {
    var left = Self.most
    while left > 0 {
      let count = min(left, Self.chunk)
      let ids = try store.read { db in
        var ids: [Int64] = []
        let newest = try RowStatement(
          db, "SELECT message FROM unexamined ORDER BY message DESC LIMIT ?")
        newest.bind(Int64(count), at: 1)
        try newest.forEachRow { ids.append($0.number(0)) }
        return ids
      }
      if ids.isEmpty { return }
      try examine(ids, below: nil)
      left -= ids.count
    }
  }

  /// The newest of a first build, as many as cost it little.
  ///
  /// - Parameter messages: how many there are.
  func examineNewest(of messages: Int) throws(IndexError) {
    var bytes = max(Self.share.least, messages * Self.share.bytes)
    var examined = 0
    try examineOld { chunk in
      let ids = chunk.prefix { message in
        guard examined < Self.fewest || bytes > 0 && examined < Self.most else { return false }
        bytes -= message.size
        examined += 1
        return true
      }
      return ids.count
    }
  }

  /// The newest first.
  ///
  /// - Parameter time: after which no more are begun.
  func examineOld(for time: Duration? = nil) throws(IndexError) {
    let start = ContinuousClock.now
    try examineOld { chunk in
      if let time, start.duration(to: .now) >= time { return 0 }
      return chunk.count
    }
  }

  /// - Parameter wanted: how many of these messages, the newest that are left, are examined; the first fewer than all end it.
  private func examineOld(
    _ wanted: ([(id: Int64, size: Int)]) -> Int
  ) throws(IndexError) {
    while true {
      let (below, chunk) = try store.read { db in
        let below = try IndexStore.fact(Self.oldFact, db) ?? 0
        let rows = try Row.fetchAll(
          db.cachedStatement(
            sql: "SELECT id, size FROM message WHERE id < ? ORDER BY id DESC LIMIT ?"),
          arguments: [below, Self.chunk])
        return (below, rows.map { (id: $0[0] as Int64, size: $0[1] as Int) })
      }
      guard below > 0 else { return }
      let ids = chunk.prefix(wanted(chunk)).map(\.id)
      let isEnd = ids.count == chunk.count && chunk.count < Self.chunk
      if isEnd || !ids.isEmpty { try examine(ids, below: isEnd ? 0 : ids.last) }
      if isEnd || ids.count < chunk.count { return }
    }
  }

  private func examine(_ ids: [Int64], below: Int64?) throws(IndexError) {
    let found = try store.read { db in try ids.map { ($0, try examiner.warnings(of: $0, db)) } }
    try store.write { db in
      let old = try db.cachedStatement(sql: "DELETE FROM warning WHERE message = ?")
      let new = try db.cachedStatement(sql: "INSERT OR REPLACE INTO warning VALUES (?, ?, ?)")
      let done = try db.cachedStatement(sql: "DELETE FROM unexamined WHERE message = ?")
      for (id, warnings) in found {
        try old.execute(arguments: [id])
        for warning in warnings {
          try new.execute(arguments: [id, warning.kind, warning.detail])
        }
        try done.execute(arguments: [id])
      }
      if let below { try IndexStore.setFact(Self.oldFact, below, db) }
    }
  }
}
