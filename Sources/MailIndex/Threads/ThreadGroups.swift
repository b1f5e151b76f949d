/// Joins messages that share a key, and gives them the key's owner for a parent: one key after the other.
struct ThreadGroups {
  private let places: ThreadPlaces
  private let known: Set<UInt64>?
  private var sets: DisjointSets
  private var parents: ThreadParents
  private var hubs: Set<UInt64> = []
  /// Of the key that claims come of now.
  private var claims: [ThreadClaim] = []

  init(_ places: ThreadPlaces, hubs: Set<UInt64>?) {
    self.places = places
    known = hubs
    sets = DisjointSets(count: places.count)
    parents = ThreadParents(count: places.count)
  }

  mutating func add(_ claim: ThreadClaim) {
    if let key = claims.first?.key, key != claim.key { endKey() }
    claims.append(claim)
  }

  mutating func endKey() {
    guard let key = claims.first?.key else { return }
    if isHub(key) {
      hubs.insert(key)
      for claim in claims where claim.role.contains(.seeksConversation) {
        parents.refuse(claim.place)
      }
    } else if claims.count > 1 {
      joinByID()
      joinConversation()
    }
    followWholes()
    claims.removeAll(keepingCapacity: true)
  }

  /// Joins a message to the one before it with the same subject.
  mutating func follow(_ later: SubjectPlace, _ earlier: SubjectPlace) {
    let gap = later.date.subtractingReportingOverflow(earlier.date)
    guard later.seeks, !gap.overflow, gap.partialValue <= ThreadLinker.subjectWindow else { return }
    sets.unite(Int(earlier.place), Int(later.place))
    parents.offer(earlier.place, to: later.place, order: 0, .subject)
  }

  consuming func links() -> ThreadLinks {
    parents.finish(places)
    return ThreadLinks(
      places: places, thread: sets.roots(), parent: parents.parent, source: parents.source,
      hubs: known ?? hubs)
  }

  // MARK: One key

  private func isHub(_ key: UInt64) -> Bool {
    if let known { return known.contains(key) }
    guard claims.count >= HubRule.many else { return false }
    var rule = HubRule()
    var seen = 0
    for claim in claims where claim.kind == .role && !claim.role.isDisjoint(with: .evidence) {
      guard seen < HubRule.enough else { break }
      seen += 1
      rule.see(
        topic: claim.topic, sender: claim.sender, isOwn: claim.role.contains(.own))
    }
    return rule.isHub
  }

  /// The earliest of those that are meant.
  private func earliest(_ isMeant: (ThreadClaim) -> Bool) -> Int32? {
    var earliest: Int32?
    for claim in claims where isMeant(claim) {
      if let other = earliest, !places.precedes(Int(claim.place), Int(other)) { continue }
      earliest = claim.place
    }
    return earliest
  }

  private mutating func unite(_ role: LinkRole) {
    var first: Int32?
    for claim in claims where claim.kind == .role && !claim.role.isDisjoint(with: role) {
      if let first { sets.unite(Int(first), Int(claim.place)) } else { first = claim.place }
    }
  }

  private mutating func joinByID() {
    unite([.own, .direct, .distant])
    guard let owner = earliest({ $0.role.contains(.own) }) else { return }
    for claim in claims where !claim.role.isDisjoint(with: [.direct, .distant]) {
      parents.offer(
        owner, to: claim.place, order: claim.order, claim.isReference ? .reference : .inReplyTo)
    }
  }

  /// Joins a conversation of which one message at least has nothing else to be threaded by.
  private mutating func joinConversation() {
    guard claims.contains(where: { $0.role.contains(.seeksConversation) }) else { return }
    unite(.conversation)
    guard let starter = earliest({ $0.role.contains(.conversation) && $0.isStarter }) else {
      return
    }
    for claim in claims where claim.role.contains(.seeksConversation) && !claim.isStarter {
      parents.offer(starter, to: claim.place, order: claim.order, .threadIndex)
    }
  }

  /// The message whose Thread-Index another one's continues is its parent.
  private mutating func followWholes() {
    guard claims.contains(where: { $0.kind == .parentWhole }),
      let owner = earliest({ $0.kind == .whole })
    else { return }
    for claim in claims where claim.kind == .parentWhole {
      parents.offer(owner, to: claim.place, order: 0, .threadIndex)
    }
  }
}
