import MailCore

extension ResponseReader {
  func search(_ cursor: inout WireCursor) -> UntaggedResponse {
    var search = SearchReader()
    return search.finish(&cursor)
  }

  // esearch-response = "ESEARCH" [search-correlator] [SP "UID"] *(SP search-return-data), RFC 9051 §9
  func extendedSearch(_ cursor: inout WireCursor) -> UntaggedResponse? {
    var result = SearchResult()
    result.isExtended = true
    result.isUID = false
    cursor.skipSpaces()
    if cursor.next == UInt8(ascii: "("), !cursor.skipValue() { return nil }
    while true {
      cursor.skipSpaces()
      if cursor.isAtEnd { return .search(result) }
      if cursor.takeWord("UID") {
        result.isUID = true
        continue
      }
      guard let name = cursor.atom() else { return nil }
      cursor.skipSpaces()
      guard returned(&cursor, name, &result) else { return nil }
    }
  }

  private func returned(
    _ cursor: inout WireCursor, _ name: WireText, _ result: inout SearchResult
  ) -> Bool {
    if cursor.matches(name, "ALL") {
      if cursor.isAtEnd { return true }  // Exchange leaves the empty set out
      guard let set = cursor.uidSet() else { return false }
      result.uids = set
      return true
    }
    if cursor.matches(name, "MIN") {
      result.minimum = cursor.number().flatMap { UInt32(exactly: $0) }
    } else if cursor.matches(name, "MAX") {
      result.maximum = cursor.number().flatMap { UInt32(exactly: $0) }
    } else if cursor.matches(name, "COUNT") {
      result.count = cursor.number().flatMap { Int(exactly: $0) }
    } else if cursor.matches(name, "MODSEQ") {
      result.modSeq = cursor.number().map { ModSequence($0) }
    } else {
      return cursor.skipValue()
    }
    return true
  }
}
