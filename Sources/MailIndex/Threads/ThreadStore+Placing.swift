/// The short way for what mail mostly is: a new message that nobody mentions yet and that hangs
/// itself below one conversation, or none. Says the same as computing the conversation again.
extension ThreadStore {
  /// Whether the message found its place. If not, `settle` computes it.
  mutating func place(_ message: Int64, _ facts: ThreadFacts) throws -> Bool {
    guard try !isMentioned(message, facts), try follower(of: message, facts) == nil,
      let thread = try neighbours(of: message, facts)
    else { return false }
    guard let thread = thread.first else {
      try write(message, thread: message, parent: nil, source: .none)
      try writeRow(of: message)
      return true
    }
    // A thread is called after its smallest message.
    guard message > thread, let (parent, source) = try parent(of: message, facts) else {
      return false
    }
    try write(message, thread: thread, parent: parent, source: source)
    if !stale.contains(thread), try !extendRow(of: thread, by: message, facts) {
      stale.insert(thread)
    }
    return true
  }

  /// Whether a message that went, and whose links are gone, held nothing together and was nobody's
  /// parent: all else stands as it stood.
  func wasLeaf(_ message: Int64, _ facts: ThreadFacts, parent: Int64?) throws -> Bool {
    guard try !isMentioned(message, facts), try follower(of: message, facts) == nil else {
      return false
    }
    if let key = facts.conversation?.key, try other(than: message, at: key, .conversation) != nil {
      return false
    }
    let shared = try Set(facts.inReplyTo + facts.references).filter {
      try !isHub($0) && other(than: message, at: $0, [.own, .direct, .distant]) != nil
    }
    if shared.count <= 1 { return true }
    // Its parent still holds all the ids together that it held together.
    guard let parent, let its = try self.facts(of: parent) else { return false }
    return shared.subtracting([its.own]).subtracting(its.inReplyTo + its.references).isEmpty
  }

  /// Somebody has or names the message's id: it may join threads, or become a parent.
  private func isMentioned(_ message: Int64, _ facts: ThreadFacts) throws -> Bool {
    guard try other(than: message, at: facts.own, [.own, .direct, .distant]) != nil else {
      return false
    }
    return try !isHub(facts.own)
  }

  /// The threads that the message joins, one at most; nil where there are more, or where a neighbour
  /// has yet to find its own.
  private func neighbours(of message: Int64, _ facts: ThreadFacts) throws -> Set<Int64>? {
    var neighbours: Set<Int64> = []
    // All that share a key, if it is no hub, are in one thread: one of them speaks for all.
    for key in Set(facts.inReplyTo + facts.references) where try !isHub(key) {
      if let other = try other(than: message, at: key, [.own, .direct, .distant]) {
        neighbours.insert(other)
      }
    }
    // In a conversation that joins, it may be the parent of others: too rare for a short way.
    if let key = facts.conversation?.key, try !isHub(key),
      try other(
        than: message, at: key, facts.seeksConversation ? .conversation : .seeksConversation) != nil
    {
      return nil
    }
    if let target = try subjectTarget(of: message, facts) { neighbours.insert(target) }
    guard pending.isDisjoint(with: neighbours) else { return nil }
    let threads = Set(try neighbours.map(thread(of:)))
    return threads.count <= 1 ? threads : nil
  }

  /// The parent among what is there, by ``ThreadLinker``'s rule; nil where several messages have the
  /// parent's id.
  private func parent(of message: Int64, _ facts: ThreadFacts) throws
    -> (Int64?, ThreadLinkSource)?
  {
    if facts.seeksSubject { return (try subjectTarget(of: message, facts), .subject) }
    var candidates: [(UInt64, ThreadLinkSource)] = []
    if facts.isExactlyOneID { candidates += facts.inReplyTo.map { ($0, .inReplyTo) } }
    candidates += facts.references.reversed().map { ($0, .reference) }
    if !facts.isExactlyOneID { candidates += facts.inReplyTo.map { ($0, .inReplyTo) } }
    let holders = try statement("SELECT message FROM thread_key WHERE key = ? AND role & 1 LIMIT 2")
    for (key, source) in candidates where try !isHub(key) {
      let found = try holders.numbers([key.signed])
      if found.count > 1 { return nil }
      if let parent = found.first { return (parent, source) }
    }
    return (nil, .none)
  }

  func write(_ message: Int64, thread: Int64, parent: Int64?, source: ThreadLinkSource) throws {
    let update = try statement(
      "UPDATE message SET thread = ?2, parent = ?3, link = ?4 WHERE id = ?1")
    update.bind(message, at: 1)
    update.bind(thread, at: 2)
    update.bind(parent, at: 3)
    update.bind(Int64(source.rawValue), at: 4)
    try update.run()
  }
}
