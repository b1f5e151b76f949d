import GRDB

/// Tells the threads what happens to messages: at once, or, in a first build, when all are there.
///
/// Lives in one write transaction.
struct ThreadChanges {
  enum Way: Sendable { case atOnce, atEnd }

  private let db: Database
  private var store: ThreadStore?

  /// The fact that says that the threads wait for ``rebuild(_:)``, also after an interruption.
  static let staleFact = "threads_stale"

  init(_ db: Database, _ way: Way) throws {
    self.db = db
    switch way {
    case .atOnce: store = ThreadStore(db)
    case .atEnd: try IndexStore.setFact(Self.staleFact, 1, db)
    }
  }

  mutating func add(_ message: Int64, _ facts: ThreadFacts) throws {
    if store == nil {
      try ThreadStore.record(message, facts, in: db)
    } else {
      try store?.add(message, facts)
    }
  }

  /// Before the message's row is deleted.
  mutating func remove(_ message: Int64) throws { try store?.remove(message) }

  mutating func flagsChanged(_ message: Int64) throws { try store?.flagsChanged(message) }

  /// Before the commit.
  mutating func settle() throws { try store?.settle() }

  static func rebuildIfStale(_ db: Database) throws {
    guard try IndexStore.fact(staleFact, db) == 1 else { return }
    try ThreadStore.rebuild(db)
    try IndexStore.setFact(staleFact, 0, db)
  }
}
