import GRDB
import GRDBSQLite

/// The row that a full-text search is at, for a function that FTS5 calls; valid during the call.
///
/// Source: https://www.sqlite.org/fts5.html, section 7.2.
struct FTSRow {
  let api: UnsafePointer<Fts5ExtensionApi>
  let context: OpaquePointer

  var message: Int64 { api.pointee.xRowid?(context) ?? 0 }

  /// How many phrases the query has.
  var phrases: Int { Int(api.pointee.xPhraseCount?(context) ?? 0) }

  /// How many messages have text.
  var messages: Int64 {
    get throws {
      var count: Int64 = 0
      try check(api.pointee.xRowCount?(context, &count))
      return count
    }
  }

  /// Words in the text of all messages.
  var words: Int64 {
    get throws {
      var count: Int64 = 0
      try check(api.pointee.xColumnTotalSize?(context, -1, &count))
      return count
    }
  }

  /// How many messages have the phrase.
  func holders(of phrase: Int) throws -> Int64 {
    var count: Int64 = 0
    try check(
      api.pointee.xQueryPhrase?(context, Int32(phrase), &count) { _, _, count in
        count?.assumingMemoryBound(to: Int64.self).pointee += 1
        return SQLITE_OK
      })
    return count
  }

  /// Calls `body` with the column of each place that the phrase has in the row.
  func forEachPlace(of phrase: Int, _ body: (Int32) -> Void) throws {
    guard let next = api.pointee.xPhraseNext else { return }
    var iterator = Fts5PhraseIter()
    var column: Int32 = -1
    var offset: Int32 = 0
    try check(api.pointee.xPhraseFirst?(context, Int32(phrase), &iterator, &column, &offset))
    while column >= 0 {
      body(column)
      next(context, &iterator, &column, &offset)
    }
  }

  private func check(_ code: Int32?) throws {
    if let code, code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }
}
