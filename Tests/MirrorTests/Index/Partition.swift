/// Messages in conversations, as one program sees them.
struct Partition {
  /// The conversation of each message.
  private(set) var place: [String: Int] = [:]

  init(_ conversations: [[String]]) {
    for (number, conversation) in conversations.enumerated() {
      for message in conversation { place[message] = number }
    }
  }

  /// Rows of message and name of its conversation.
  init(rows: [[String]]) {
    self.init(
      Array(Dictionary(grouping: rows, by: { $0[1] }).mapValues { $0.map { $0[0] } }.values))
  }

  /// Pairs of messages that are together in at least one of the two, and in how many of those they disagree.
  ///
  /// Only messages that both know count. `examples` are a few pairs that disagree.
  func compared(with other: Partition) -> (pairs: Int, differing: Int, examples: [String]) {
    let known = place.keys.filter { other.place[$0] != nil }.sorted()
    func pairs(_ groups: [[Int]: [String]]) -> Int {
      groups.values.reduce(0) { $0 + $1.count * ($1.count - 1) / 2 }
    }
    let here = Dictionary(grouping: known) { [place[$0] ?? 0] }
    let there = Dictionary(grouping: known) { [other.place[$0] ?? 0] }
    let both = Dictionary(grouping: known) { [place[$0] ?? 0, other.place[$0] ?? 0] }
    let (mine, theirs, shared) = (pairs(here), pairs(there), pairs(both))
    return (
      mine + theirs - shared, mine + theirs - 2 * shared,
      split(here, by: other).map { "together here, apart there: \($0)" }
        + split(there, by: self).map { "apart here, together there: \($0)" }
    )
  }

  private func split(_ groups: [[Int]: [String]], by other: Partition) -> [String] {
    groups.values.compactMap { group -> String? in
      guard let first = group.first,
        let second = group.first(where: { other.place[$0] != other.place[first] })
      else { return nil }
      return "\(first) and \(second)"
    }.sorted().prefix(10).map { $0 }
  }
}
