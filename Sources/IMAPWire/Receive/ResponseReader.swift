import MailCore

/// Reads every response but FETCH from its bytes, which hold its literals and lack the line end.
struct ResponseReader {
  var names: MailboxNameCoding
  let limits: ParserLimits
  /// Words of a status response that are kept.
  private static let textLength = 4096

  mutating func read(_ bytes: UnsafeRawBufferPointer) -> ResponseEvent {
    var cursor = WireCursor(bytes)
    switch cursor.next {
    case UInt8(ascii: "+"):
      cursor.at += 1
      _ = cursor.take(UInt8(ascii: " "))
      return .continuation(Array(cursor.raw(WireText(start: cursor.at, end: cursor.end))))
    case UInt8(ascii: "*"):
      cursor.at += 1
      cursor.skipSpaces()
      return .untagged(untagged(&cursor) ?? Self.unrecognised(bytes))
    default:
      return tagged(&cursor) ?? .untagged(Self.unrecognised(bytes))
    }
  }

  private static func unrecognised(_ bytes: UnsafeRawBufferPointer) -> UntaggedResponse {
    .unrecognised(Array(bytes.prefix(1024)))
  }

  // response-tagged = tag SP resp-cond-state CRLF, RFC 9051 §9
  private func tagged(_ cursor: inout WireCursor) -> ResponseEvent? {
    guard let tag = cursor.atom() else { return nil }
    cursor.skipSpaces()
    let status: StatusKind
    if cursor.takeWord("OK") {
      status = .ok
    } else if cursor.takeWord("NO") {
      status = .no
    } else if cursor.takeWord("BAD") {
      status = .bad
    } else {
      return nil
    }
    let words = responseText(&cursor)
    return .tagged(
      CommandTag(cursor.raw(tag)),
      TaggedResult(status: status, code: words.code, text: words.text))
  }

  private mutating func untagged(_ cursor: inout WireCursor) -> UntaggedResponse? {
    if let number = cursor.number() { return numbered(&cursor, number) }
    switch cursor.next & 0xDF {
    case UInt8(ascii: "["): return status(.ok, &cursor)  // 0x5B & 0xDF is itself: no OK (home.pl)
    case UInt8(ascii: "O"): return cursor.takeWord("OK") ? status(.ok, &cursor) : nil
    case UInt8(ascii: "M"): return cursor.takeWord("MYRIGHTS") ? myRights(&cursor) : nil
    case UInt8(ascii: "N"):
      if cursor.takeWord("NO") { return status(.no, &cursor) }
      return cursor.takeWord("NAMESPACE") ? namespace(&cursor) : nil
    case UInt8(ascii: "B"):
      if cursor.takeWord("BYE") { return status(.bye, &cursor) }
      return cursor.takeWord("BAD") ? status(.bad, &cursor) : nil
    case UInt8(ascii: "P"): return cursor.takeWord("PREAUTH") ? status(.preauth, &cursor) : nil
    case UInt8(ascii: "C"):
      return cursor.takeWord("CAPABILITY") ? .capability(capabilities(&cursor)) : nil
    case UInt8(ascii: "E"):
      if cursor.takeWord("ENABLED") { return enabled(&cursor) }
      return cursor.takeWord("ESEARCH") ? extendedSearch(&cursor) : nil
    case UInt8(ascii: "F"): return cursor.takeWord("FLAGS") ? flags(&cursor) : nil
    case UInt8(ascii: "I"): return cursor.takeWord("ID") ? id(&cursor) : nil
    case UInt8(ascii: "L"), UInt8(ascii: "X"):
      return cursor.takeWord("LIST") || cursor.takeWord("XLIST") ? list(&cursor) : nil
    case UInt8(ascii: "S"):
      if cursor.takeWord("SEARCH") { return search(&cursor) }
      return cursor.takeWord("STATUS") ? mailboxStatus(&cursor) : nil
    case UInt8(ascii: "V"): return cursor.takeWord("VANISHED") ? vanished(&cursor) : nil
    default: return nil
    }
  }

  private func numbered(_ cursor: inout WireCursor, _ number: UInt64) -> UntaggedResponse? {
    cursor.skipSpaces()
    if cursor.takeWord("EXISTS") { return Int(exactly: number).map { .exists($0) } }
    if cursor.takeWord("RECENT") { return Int(exactly: number).map { .recent($0) } }
    if cursor.takeWord("EXPUNGE") {
      return UInt32(exactly: number).map { .expunge(SequenceNumber($0)) }
    }
    return nil
  }

  private func status(_ kind: StatusKind, _ cursor: inout WireCursor) -> UntaggedResponse {
    .status(kind, responseText(&cursor))
  }

  // resp-text = ["[" resp-text-code "]" SP] [text], RFC 9051 §9; both may be missing.
  func responseText(_ cursor: inout WireCursor) -> ResponseText {
    cursor.skipSpaces()
    var response = ResponseText()
    if cursor.next == UInt8(ascii: "[") {
      var ahead = cursor
      if let code = code(&ahead) {
        response.code = code
        cursor = ahead
        cursor.skipSpaces()
      }
    }
    var text = cursor.rest()
    text.end = min(text.end, text.start + Self.textLength)
    response.text = cursor.string(text)
    return response
  }

