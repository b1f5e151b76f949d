import MailCore

extension ResponseReader {
  // mailbox-data =/ "SEARCH" [*(SP nz-number) SP search-sort-mod-seq], RFC 7162 §7
  func search(_ cursor: inout WireCursor) -> UntaggedResponse? {
    var result = SearchResult()
    var strays: [ClosedRange<UInt32>] = []
    while true {
      cursor.skipSpaces()
      if cursor.isAtEnd { break }
      if cursor.next == UInt8(ascii: "(") {
        guard let value = searchModSeq(&cursor) else { return nil }
        result.modSeq = value
        continue
      }
      guard let number = cursor.number(), WireCursor.endsAtom(cursor.next) else { return nil }
      guard let uid = UInt32(exactly: number), uid > 0 else { continue }
      result.uids.collect(uid...uid, strays: &strays)
    }
    if !strays.isEmpty { result.uids = result.uids.union(UIDSet(ranges: strays)) }
    return .search(result)
  }

  private func searchModSeq(_ cursor: inout WireCursor) -> ModSequence? {
    cursor.at += 1
    cursor.skipSpaces()
    guard cursor.takeWord("MODSEQ") else { return nil }
    cursor.skipSpaces()
    guard let value = cursor.number() else { return nil }
    cursor.skipSpaces()
    return cursor.take(UInt8(ascii: ")")) ? ModSequence(value) : nil
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
