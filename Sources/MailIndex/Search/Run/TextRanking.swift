import GRDB
import GRDBSQLite

/// Scores the messages that a text is in, and keeps the best.
///
/// FTS5's own `bm25()` looks up how long each message is, and SQLite sorts all of them. Most can be left out before
/// that: the places of the words tell how long a message is at least, and so that it cannot be among the best.
final class TextRanking {
  /// Which messages count, in the order in which FTS5 comes to them.
  enum Members {
    case only([Int64])
    case allBut([Int64])
  }

  private let db: Database
  private let members: [Int64]
  private let isExcluding: Bool

  // Of the reading under way.
  private var place = 0
  private var best = BestMatches(limit: 1)
  private var formula: BM25?
  private var weights: [Double] = []
  private var failure: (any Error)?

  init(_ db: Database, among members: Members) throws {
    self.db = db
    (self.members, isExcluding) =
      switch members {
      case .only(let messages): (messages, false)
      case .allBut(let messages): (messages, true)
      }
    Self.register(db)
  }

  /// - Parameter limit: at least one.
  /// - Returns: the best first.
  func best(_ limit: Int, of text: TextMatch) throws -> [BestMatches.Match] {
    formula = nil
    best = BestMatches(limit: limit)
    try read(text)
    return best.removeAll()
  }

  private func read(_ text: TextMatch) throws {
    place = 0
    let range = isExcluding ? Int64.min...Int64.max : (members.first ?? 0)...(members.last ?? 0)
    let statement = try db.makeStatement(
      sql: """
        SELECT 1 FROM message_text
        WHERE message_text MATCH ?1 AND rowid BETWEEN ?2 AND ?3 AND \(Self.name)(message_text, ?4)
        """)
    statement.setUncheckedArguments([text.expression, range.lowerBound, range.upperBound, nil])
    try withExtendedLifetime(self) {
      sqlite3_bind_pointer(
        statement.sqliteStatement, 4, Unmanaged.passUnretained(self).toOpaque(), Self.type, nil)
      let code = sqlite3_step(statement.sqliteStatement)
      if let failure { throw failure }
      guard code == SQLITE_DONE else {
        throw DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage)
      }
    }
  }

  // MARK: What FTS5 calls for each message that the text is in

  private func visit(_ row: FTSRow) throws {
    let message = row.message
    guard counts(message) else { return }
    let formula = try formula ?? begin(row)
    try weights.withUnsafeMutableBufferPointer { weights in
      var reach: Int64 = 0
      for phrase in weights.indices {
        let places = try row.places(of: phrase)
        weights[phrase] = places.weight
        reach = max(reach, places.reach)
      }
      let weights = UnsafeBufferPointer(weights)
      guard formula.score(weights, length: reach) >= best.floor else { return }
      best.insert(message, score: formula.score(weights, length: try row.length))
    }
  }

  private func begin(_ row: FTSRow) throws -> BM25 {
    let phrases = row.phrases
    weights = Array(repeating: 0, count: phrases)
    // One phrase: how rare it is changes nothing in the order.
    let holders = phrases == 1 ? [0] : try (0..<phrases).map(row.holders)
    let formula = try BM25(messages: row.messages, words: row.words, holders: holders)
    self.formula = formula
    return formula
  }

  private func counts(_ message: Int64) -> Bool {
    while place < members.count, members[place] < message { place += 1 }
    return (place < members.count && members[place] == message) != isExcluding
  }

  // MARK: A function of SQL

  private static let name = "rank_text"
  /// What the pointer is that the function is given; its address must stay.
  private static var type: UnsafePointer<CChar> {
    UnsafeRawPointer(("TextRanking" as StaticString).utf8Start).assumingMemoryBound(to: CChar.self)
  }

  private static func register(_ db: Database) {
    let api = UnsafeMutablePointer(mutating: FTS5.api(db))
    _ = api.pointee.xCreateFunction?(
      api, name, nil,
      { api, row, result, _, values in
        guard let api, let row, let values,
          let pointer = sqlite3_value_pointer(values[0], TextRanking.type)
        else { return }
        let ranking = Unmanaged<TextRanking>.fromOpaque(pointer).takeUnretainedValue()
        do {
          try ranking.visit(FTSRow(api: api, context: row))
          sqlite3_result_int(result, 0)
        } catch {
          ranking.failure = error
          sqlite3_result_error_code(result, SQLITE_ABORT)
        }
      }, nil)
  }
}
