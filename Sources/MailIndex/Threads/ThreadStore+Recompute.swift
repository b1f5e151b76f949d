/// Computing threads again, those concerned and no others.
extension ThreadStore {
  /// What a message's row says now.
  private struct Current {
    let thread: Int64
    let parent: Int64?
    let link: Int64
  }

  mutating func recompute() throws {
    var region = Region()
    region.open(pending)
    for thread in torn { region.open(try members(of: thread)) }
    for key in flipped {
      region.open(try statement("SELECT message FROM thread_key WHERE key = ?").numbers([key]))
    }
    var current: [Int64: Current] = [:]
    while let message = region.next() {
      guard let now = try self.current(message) else { continue }
      current[message] = now
      if region.threads.insert(now.thread).inserted { region.open(try members(of: now.thread)) }
      let facts = try self.facts(of: message) ?? ThreadFacts(standingInFor: message)
      region.facts[message] = facts
      try follow(message, facts, &region)
    }
    region.threads.formUnion(torn)
    guard !region.facts.isEmpty || !region.threads.isEmpty else { return }
    let links = try region.link(in: IndexPlace.directory(of: db))
    try write(links, current)
    let threads = Set(links.thread.indices.map { links.threadID($0) })
    for gone in region.threads.subtracting(threads) {
      try statement("DELETE FROM thread WHERE id = ?").run([gone])
    }
    recounted.subtract(region.threads)
    stale.subtract(region.threads)
    stale.formUnion(threads)
  }

  private func current(_ message: Int64) throws -> Current? {
    var current: Current?
    try statement("SELECT ifnull(thread, id), parent, link FROM message WHERE id = ?").forEachRow([
      message
    ]) {
      current = Current(
        thread: $0.number(0), parent: $0.isNull(1) ? nil : $0.number(1), link: $0.number(2))
    }
    return current
  }

  private func members(of thread: Int64) throws -> [Int64] {
    try statement("SELECT id FROM message WHERE thread = ?").numbers([thread])
  }

  /// Opens whatever the message is connected with now.
  private func follow(_ message: Int64, _ facts: ThreadFacts, _ region: inout Region) throws {
    let holders = try statement("SELECT message FROM thread_key WHERE key = ?")
    for key in [facts.own] + facts.inReplyTo + facts.references
    where region.keys.insert(key).inserted {
      if try isHub(key) {
        region.hubs.insert(key)
      } else {
        region.open(try holders.numbers([key.signed]))
      }
    }
    if let key = facts.conversation?.key, region.keys.insert(key).inserted {
      if try isHub(key) {
        region.hubs.insert(key)
      } else if try other(than: -1, at: key, .seeksConversation) != nil {
        region.open(try holders.numbers([key.signed]))
      }
    }
    if let target = try subjectTarget(of: message, facts) { region.open([target]) }
    if let follower = try follower(of: message, facts) { region.open([follower]) }
  }

  private func write(_ links: ThreadLinks, _ current: [Int64: Current]) throws {
    for place in links.places.ids.indices {
      let message = links.places.ids[place]
      let (thread, parent) = (links.threadID(place), links.parentID(place))
      let source = links.source[place]
      if let now = current[message], now.thread == thread, now.parent == parent,
        now.link == Int64(source.rawValue)
      {
        continue
      }
      try write(message, thread: thread, parent: parent, source: source)
    }
  }
}

/// The messages to compute again, closed over the threads they are in and those they will be in.
private struct Region {
  var facts: [Int64: ThreadFacts] = [:]
  var keys: Set<UInt64> = []
  var hubs: Set<UInt64> = []
  var threads: Set<Int64> = []
  private var seen: Set<Int64> = []
  private var open: [Int64] = []

  mutating func open(_ messages: some Sequence<Int64>) {
    for message in messages where seen.insert(message).inserted { open.append(message) }
  }

  mutating func next() -> Int64? { open.popLast() }

  func link(in directory: String) throws -> ThreadLinks {
    var linker = ThreadLinker(in: directory, count: facts.count)
    for (message, facts) in facts.sorted(by: { $0.key < $1.key }) {
      try linker.add(message, facts)
    }
    return try linker.link(hubs: hubs)
  }
}
