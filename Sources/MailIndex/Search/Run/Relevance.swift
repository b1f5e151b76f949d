import GRDB
import GRDBSQLite

/// Orders messages by bm25, best first.
struct Relevance {
  private let db: Database

  init(_ db: Database) { self.db = db }

  /// Messages that match without any of the text (through `or`) come last, newest first.
  func order(_ stream: NumberStream, by text: TextMatch) throws -> [Int64] {
    var numbers: [Int64] = []  // descending
    var bound = Int64.max
    while let number = try stream.next(atMost: bound) {
      numbers.append(number)
      bound = number - 1
    }
    guard let newest = numbers.first, let oldest = numbers.last else { return [] }
    var scores: [Double] = Array(repeating: .infinity, count: numbers.count)
    try read(text, within: oldest...newest) { number, score in
      if let place = Self.place(of: number, in: numbers) { scores[place] = score }
    }
    let order = numbers.indices.sorted { (scores[$0], $0) < (scores[$1], $1) }
    return order.map { numbers[$0] }
  }

  /// A smaller score is better.
  private func read(
    _ text: TextMatch, within range: ClosedRange<Int64>, _ body: (Int64, Double) -> Void
  ) throws {
    let statement = try db.makeStatement(
      sql: """
        SELECT rowid, bm25(message_text, 10.0, 4.0, 3.0, 2.0, 1.0, 2.0) FROM message_text
        WHERE message_text MATCH ?1 AND rowid BETWEEN ?2 AND ?3
        """)
    statement.setUncheckedArguments([text.expression, range.lowerBound, range.upperBound])
    while true {
      let code = sqlite3_step(statement.sqliteStatement)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else {
        throw DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage)
      }
      body(
        sqlite3_column_int64(statement.sqliteStatement, 0),
        sqlite3_column_double(statement.sqliteStatement, 1))
    }
  }

  private static func place(of number: Int64, in descending: [Int64]) -> Int? {
    var low = 0
    var high = descending.count
    while low < high {
      let middle = (low + high) / 2
      if descending[middle] > number { low = middle + 1 } else { high = middle }
    }
    return low < descending.count && descending[low] == number ? low : nil
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
