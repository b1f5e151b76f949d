import GRDB

/// The order of messages by bm25, best first. Those that match without any of the text (through `or`) come last,
/// newest first.
struct Relevance {
  private let ranking: TextRanking
  private let text: TextMatch
  /// All messages of the answer, oldest first; nil where the text alone says which they are.
  private let messages: [Int64]?
  /// How many are ranked so far; all where it is more than there are.
  private var ranked: Int
  private var order: [Int64] = []
  private var place = 0
  private var isWhole = false

  /// - Parameter wanted: how many will be asked for, as far as that is known; nil for all.
  init(
    _ plan: SearchPlan, by text: TextMatch, wanted: Int?, in db: Database, _ builder: StreamBuilder
  ) throws {
    self.text = text
    ranked = max(1, wanted ?? Int.max)
    if plan == .text(text) {
      messages = nil
      let dead = try Int64.fetchAll(db, sql: "SELECT id FROM dead ORDER BY id")
      ranking = try TextRanking(db, among: .allBut(dead))
    } else {
      let numbers = try Self.numbers(of: builder.stream(plan))
      messages = numbers
      ranking = try TextRanking(db, among: .only(numbers))
    }
  }

  mutating func next() throws -> Int64? {
    if place == order.count, !isWhole { try extend() }
    guard place < order.count else { return nil }
    defer { place += 1 }
    return order[place]
  }

  /// More were asked for than were foreseen: how many messages a page of conversations needs shows only on the way.
  private mutating func extend() throws {
    if !order.isEmpty { ranked = ranked > Int.max / 8 ? Int.max : ranked * 8 }
    let best = try ranking.best(ranked, of: text).map(\.message)
    order = best
    isWhole = best.count < ranked
    guard isWhole, let messages else { return }
    let withText = Set(best)
    order += messages.reversed().filter { !withText.contains($0) }
  }

  /// Oldest first.
  private static func numbers(of stream: NumberStream) throws -> [Int64] {
    var numbers: [Int64] = []
    while let number = try stream.next(atMost: (numbers.last ?? .max) - 1) {
      numbers.append(number)
    }
    return numbers.reversed()
  }
}

extension QueryNode {
  /// Text that the query asks for, not what it excludes, nor what another message of a thread holds.
  package var wantedTerms: [TextTerm] {
    switch kind {
    case .text(let term): [term]
    case .and(let nodes), .or(let nodes): nodes.flatMap(\.wantedTerms)
    default: []
    }
  }

  /// Any of it; nil where the query asks for no text.
  var wantedText: TextMatch? { TextMatch.any(wantedTerms.map(TextMatch.init)) }
}
