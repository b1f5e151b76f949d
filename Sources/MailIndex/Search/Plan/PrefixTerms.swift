import Foundation
import GRDB

/// The words of the index that begin alike, read from FTS5's own tables.
///
/// FTS5 answers a prefix by gathering the places of all such words in memory before the first row:
/// seconds for a short prefix and much mail. As an `OR` of the words themselves it streams.
///
/// `message_text_idx` tells the page on which words from a certain one on begin; a page ends with
/// the offsets of its words, each stored as what differs from the one before. The first byte of each
/// is `0`, for the main index.
struct PrefixTerms {
  /// Above so many words FTS5's own way is taken.
  static let most = 20_000
  /// Starting a word costs FTS5 as much as gathering the places on half a page: above so many words
  /// on so many pages, its own way is the faster one.
  private static let wordsPerPage = 2
  private static let fewWords = 200
  private static let mainIndex = UInt8(ascii: "0")

  private let db: Database

  init(_ db: Database) { self.db = db }

  /// - Parameter prefix: folded as the index folds words; not empty.
  /// - Returns: nil where there are too many, or the pages are not as expected.
  func terms(_ prefix: String) throws -> [String]? {
    let low = [Self.mainIndex] + Array(prefix.utf8)
    var high = low
    high[high.count - 1] += 1  // no byte of UTF-8 is 0xFF
    var found = Set<[UInt8]>()
    var span = 0
    for segment in try Int64.fetchAll(db, sql: Self.segments) {
      let (pages, count) = try pages(of: segment, from: low, to: high)
      span += count
      for page in pages {
        guard let terms = Self.terms(on: page) else { return nil }
        for term in terms where term.starts(with: low) { found.insert(term) }
        if found.count > Self.most { return nil }
      }
    }
    if found.count > Self.fewWords + Self.wordsPerPage * span { return nil }
    return found.map { String(decoding: $0.dropFirst(), as: UTF8.self) }.sorted()
  }

  private static let segments = """
    WITH RECURSIVE s(id) AS (
      SELECT min(segid) FROM message_text_idx
      UNION ALL SELECT (SELECT min(segid) FROM message_text_idx WHERE segid > s.id) FROM s
      WHERE id IS NOT NULL)
    SELECT id FROM s WHERE id IS NOT NULL
    """

  /// The pages on which such words begin, and how many there are from the first to the last, with
  /// those that only go on with a word's places.
  ///
  /// A page's number in `message_text_data` has the segment's above bit 37.
  private func pages(of segment: Int64, from low: [UInt8], to high: [UInt8]) throws
    -> (pages: [[UInt8]], span: Int)
  {
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT i.pgno >> 1, d.block FROM message_text_idx AS i
        JOIN message_text_data AS d ON d.id = (i.segid << 37) + (i.pgno >> 1)
        WHERE i.segid = ?1 AND i.term < ?3 AND i.term >= coalesce(
          (SELECT max(term) FROM message_text_idx WHERE segid = ?1 AND term <= ?2), x'')
        """,
      arguments: [segment, Data(low), Data(high)])
    var pages: [[UInt8]] = []
    var first: Int?
    var last = 0
    while let row = try rows.next() {
      last = row[0]
      first = first ?? last
      try row.withUnsafeData(atIndex: 1) { block in pages.append(block.map(Array.init) ?? []) }
    }
    return (pages, first.map { last - $0 + 1 } ?? 0)
  }

  /// - Returns: nil for a page that is not well formed.
  static func terms(on page: [UInt8]) -> [[UInt8]]? {
    guard page.count >= 4 else { return nil }
    let end = Int(page[2]) << 8 | Int(page[3])
    guard end >= 4, end <= page.count else { return nil }
    var terms: [[UInt8]] = []
    var place = 0
    var footer = page[end...]
    while !footer.isEmpty {
      guard let step = takeVarint(&footer), step > 0, step <= end - place else { return nil }
      place += step
      var entry = page[place..<end]
      var kept = 0
      if let last = terms.last {
        guard let count = takeVarint(&entry), count <= last.count else { return nil }
        kept = count
      }
      guard let count = takeVarint(&entry), count <= entry.count else { return nil }
      terms.append(Array((terms.last ?? []).prefix(kept)) + entry.prefix(count))
    }
    return terms
  }

  /// SQLite's varint: seven bits a byte, the highest first. Larger numbers don't occur here.
  private static func takeVarint(_ bytes: inout ArraySlice<UInt8>) -> Int? {
    var value = 0
    for _ in 0..<4 {
      guard let byte = bytes.popFirst() else { return nil }
      value = value << 7 | Int(byte & 0x7F)
      if byte < 0x80 { return value }
    }
    return nil
  }
}
