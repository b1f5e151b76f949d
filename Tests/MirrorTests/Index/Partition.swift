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

  /// Two messages on which two programs disagree.
  struct Pair: CustomStringConvertible {
    var first: String
    var second: String
    /// Together in the partition that compares, apart in the other; else the reverse.
    var isHere: Bool

    var description: String {
      "\(isHere ? "together here, apart there" : "apart here, together there"): \(first) and \(second)"
    }
  }

  /// Pairs of messages that are together in at least one of the two, and those on which they disagree, of which no
  /// more than 1,000 are listed.
  ///
  /// Only messages that both know count.
  func compared(with other: Partition) -> (pairs: Int, differing: Int, listed: [Pair]) {
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
      Array(
        (split(here, by: other, isHere: true) + split(there, by: self, isHere: false)).prefix(1000))
    )
  }

  private func split(_ groups: [[Int]: [String]], by other: Partition, isHere: Bool) -> [Pair] {
    groups.values.flatMap { group in
      group.indices.flatMap { place in
        group[(place + 1)...].filter { other.place[$0] != other.place[group[place]] }
          .map { Pair(first: group[place], second: $0, isHere: isHere) }
      }
    }.sorted { ($0.first, $0.second) < ($1.first, $1.second) }
  }
}
