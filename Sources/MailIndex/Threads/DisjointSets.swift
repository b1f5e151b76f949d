/// Union-find over 0..<count. A set's root is its smallest member.
struct DisjointSets {
  private var parents: [Int32]

  init(count: Int) { parents = (0..<count).map { Int32($0) } }

  mutating func root(of member: Int) -> Int {
    var member = member
    while true {
      let parent = Int(parents[member])
      if parent == member { return member }
      parents[member] = parents[parent]
      member = parent
    }
  }

  mutating func unite(_ first: Int, _ second: Int) {
    let (a, b) = (root(of: first), root(of: second))
    if a < b { parents[b] = Int32(a) } else if b < a { parents[a] = Int32(b) }
  }

  /// The root of each member.
  consuming func roots() -> [Int32] {
    for member in parents.indices { parents[member] = Int32(root(of: member)) }
    return parents
  }
}
