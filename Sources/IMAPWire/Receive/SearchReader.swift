import MailCore

// mailbox-data =/ "SEARCH" [*(SP nz-number) SP search-sort-mod-seq], RFC 7162 §7
/// Reads the numbers of SEARCH, of a long one piece by piece: a line of millions of numbers is never
/// held whole.
struct SearchReader {
  private var result = SearchResult()
  private var strays: [ClosedRange<UInt32>] = []
  private(set) var bytesTaken = 0
  /// Something else than a number came; the rest is only stepped over.
  private var hasFailed = false

  /// What a SEARCH with anything else in it becomes, however its bytes came: nothing that was found.
  static let unreadable = UntaggedResponse.unrecognised(Array("* SEARCH".utf8))

  init() {}

  /// Begins a response of which only a part is there; nil where it is no SEARCH.
  init?(beginning bytes: UnsafeRawBufferPointer) {
    var cursor = WireCursor(bytes)
    guard cursor.take(UInt8(ascii: "*")) else { return nil }
    cursor.skipSpaces()
    guard cursor.takeWord("SEARCH"), !cursor.isAtEnd else { return nil }
    bytesTaken = cursor.at
  }

  /// Takes the numbers that are surely whole, and returns their bytes; `bytes` hold no line end.
  ///
  /// What stands behind the last space stays: it may be half a number, or announce a literal.
  mutating func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    var end = bytes.count
    if !hasFailed, let list = bytes.firstIndex(of: UInt8(ascii: "(")) { end = list }
    while end > 0, bytes[end - 1] != UInt8(ascii: " ") { end -= 1 }
    var cursor = WireCursor(UnsafeRawBufferPointer(rebasing: bytes[..<end]))
    hasFailed = hasFailed || !numbers(&cursor) || !cursor.isAtEnd
    bytesTaken += end
    return end
  }

  /// Reads what is left, to the end of the response.
  mutating func finish(_ cursor: inout WireCursor) -> UntaggedResponse {
    guard !hasFailed, numbers(&cursor) else { return Self.unreadable }
    while !cursor.isAtEnd {
      guard let value = modSeq(&cursor) else { return Self.unreadable }
      result.modSeq = value
      guard numbers(&cursor) else { return Self.unreadable }
    }
    if !strays.isEmpty { result.uids = result.uids.union(UIDSet(ranges: strays)) }
    return .search(result)
  }

  /// Reads up to the end or a parenthesis. Numbers that are no UID are left out.
  private mutating func numbers(_ cursor: inout WireCursor) -> Bool {
    while true {
      cursor.skipSpaces()
      if cursor.isAtEnd || cursor.next == UInt8(ascii: "(") { return true }
      guard let number = cursor.number(), WireCursor.endsAtom(cursor.next) else { return false }
      guard let uid = UInt32(exactly: number), uid > 0 else { continue }
      result.uids.collect(uid...uid, strays: &strays)
    }
  }

  private func modSeq(_ cursor: inout WireCursor) -> ModSequence? {
    cursor.at += 1
    cursor.skipSpaces()
    guard cursor.takeWord("MODSEQ") else { return nil }
    cursor.skipSpaces()
    guard let value = cursor.number() else { return nil }
    cursor.skipSpaces()
    return cursor.take(UInt8(ascii: ")")) ? ModSequence(value) : nil
  }
}
