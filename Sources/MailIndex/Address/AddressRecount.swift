import GRDB

/// Makes the counts of all addresses anew: who turns out to be the owner changes those of everybody he wrote to.
///
/// Reading for it locks nobody out, and only the counts that are wrong are written.
struct AddressRecount {
  /// Of an index: the counts wait for ``runIfDue(_:)``, also after an interruption.
  static let dueFact = "addresses_due"

  static func ask(_ db: Database) throws { try IndexStore.setFact(dueFact, 1, db) }

  static func runIfDue(_ store: IndexStore) throws(IndexError) {
    guard try store.read({ try IndexStore.fact(dueFact, $0) == 1 }) else { return }
    var short = ShortTransactions(store: store)
    try short.run(try store.read(owners)) {
      $0
    } _: { db, owner in
      try mark(owner, db)
    }
    try short.run(try store.read(wrong)) {
      $0
    } _: { db, counts in
      try write(counts, db)
    }
    try store.write { try IndexStore.setFact(dueFact, 0, $0) }
  }

  /// All in the caller's transaction: for first builds.
  static func run(_ db: Database) throws {
    for owner in try owners(db) { try mark(owner, db) }
    for counts in try wrong(db) { try write(counts, db) }
    try IndexStore.setFact(dueFact, 0, db)
  }

  /// Senders of what lies in folders for sent mail, as far as they are not yet known for owners.
  private static func owners(_ db: Database) throws -> [Int64] {
    try Int64.fetchAll(
      db,
      sql: """
        SELECT id FROM address WHERE is_own = 0 AND id IN (
          SELECT a.address FROM file AS f JOIN message_address AS a ON a.message = f.message
          WHERE a.role = 1 AND f.mailbox IN (SELECT id FROM mailbox WHERE is_sent))
        """)
  }

  private static func mark(_ owner: Int64, _ db: Database) throws {
    let update = try RowStatement(db, "UPDATE address SET is_own = 1 WHERE id = ?")
    update.bind(owner, at: 1)
    try update.run()
  }

  private struct Counts {
    let address: Int64
    let received: Int64
    let lastReceived: Int64
    let sent: Int64
    let lastSent: Int64
  }

  /// The counts as they should be, of the addresses that have others.
  private static func wrong(_ db: Database) throws -> [Counts] {
    var wrong: [Counts] = []
    try RowStatement(
      db,
      """
      SELECT p.id, ifnull(r.count, 0), ifnull(r.last, 0), ifnull(s.count, 0), ifnull(s.last, 0)
      FROM address AS p
        LEFT JOIN (
          SELECT a.address AS address, count(*) AS count, max(m.date) AS last
          FROM message_address AS a JOIN message AS m ON m.id = a.message
          WHERE a.role = 1 GROUP BY a.address) AS r ON r.address = p.id
        LEFT JOIN (
          SELECT a.address AS address, count(DISTINCT a.message) AS count, max(m.date) AS last
          FROM message_address AS a JOIN message AS m ON m.id = a.message
          WHERE a.role > 1 AND EXISTS (
            SELECT 1 FROM message_address AS o JOIN address AS own ON own.id = o.address
            WHERE o.message = a.message AND o.role = 1 AND own.is_own)
          GROUP BY a.address) AS s ON s.address = p.id
      WHERE p.received <> ifnull(r.count, 0) OR p.last_received <> ifnull(r.last, 0)
        OR p.sent <> ifnull(s.count, 0) OR p.last_sent <> ifnull(s.last, 0)
      """
    ).forEachRow {
      wrong.append(
        Counts(
          address: $0.number(0), received: $0.number(1), lastReceived: $0.number(2),
          sent: $0.number(3), lastSent: $0.number(4)))
    }
    return wrong
  }

  private static func write(_ counts: Counts, _ db: Database) throws {
    let update = try RowStatement(
      db,
      """
      UPDATE address SET received = ?2, last_received = ?3, sent = ?4, last_sent = ?5
      WHERE id = ?1
      """)
    update.bind(counts.address, at: 1)
    update.bind(counts.received, at: 2)
    update.bind(counts.lastReceived, at: 3)
    update.bind(counts.sent, at: 4)
    update.bind(counts.lastSent, at: 5)
    try update.run()
  }
}
