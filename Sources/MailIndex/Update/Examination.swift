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
/// This takes much longer than indexing them: their HTML is read as a browser reads it. So of a large first build the
/// newest are examined at once, and the others when there is time for it.
struct Examination {
  let store: IndexStore
  let examiner: any MailExaminer

  /// Of new messages, and of old ones at a first build.
  static let most = 1000
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
        try Int64.fetchAll(
          db.cachedStatement(sql: "SELECT message FROM unexamined ORDER BY message DESC LIMIT ?"),
          arguments: [count])
      }
      if ids.isEmpty { return }
      try examine(ids, below: nil)
      left -= ids.count
    }
  }

  /// The newest first.
  ///
  /// - Parameters:
  ///   - most: how many.
  ///   - time: after which no more are begun.
  func examineOld(most: Int = .max, for time: Duration? = nil) throws(IndexError) {
    let start = ContinuousClock.now
    var left = most
    while left > 0 {
      if let time, start.duration(to: .now) >= time { return }
      let count = min(left, Self.chunk)
      let (below, ids) = try store.read { db in
        let below = try IndexStore.fact(Self.oldFact, db) ?? 0
        let ids = try Int64.fetchAll(
          db.cachedStatement(sql: "SELECT id FROM message WHERE id < ? ORDER BY id DESC LIMIT ?"),
          arguments: [below, count])
        return (below, ids)
      }
      guard below > 0 else { return }
      try examine(ids, below: ids.count < count ? 0 : ids.last)
      if ids.count < count { return }
      left -= ids.count
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
