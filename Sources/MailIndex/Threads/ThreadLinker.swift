/// Finds threads and parents among messages: a pure function of the set, whatever the order of
/// arrival.
///
/// Threads are the connected components over own ids, In-Reply-To and References, hubs left out
/// (``HubRule``). A message that has neither header is joined by Outlook's conversation, else, where
/// its subject says that it is a reply, to the nearest earlier message of that subject within 30
/// days. Ids of messages that are not there join as well, but are nobody's parent.
///
/// The parent is In-Reply-To where that is exactly one id, else the last reference that is there,
/// else what In-Reply-To names first. Of several messages with one id the earliest is the parent;
/// the others stand beside it. Where parents go round in a circle, its earliest message has none.
///
/// Time and memory are linear in messages and keys, but for the sorting of a subject's messages.
struct ThreadLinker {
  static let subjectWindow: Int64 = 30 * 86_400

  private let all: ThreadNodes
  private var table: KeyTable
  /// Numbers of the nodes' own ids, and of `all.keys` place by place.
  private var own: [Int32] = []
  private var claimed: [Int32] = []
  private var hub: [Bool] = []
  private var sets: DisjointSets

  /// - Parameters:
  ///   - nodes: by rising message number, and complete: whatever a message is connected with is
  ///     there too.
  ///   - hubs: where they are known; nil to find them.
  static func link(_ nodes: ThreadNodes, hubs: Set<UInt64>?) -> ThreadLinks {
    var linker = ThreadLinker(nodes)
    let hubs = hubs ?? linker.findHubs()
    linker.mark(hubs)
    let owners = linker.joinByIDs()
    linker.joinConversations()
    let targets = linker.joinSubjects()
    var links = linker.parents(owners: owners, targets: targets)
    links.hubs = hubs
    cutCircles(&links, nodes)
    return links
  }

  private init(_ nodes: ThreadNodes) {
    all = nodes
    sets = DisjointSets(count: nodes.count)
    table = KeyTable(capacity: nodes.count + nodes.keys.count / 2)
    own.reserveCapacity(nodes.count)
    for node in nodes.nodes { own.append(table.number(of: node.own)) }
    claimed.reserveCapacity(nodes.keys.count)
    for key in nodes.keys { claimed.append(key == 0 ? -1 : table.number(of: key)) }
    hub = Array(repeating: false, count: table.count)
  }

  private mutating func mark(_ hubs: Set<UInt64>) {
    for key in hubs {
      if let number = table.known(key) { hub[Int(number)] = true }
    }
  }

  /// Joins what shares an id. Returns the earliest holder of each id, by key number, or -1.
  private mutating func joinByIDs() -> [Int32] {
    var holders = [Int32](repeating: -1, count: table.count)
    var owners = holders
    for (place, node) in all.nodes.enumerated() {
      let number = Int(own[place])
      if !hub[number] {
        join(place, number, &holders)
        let owner = Int(owners[number])
        if owner < 0 || node.precedes(all[owner]) { owners[number] = Int32(place) }
      }
      for claim in all.claims(of: node) where !hub[Int(claimed[claim])] {
        join(place, Int(claimed[claim]), &holders)
      }
    }
    return owners
  }

  private mutating func join(_ place: Int, _ number: Int, _ holders: inout [Int32]) {
    if holders[number] < 0 {
      holders[number] = Int32(place)
    } else {
      sets.unite(Int(holders[number]), place)
    }
  }

  /// Joins conversations of which one message at least has nothing else to be threaded by.
  private mutating func joinConversations() {
    var isSought = [Bool](repeating: false, count: table.count)
    var isAny = false
    for node in all.nodes where node.seeksConversation {
      guard let place = all.conversation(of: node) else { continue }
      isSought[Int(claimed[place])] = true
      isAny = true
    }
    guard isAny else { return }
    var holders = [Int32](repeating: -1, count: table.count)
    for (place, node) in all.nodes.enumerated() {
      guard let key = all.conversation(of: node) else { continue }
      let number = Int(claimed[key])
      if isSought[number], !hub[number] { join(place, number, &holders) }
    }
  }

  /// Joins messages by their subjects. Returns whom each such message follows.
  private mutating func joinSubjects() -> [Int: Int32] {
    var groups: [UInt64: [Int32]] = [:]
    for node in all.nodes where node.seeksSubject { groups[node.subject] = [] }
    guard !groups.isEmpty else { return [:] }
    for (place, node) in all.nodes.enumerated() where node.subject != 0 {
      groups[node.subject]?.append(Int32(place))
    }
    var targets: [Int: Int32] = [:]
    for group in groups.values where group.count > 1 {
      let ordered = group.sorted { all[Int($0)].precedes(all[Int($1)]) }
      for (earlier, later) in zip(ordered, ordered.dropFirst()) {
        let node = all[Int(later)]
        let gap = node.date.subtractingReportingOverflow(all[Int(earlier)].date)
        guard node.seeksSubject, !gap.overflow, gap.partialValue <= Self.subjectWindow else {
          continue
        }
        targets[Int(later)] = earlier
        sets.unite(Int(earlier), Int(later))
      }
    }
    return targets
  }
}

// MARK: Hubs

