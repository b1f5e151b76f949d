import GRDB

/// Keeps threads right while messages come, go and change flags.
///
/// Lives in one write transaction: changes are told as they are made, ``settle()`` comes once before
/// the commit and writes `message.thread`, `parent`, `link` and the `thread` rows. A message that
/// hangs itself below a conversation without joining two costs the same however long that is;
/// whatever else happens, only the threads concerned are computed again, by the same ``ThreadLinker``
/// that computes them all. So the result is a function of the messages that are there.
package struct ThreadStore {
  let db: Database
  /// Messages whose thread is not yet known.
  var pending: Set<Int64> = []
  /// Threads that lost a message.
  var torn: Set<Int64> = []
  /// Keys that became hubs or ceased to be.
  var flipped: Set<Int64> = []
  /// Threads whose row alone is out of date, and those of which only the unread count is.
  var stale: Set<Int64> = []
  var recounted: Set<Int64> = []

  package init(_ db: Database) { self.db = db }

  /// Call after the message's row was inserted, with `thread` its own id.
  package mutating func add(_ message: Int64, _ facts: ThreadFacts) throws {
    let roles = facts.roles()
    try Self.record(message, facts, in: db)
    try insertLinks(message, facts, roles)
    let flips = try judgeHubs(roles)
    let isPlaced = try !flips && place(message, facts)
    if !isPlaced { pending.insert(message) }
  }

  /// Call before the message's row is deleted. Nothing happens where it was never added.
  package mutating func remove(_ message: Int64) throws {
    guard let facts = try facts(of: message) else { return }
    let thread = try self.thread(of: message)
    let parent = try statement("SELECT parent FROM message WHERE id = ?").number([message])
    let roles = facts.roles()
    try deleteLinks(message, facts, roles)
    let flips = try judgeHubs(roles)
    if pending.remove(message) != nil { return }
    if !stale.contains(thread),
      try statement("SELECT count FROM thread WHERE id = ?").number([thread]) == 1
    {
      try statement("DELETE FROM thread WHERE id = ?").run([thread])
    } else if try !flips && message != thread && wasLeaf(message, facts, parent: parent) {
      stale.insert(thread)
    } else {
      torn.insert(thread)
    }
  }

  /// Call after `message.flags` changed.
  package mutating func flagsChanged(_ message: Int64) throws {
    recounted.insert(try thread(of: message))
  }

  /// Brings every thread concerned up to date.
  package mutating func settle() throws {
    try recompute()
    for thread in stale { try writeRow(of: thread) }
    for thread in recounted.subtracting(stale) { try countUnread(thread) }
    self = ThreadStore(db)
  }
}

extension ThreadStore {
  func statement(_ sql: String) throws -> RowStatement { try RowStatement(db, sql) }

  func facts(of message: Int64) throws -> ThreadFacts? {
    var facts: ThreadFacts?
    try statement("SELECT facts FROM thread_node WHERE message = ?").forEachRow([message]) {
      facts = ThreadFacts(packed: $0.bytes(0)) ?? ThreadFacts(standingInFor: message)
    }
    return facts
  }

  func thread(of message: Int64) throws -> Int64 {
    try statement("SELECT ifnull(thread, id) FROM message WHERE id = ?").number([message])
      ?? message
  }

  func isHub(_ key: UInt64) throws -> Bool {
    try statement("SELECT 1 FROM thread_hub WHERE key = ?").number([key.signed]) != nil
  }

  /// Another message that has something to do with a key, of any in the given roles.
  func other(than message: Int64, at key: UInt64, _ roles: LinkRole) throws -> Int64? {
    try statement(
      "SELECT message FROM thread_key WHERE key = ? AND message <> ? AND role & ? LIMIT 1"
    ).number([key.signed, message, Int64(roles.rawValue)])
  }
}

// MARK: The inversions

