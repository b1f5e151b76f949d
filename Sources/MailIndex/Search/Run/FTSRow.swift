import GRDB
import GRDBSQLite

/// How much a phrase's places in a message count, and how long the message is at least.
struct PhrasePlaces {
  private(set) var weight = 0.0
  /// Words that lie before the places in their columns, and the last ones themselves.
  private(set) var reach: Int64 = 0

  private var columnWeight = 0.0
  private var count = 0
  private var last: Int64 = -1

  @inline(__always) mutating func begin(_ column: Int32) {
    end()
    columnWeight = BM25.weight(ofColumn: column)
  }

  @inline(__always) mutating func add(at place: Int64) {
    count += 1
    last = place
  }

  @inline(__always) mutating func end() {
    weight += columnWeight * Double(count)
    reach += last + 1
    (count, last) = (0, -1)
  }
}

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

  /// Words in the text of the row's message.
  var length: Int64 {
    get throws {
      var count: Int32 = 0
      try check(api.pointee.xColumnSize?(context, -1, &count))
      return Int64(count)
    }
  }

  /// Where the phrase is in the row.
  ///
  /// Read from the bytes that FTS5's iterator goes over, because a call for each place costs more than all else: each
  /// place is two more than its distance from the last one, and a 1 goes before a column's number.
  func places(of phrase: Int) throws -> PhrasePlaces {
    var iterator = Fts5PhraseIter()
    var column: Int32 = -1
    var offset: Int32 = 0
    try check(api.pointee.xPhraseFirst?(context, Int32(phrase), &iterator, &column, &offset))
    var places = PhrasePlaces()
    guard column >= 0, var byte = iterator.a, let end = iterator.b else { return places }
    places.begin(column)
    places.add(at: Int64(offset))
    var last = Int64(offset)
    while let number = Self.number(&byte, end) {
      if number == 1 {
        guard let column = Self.number(&byte, end) else { break }
        places.begin(Int32(truncatingIfNeeded: column))
        last = 0
      } else {
        last += number - 2
        places.add(at: last)
      }
    }
    places.end()
    return places
  }

  /// SQLite's variable length: seven bits a byte, the highest first.
  @inline(__always) private static func number(
    _ byte: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) -> Int64? {
    var number: Int64 = 0
    while byte < end {
      let next = byte.pointee
      byte += 1
      number = number << 7 | Int64(next & 0x7F)
      if next < 0x80 { return number }
    }
    return nil
  }

  private func check(_ code: Int32?) throws {
    if let code, code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }
}