extension ThreadLinker {
  private func findHubs() -> Set<UInt64> {
    var evidence = [Int32](repeating: 0, count: table.count)
    for place in all.nodes.indices { forEachSuspect(of: place) { evidence[$0] += 1 } }
    var rules: [Int: HubRule] = [:]
    for (number, count) in evidence.enumerated() where count >= HubRule.many {
      rules[number] = HubRule()
    }
    guard !rules.isEmpty else { return [] }
    var seen = [Int32](repeating: 0, count: table.count)
    var hubs: Set<UInt64> = []
    for (place, node) in all.nodes.enumerated() {
      forEachSuspect(of: place) { number in
        guard evidence[number] >= HubRule.many, seen[number] < HubRule.enough else { return }
        seen[number] += 1
        rules[number]?.see(topic: node.topic, sender: node.sender)
      }
    }
    for place in all.nodes.indices {
      forEachSuspect(of: place) { number in
        guard evidence[number] >= HubRule.many, rules[number]?.isHub == true else { return }
        hubs.insert(key(number, of: place))
      }
    }
    return hubs
  }

  /// The keys for which a message is evidence (`LinkRole.evidence`), each once.
  private func forEachSuspect(of place: Int, _ body: (Int) -> Void) {
    let node = all[place]
    body(Int(own[place]))
    let answered = all.inReplyTo(of: node)
    for claim in answered where !claimed[answered.lowerBound..<claim].contains(claimed[claim]) {
      body(Int(claimed[claim]))
    }
    if let last = all.references(of: node).last, !claimed[answered].contains(claimed[last]) {
      body(Int(claimed[last]))
    }
    if let key = all.conversation(of: node) { body(Int(claimed[key])) }
  }

  private func key(_ number: Int, of place: Int) -> UInt64 {
    let node = all[place]
    if Int(own[place]) == number { return node.own }
    if let key = all.conversation(of: node), Int(claimed[key]) == number { return all.keys[key] }
    for claim in all.claims(of: node) where Int(claimed[claim]) == number { return all.keys[claim] }
    return 0
  }
}

// MARK: Parents

extension ThreadLinker {
  private mutating func parents(owners: [Int32], targets: [Int: Int32]) -> ThreadLinks {
    var links = ThreadLinks(
      thread: [], parent: Array(repeating: -1, count: all.count),
      source: Array(repeating: .none, count: all.count), hubs: [])
    let starters = conversationStarters()
    for (place, node) in all.nodes.enumerated() {
      links.thread.append(Int32(sets.root(of: place)))
      let found: (Int32, ThreadLinkSource)?
      if !node.hasNoClaims {
        found = claimedParent(of: node, owners)
      } else if let key = all.conversation(of: node) {
        found = hub[Int(claimed[key])] ? nil : starters.parent(key, self).map { ($0, .threadIndex) }
      } else {
        found = targets[place].map { ($0, .subject) }
      }
      if let (parent, source) = found, parent >= 0, parent != place {
        links.parent[place] = parent
        links.source[place] = source
      }
    }
    return links
  }

  /// Hubs have no owner, and an id of the message's own is never among its claims.
  private func claimedParent(of node: ThreadNodes.Node, _ owners: [Int32])
    -> (Int32, ThreadLinkSource)?
  {
    let answered = all.inReplyTo(of: node)
    if node.isExactlyOneID, let only = answered.first {
      let owner = owners[Int(claimed[only])]
      if owner >= 0 { return (owner, .inReplyTo) }
    }
    for claim in all.references(of: node).reversed() {
      let owner = owners[Int(claimed[claim])]
      if owner >= 0 { return (owner, .reference) }
    }
    for claim in answered {
      let owner = owners[Int(claimed[claim])]
      if owner >= 0 { return (owner, .inReplyTo) }
    }
    return nil
  }

  /// The earliest message of each whole Thread-Index, and the earliest root of each conversation.
  private struct Starters {
    var whole: [Int32: Int32] = [:]
    var root: [Int32: Int32] = [:]

    func parent(_ key: Int, _ linker: ThreadLinker) -> Int32? {
      let parent = linker.claimed[key + 2]
      guard parent >= 0 else { return nil }
      return whole[parent] ?? root[linker.claimed[key]]
    }
  }

  private func conversationStarters() -> Starters {
    var starters = Starters()
    func note(_ place: Int, _ key: Int32, in earliest: inout [Int32: Int32]) {
      if let other = earliest[key], !all[place].precedes(all[Int(other)]) { return }
      earliest[key] = Int32(place)
    }
    for (place, node) in all.nodes.enumerated() {
      guard let key = all.conversation(of: node) else { continue }
      note(place, claimed[key + 1], in: &starters.whole)
      if claimed[key + 2] < 0 { note(place, claimed[key], in: &starters.root) }
    }
    return starters
  }

  /// Every message has one parent at most, so a walk up meets a circle once, and its members all.
  private static func cutCircles(_ links: inout ThreadLinks, _ nodes: ThreadNodes) {
    var walk = [Int32](repeating: -1, count: nodes.count)
    for start in 0..<nodes.count where walk[start] < 0 {
      var place = start
      while walk[place] < 0 {
        walk[place] = Int32(start)
        guard links.parent[place] >= 0 else { break }
        place = Int(links.parent[place])
      }
      guard walk[place] == start, links.parent[place] >= 0 else { continue }
      var earliest = place
      var member = Int(links.parent[place])
      while member != place {
        if nodes[member].precedes(nodes[earliest]) { earliest = member }
        member = Int(links.parent[member])
      }
      links.parent[earliest] = -1
      links.source[earliest] = .none
    }
  }
}