  // capability-data = "CAPABILITY" *(SP capability), RFC 9051 §9
  func capabilities(_ cursor: inout WireCursor) -> CapabilitySet {
    var words: [String] = []
    cursor.skipSpaces()
    while let word = cursor.codeAtom(), words.count < limits.listEntries {
      words.append(cursor.string(word))
      cursor.skipSpaces()
    }
    return CapabilitySet(words)
  }

  private mutating func enabled(_ cursor: inout WireCursor) -> UntaggedResponse {
    let set = capabilities(&cursor)
    if set.contains(.utf8Accept) || set.contains(.imap4rev2) { names.isUTF8 = true }
    return .enabled(set)
  }

  private func flags(_ cursor: inout WireCursor) -> UntaggedResponse? {
    cursor.skipSpaces()
    return flagList(&cursor).map { .flags($0) }
  }

  // flag-list = "(" [flag *(SP flag)] ")", RFC 9051 §9; flags may hold `[` and `]`.
  func flagList(_ cursor: inout WireCursor) -> [String]? {
    if cursor.takeWord("NIL") { return [] }
    guard cursor.take(UInt8(ascii: "(")) else { return nil }
    var names: [String] = []
    while true {
      cursor.skipSpaces()
      if cursor.take(UInt8(ascii: ")")) { return names }
      guard let name = cursor.astring() else { return nil }
      if names.count < limits.listEntries { names.append(cursor.string(name)) }
    }
  }

  // expunged-resp = "VANISHED" [SP "(EARLIER)"] SP known-uids, RFC 7162 §7
  private func vanished(_ cursor: inout WireCursor) -> UntaggedResponse? {
    cursor.skipSpaces()
    let isEarlier = cursor.takeListWord("EARLIER")
    cursor.skipSpaces()
    if cursor.isAtEnd { return .vanished(earlier: isEarlier, UIDSet()) }
    guard let set = cursor.uidSet() else { return nil }
    cursor.skipSpaces()
    return cursor.isAtEnd ? .vanished(earlier: isEarlier, set) : nil
  }

  // id-params-list = "(" *(string SP nstring) ")" / nil, RFC 2971 §4
  private func id(_ cursor: inout WireCursor) -> UntaggedResponse? {
    cursor.skipSpaces()
    var fields: [String: String] = [:]
    if cursor.takeWord("NIL") || cursor.isAtEnd { return .id(ServerID()) }
    guard cursor.take(UInt8(ascii: "(")) else { return nil }
    while true {
      cursor.skipSpaces()
      if cursor.take(UInt8(ascii: ")")) { return .id(ServerID(fields)) }
      guard let key = cursor.astring() else { return nil }
      cursor.skipSpaces()
      if cursor.next == UInt8(ascii: ")") { continue }  // a key without its value
      guard let value = cursor.nstring() else { return nil }
      if let value, fields.count < 30, key.count <= 64 {
        var bounded = value
        bounded.end = min(bounded.end, bounded.start + 1024)
        fields[Keywords.fold(cursor.string(key))] = cursor.string(bounded)
      }
    }
  }

  // namespace-response = "NAMESPACE" 3(SP namespace), RFC 9051 §9
  private func namespace(_ cursor: inout WireCursor) -> UntaggedResponse? {
    var result = Namespaces()
    guard let personal = namespaceList(&cursor) else { return nil }
    result.personal = personal
    result.otherUsers = namespaceList(&cursor) ?? []
    result.shared = namespaceList(&cursor) ?? []
    return .namespace(result)
  }

  private func namespaceList(_ cursor: inout WireCursor) -> [Namespaces.Namespace]? {
    cursor.skipSpaces()
    if cursor.takeWord("NIL") { return [] }
    guard cursor.take(UInt8(ascii: "(")) else { return nil }
    var list: [Namespaces.Namespace] = []
    while true {
      cursor.skipSpaces()
      if cursor.take(UInt8(ascii: ")")) { return list }
      guard cursor.take(UInt8(ascii: "(")), let prefix = cursor.astring() else { return nil }
      cursor.skipSpaces()
      guard let delimiter = delimiter(&cursor) else { return nil }
      while !cursor.take(UInt8(ascii: ")")) {
        guard cursor.skipValue() else { return nil }
        cursor.skipSpaces()
      }
      let raw = cursor.bytes(prefix)
      if list.count < limits.listEntries {
        list.append(.init(rawPrefix: raw, prefix: names.decode(raw), delimiter: delimiter))
      }
    }
  }

  /// A hierarchy delimiter, or NIL; `"\"` is taken for the backslash it must mean.
  func delimiter(_ cursor: inout WireCursor) -> Character?? {
    if cursor.next == UInt8(ascii: "\""), cursor.byte(1) == UInt8(ascii: "\\"),
      cursor.byte(2) == UInt8(ascii: "\""), cursor.byte(3) != UInt8(ascii: "\"")
    {
      cursor.at += 3
      return .some("\\")
    }
    guard let value = cursor.nstring() else { return .none }
    guard let text = value, let first = cursor.bytes(text).first, first < 0x80 else {
      return .some(nil)
    }
    return .some(Character(Unicode.Scalar(first)))
  }
}

extension WireCursor {
  /// Consumes `(word)`.
  mutating func takeListWord(_ word: StaticString) -> Bool {
    guard next == UInt8(ascii: "(") else { return false }
    var ahead = self
    ahead.at += 1
    ahead.skipSpaces()
    guard ahead.takeWord(word) else { return false }
    ahead.skipSpaces()
    guard ahead.take(UInt8(ascii: ")")) else { return false }
    self = ahead
    return true
  }
}
