import GRDB

/// How many messages an index has, kept as a fact beside them: counting a million takes longer than most updates.
enum MessageCount {
  static let fact = "messages"

  static func read(_ db: Database) throws -> Int64 {
    try IndexStore.fact(fact, db) ?? counted(db)
  }

  static func counted(_ db: Database) throws -> Int64 {
    try RowStatement(db, "SELECT count(*) FROM message").number() ?? 0
  }

  /// In the transaction that made the rows, or removed them.
  static func add(_ number: Int, _ db: Database) throws {
    // Of an index from before, whose rows were not counted yet, the next look counts them.
    guard number != 0, let known = try IndexStore.fact(fact, db) else { return }
    try IndexStore.setFact(fact, known + Int64(number), db)
  }
}
