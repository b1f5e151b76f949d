/// The best of the messages that were scored, no more than `limit`; of equal ones, the newest.
struct BestMatches {
  /// The worse one is greater, so that a heap has it at hand.
  struct Match: Comparable {
    let message: Int64
    let score: Double

    static func < (a: Match, b: Match) -> Bool { (a.score, a.message) > (b.score, b.message) }
  }

  private let limit: Int
  private var matches = Heap<Match>()
  /// What is scored lower is not wanted.
  private(set) var floor = -Double.infinity

  /// - Parameter limit: at least one.
  init(limit: Int) { self.limit = limit }

  mutating func insert(_ message: Int64, score: Double) {
    guard score >= floor else { return }
    matches.insert(Match(message: message, score: score))
    if matches.count > limit { matches.removeGreatest() }
    if matches.count == limit, let worst = matches.greatest { floor = worst.score }
  }

  /// The best first.
  mutating func removeAll() -> [Match] { matches.removeAll().reversed() }
}
