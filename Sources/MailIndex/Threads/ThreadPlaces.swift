/// Messages by rising number, each with what decides which of two comes first: 12 bytes a message.
struct ThreadPlaces: Sendable {
  private(set) var ids = NarrowNumbers()
  private var dates = NarrowNumbers()
  private var ranks: [UInt32] = []

  var count: Int { ids.count }

  mutating func reserve(_ count: Int) {
    ids.reserve(count)
    dates.reserve(count)
    ranks.reserveCapacity(count)
  }

  mutating func append(_ id: Int64, _ facts: ThreadFacts) {
    ids.append(id)
    dates.append(facts.date)
    ranks.append(facts.rank)
  }

  func date(of place: Int) -> Int64 { dates[place] }
  func rank(of place: Int) -> UInt32 { ranks[place] }

  /// Which of two messages comes first, a function of their content alone (but for two that agree
  /// in date and 32 bits of hash).
  func precedes(_ a: Int, _ b: Int) -> Bool {
    let (first, second) = (dates[a], dates[b])
    if first != second { return first < second }
    if ranks[a] != ranks[b] { return ranks[a] < ranks[b] }
    return a < b
  }
}
