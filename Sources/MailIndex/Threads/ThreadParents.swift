/// The parents of messages as they are found, key by key: of several, the one that is asked first stays.
struct ThreadParents {
  private(set) var parent: [Int32]
  private(set) var source: [ThreadLinkSource]
  private var order: [UInt16]

  init(count: Int) {
    parent = Array(repeating: -1, count: count)
    source = Array(repeating: .none, count: count)
    order = Array(repeating: .max, count: count)
  }

  mutating func offer(_ owner: Int32, to place: Int32, order: UInt16, _ source: ThreadLinkSource) {
    let place = Int(place)
    guard order < self.order[place] else { return }
    self.order[place] = order
    parent[place] = owner
    self.source[place] = source
  }

  /// A message that no key may give a parent.
  mutating func refuse(_ place: Int32) {
    order[Int(place)] = 0
    cut(Int(place))
  }

  private mutating func cut(_ place: Int) {
    parent[place] = -1
    source[place] = .none
  }

  /// A message is not its own parent, and where parents go round in a circle, its earliest message has none.
  ///
  /// Every message has one parent at most, so a walk up meets a circle once, and its members all.
  mutating func finish(_ places: ThreadPlaces) {
    order = []
    for place in parent.indices where Int(parent[place]) == place { cut(place) }
    var walk = [Int32](repeating: -1, count: parent.count)
    for start in parent.indices where walk[start] < 0 {
      var place = start
      while walk[place] < 0 {
        walk[place] = Int32(start)
        guard parent[place] >= 0 else { break }
        place = Int(parent[place])
      }
      guard walk[place] == start, parent[place] >= 0 else { continue }
      var earliest = place
      var member = Int(parent[place])
      while member != place {
        if places.precedes(member, earliest) { earliest = member }
        member = Int(parent[member])
      }
      cut(earliest)
    }
  }
}
