/// Which of the messages that were filled become stubs again, so that they stay within the cache: those used least
/// recently.
package enum CachePlan {
  /// A message that was filled.
  package struct Entry: Sendable, Equatable {
    /// Where it stands in the caller's list.
    package var number: Int
    package var bytes: Int64
    /// When it was filled, opened or saved from last, in Unix seconds.
    package var used: Int64
    /// When it arrived.
    package var date: Int64
    /// A person has flagged it, or works on it, or something of it waits for a push.
    package var isHeld: Bool

    package init(number: Int, bytes: Int64, used: Int64, date: Int64, isHeld: Bool) {
      self.number = number
      self.bytes = bytes
      self.used = used
      self.date = date
      self.isHeld = isHeld
    }
  }

  /// So long after it was used, and after it arrived, a message stays.
  package static let shortestStay: Int64 = 7 * 86_400

  /// - Returns: the numbers of those that go, the one used least recently first.
  package static func leaving(
    _ entries: [Entry], budget: Int64, now: Int64, stay: Int64 = shortestStay
  ) -> [Int] {
    var total = entries.reduce(0) { $0 + $1.bytes }
    guard total > budget else { return [] }
    let free = entries.filter { !$0.isHeld && $0.used <= now - stay && $0.date <= now - stay }
      .sorted { ($0.used, $0.number) < ($1.used, $1.number) }
    var leaving: [Int] = []
    for entry in free where total > budget {
      leaving.append(entry.number)
      total -= entry.bytes
    }
    return leaving
  }
}