extension ThreadStore {
  private func insertLinks(
    _ message: Int64, _ facts: ThreadFacts, _ roles: [UInt64: LinkRole]
  ) throws {
    let insert = try statement("INSERT OR REPLACE INTO thread_key VALUES (?, ?, ?)")
    for (key, role) in roles {
      try insert.run(key.signed, message, Int64(role.rawValue))
    }
    if facts.subject != 0 {
      try statement("INSERT OR REPLACE INTO thread_subject VALUES (?, ?, ?, ?, ?)").run([
        facts.subject.signed, facts.date, Int64(facts.rank), message, facts.seeksSubject ? 1 : 0,
      ])
    }
  }

  private func deleteLinks(
    _ message: Int64, _ facts: ThreadFacts, _ roles: [UInt64: LinkRole]
  ) throws {
    try statement("DELETE FROM thread_node WHERE message = ?").run([message])
    let delete = try statement("DELETE FROM thread_key WHERE key = ? AND message = ?")
    for key in roles.keys { try delete.run([key.signed, message]) }
    if facts.subject != 0 {
      try statement(
        "DELETE FROM thread_subject WHERE key = ? AND date = ? AND rank = ? AND message = ?"
      ).run([facts.subject.signed, facts.date, Int64(facts.rank), message])
    }
  }

  /// Looks again at the keys for which a message that came or went is evidence. Returns whether one
  /// of them became a hub or ceased to be.
  private mutating func judgeHubs(_ roles: [UInt64: LinkRole]) throws -> Bool {
    var flips = false
    for (key, role) in roles where !role.isDisjoint(with: .evidence) {
      let was = try isHub(key)
      let isHub = try judged(key)
      guard was != isHub else { continue }
      try statement(
        isHub ? "INSERT INTO thread_hub VALUES (?)" : "DELETE FROM thread_hub WHERE key = ?"
      ).run([key.signed])
      flipped.insert(key.signed)
      flips = true
    }
    return flips
  }

  private func judged(_ key: UInt64) throws -> Bool {
    var rule = HubRule()
    try statement(
      """
      SELECT n.facts, k.role FROM thread_key AS k CROSS JOIN thread_node AS n ON n.message = k.message
      WHERE k.key = ? AND k.role & ? ORDER BY k.message LIMIT ?
      """
    ).forEachRow([key.signed, Int64(LinkRole.evidence.rawValue), Int64(HubRule.enough)]) {
      if let (topic, sender) = ThreadFacts.evidence(packed: $0.bytes(0)) {
        let role = LinkRole(rawValue: UInt8(truncatingIfNeeded: $0.number(1)))
        rule.see(topic: topic, sender: sender, isOwn: role.contains(.own))
      }
    }
    return rule.isHub
  }
}

// MARK: Subjects

extension ThreadStore {
  /// The message that a reply without headers follows by its subject: ``ThreadLinker``'s rule.
  func subjectTarget(of message: Int64, _ facts: ThreadFacts) throws -> Int64? {
    guard facts.seeksSubject else { return nil }
    let window = facts.date.subtractingReportingOverflow(ThreadLinker.subjectWindow)
    return try statement(
      """
      SELECT message FROM thread_subject
      WHERE key = ?1 AND (date, rank, message) < (?2, ?3, ?4) AND date >= ?5
      ORDER BY date DESC, rank DESC, message DESC LIMIT 1
      """
    ).number([
      facts.subject.signed, facts.date, Int64(facts.rank), message,
      window.overflow ? .min : window.partialValue,
    ])
  }

  /// The message that follows this one by its subject.
  func follower(of message: Int64, _ facts: ThreadFacts) throws -> Int64? {
    guard facts.subject != 0 else { return nil }
    let end = facts.date.addingReportingOverflow(ThreadLinker.subjectWindow)
    var follower: Int64?
    try statement(
      """
      SELECT message, seeks FROM thread_subject
      WHERE key = ?1 AND (date, rank, message) > (?2, ?3, ?4) AND date <= ?5
      ORDER BY date, rank, message LIMIT 1
      """
    ).forEachRow([
      facts.subject.signed, facts.date, Int64(facts.rank), message,
      end.overflow ? .max : end.partialValue,
    ]) {
      if $0.number(1) != 0 { follower = $0.number(0) }
    }
    return follower
  }
}

extension UInt64 {
  /// As SQLite keeps it.
  var signed: Int64 { Int64(bitPattern: self) }
}
