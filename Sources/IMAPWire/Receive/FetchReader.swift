import MailCore

// message-data = nz-number SP "FETCH" SP msg-att; msg-att = "(" item *(SP item) ")", RFC 9051 §9
/// Reads the items of FETCH into one ``FetchData``, segment by segment, without heap allocation for
/// UID, flags, date, size and mod-sequence.
struct FetchReader {
  enum Outcome {
    /// The list's end was read; the offset behind it.
    case closed(Int)
    /// The segment ended where a value should stand: of a body, or (nil) of something else.
    case exhausted(BodySection?)
    /// A body as a quoted string; reading goes on at `resumeAt`.
    case inlineBody(BodySection, WireText, resumeAt: Int)
    case failed
  }

  private enum Item {
    case read, failed
    case exhausted(BodySection?)
    case inlineBody(BodySection, WireText)
  }

  var data = FetchData(sequence: SequenceNumber(0))
  private var keywordCache = KeywordCache()
  private let listEntries: Int

  init(limits: ParserLimits) { listEntries = limits.listEntries }

  /// Starts a response; returns where its items begin.
  mutating func begin(_ bytes: UnsafeRawBufferPointer) -> Int {
    var cursor = WireCursor(bytes)
    cursor.at = 1
    cursor.skipSpaces()
    let sequence = cursor.number().flatMap { UInt32(exactly: $0) } ?? 0
    data = FetchData(sequence: SequenceNumber(sequence))
    cursor.skipSpaces()
    cursor.at += 5  // FETCH, as ResponseKind saw
    cursor.skipSpaces()
    if cursor.take(UInt8(ascii: "(")) { return cursor.at }
    return bytes.count
  }

  mutating func read(
    _ bytes: UnsafeRawBufferPointer, from start: Int, names: MailboxNameCoding
  ) -> Outcome {
    var cursor = WireCursor(bytes)
    cursor.at = start
    while true {
      cursor.skipSpaces()
      if cursor.take(UInt8(ascii: ")")) { return .closed(cursor.at) }
      if cursor.isAtEnd { return .exhausted(nil) }
      let start = cursor
      var outcome = item(&cursor, names)
      if case .failed = outcome {
        cursor = start
        outcome = unreadable(&cursor)
      }
      switch outcome {
      case .read: continue
      case .failed: return .failed
      case .exhausted(let section): return .exhausted(section)
      case .inlineBody(let section, let text):
        return .inlineBody(section, text, resumeAt: cursor.at)
      }
    }
  }

  /// One item. The names are told apart by their first letter, the frequent ones first.
  private mutating func item(_ cursor: inout WireCursor, _ names: MailboxNameCoding) -> Item {
    switch cursor.next & 0xDF {
    case UInt8(ascii: "U"):
      if cursor.takeWord("UID") { return uid(&cursor) }
    case UInt8(ascii: "F"):
      if cursor.takeWord("FLAGS") { return flags(&cursor) }
    case UInt8(ascii: "B"):
      if Self.isBody(cursor) { return bodySection(&cursor) }
      if cursor.takeWord("BODYSTRUCTURE") {
        data.structure = BodyStructureReader.read(&cursor)
        return data.structure == nil ? .failed : .read
      }
    case UInt8(ascii: "M"):
      if cursor.takeWord("MODSEQ") {
        guard let value = number(&cursor) else { return .failed }
        data.modSeq = value.map { ModSequence($0) }
        return .read
      }
    case UInt8(ascii: "R"):
      if let item = rfc822(&cursor) { return item }
    case UInt8(ascii: "I"):
      if cursor.takeWord("INTERNALDATE") { return internalDate(&cursor) }
    case UInt8(ascii: "E"), UInt8(ascii: "T"):
      if cursor.takeWord("EMAILID") { return Self.objectID(&cursor, into: &data.emailID) }
      if cursor.takeWord("THREADID") { return Self.objectID(&cursor, into: &data.threadID) }
    case UInt8(ascii: "X"):
      if let item = gmail(&cursor, names) { return item }
    default: break
    }
    return unknown(&cursor)
  }

  private static func isBody(_ cursor: WireCursor) -> Bool {
    cursor.hasPrefix("BODY[") || cursor.hasPrefix("BODY.PEEK[") || cursor.hasPrefix("BINARY[")
      || cursor.hasPrefix("BINARY.PEEK[")
  }

  private mutating func uid(_ cursor: inout WireCursor) -> Item {
    guard let value = number(&cursor) else { return .failed }
    data.uid = value.flatMap { UInt32(exactly: $0) }.flatMap { $0 > 0 ? UID($0) : nil }
    return .read
  }

  /// A number behind spaces; see ``WireCursor/lenientNumber()``.
  private func number(_ cursor: inout WireCursor) -> UInt64?? {
    cursor.skipSpaces()
    return cursor.lenientNumber()
  }

  private mutating func rfc822(_ cursor: inout WireCursor) -> Item? {
    if cursor.takeWord("RFC822.SIZE") {
      guard let value = number(&cursor) else { return .failed }
      data.size = value.flatMap { Int64(exactly: $0) }
      return .read
    }
    if cursor.takeWord("RFC822") { return body(&cursor, BodySection(kind: .whole)) }
    if cursor.takeWord("RFC822.HEADER") { return body(&cursor, BodySection(kind: .header)) }
    if cursor.takeWord("RFC822.TEXT") { return body(&cursor, BodySection(kind: .text)) }
    return nil
  }

  private mutating func bodySection(_ cursor: inout WireCursor) -> Item {
    while !cursor.take(UInt8(ascii: "[")) { cursor.at += 1 }
    guard let section = BodySection(&cursor) else { return .failed }
    return body(&cursor, section)
  }

  private mutating func body(_ cursor: inout WireCursor, _ section: BodySection) -> Item {
    cursor.skipSpaces()
    if cursor.isAtEnd { return .exhausted(section) }
    guard let value = cursor.nstring() else { return .failed }
    guard let text = value else {
      data.bodyIsNil = true
      return .read
    }
    return .inlineBody(section, text)
  }

  private mutating func internalDate(_ cursor: inout WireCursor) -> Item {
    cursor.skipSpaces()
    guard let value = cursor.nstring() else { return .failed }
    guard let text = value else { return .read }
    var inner = WireCursor(cursor.raw(text))
    data.internalDate = InternalDate.parse(&inner)
    return .read
  }

  private static func objectID(_ cursor: inout WireCursor, into id: inout String?) -> Item {
    cursor.skipSpaces()
    let isListed = cursor.take(UInt8(ascii: "("))  // RFC 8474 §5: "EMAILID" SP "(" objectid ")"
    guard let value = cursor.nstring() else { return .failed }
    if isListed {
      cursor.skipSpaces()
      guard cursor.take(UInt8(ascii: ")")) else { return .failed }
    }
    if let text = value, text.count <= 255 { id = cursor.string(text) }
    return .read
  }

  private mutating func unknown(_ cursor: inout WireCursor) -> Item {
    guard cursor.atom() != nil else { return .failed }
    cursor.skipSpaces()
    if cursor.isAtEnd { return .exhausted(nil) }
    return cursor.skipValue() ? .read : .failed
  }

  /// An item whose value is not what the grammar has there (pymap: `EMAILID ((M1))`): it is stepped over, and costs no
  /// other one. A body is not: where its name cannot be read, its bytes cannot be told from what follows.
  private mutating func unreadable(_ cursor: inout WireCursor) -> Item {
    if Self.isBody(cursor) { return .failed }
    var name = cursor
    if let word = name.atom() { data.unreadable.formUnion(.named(name.raw(word))) }
    return unknown(&cursor)
  }

  // MARK: Flags and labels

  private mutating func flags(_ cursor: inout WireCursor) -> Item {
    cursor.skipSpaces()
    if cursor.takeWord("NIL") {
      data.marks = MessageMarks()
      return .read
    }
    guard cursor.take(UInt8(ascii: "(")) else { return .failed }
    let start = cursor.at
    var marks = MessageMarks()
    var hasKeywords = false
    while true {
      cursor.skipSpaces()
      if cursor.take(UInt8(ascii: ")")) { break }
      guard let name = cursor.astring() else { return .failed }
      if let flag = FlagName.flag(cursor, name) {
        marks.flags.formUnion(flag)
      } else {
        hasKeywords = true
      }
    }
    if hasKeywords {
      let list = WireText(start: start, end: cursor.at)
      let limit = listEntries
      let here = cursor
      marks.keywords = keywordCache.keywords(for: cursor.raw(list)) {
        Self.keywords(here, list, limit: limit)
      }
    }
    data.marks = marks
    return .read
  }

  private static func keywords(_ cursor: WireCursor, _ list: WireText, limit: Int) -> Keywords {
    var cursor = cursor
    cursor.at = list.start
    var names: [String] = []
    while cursor.at < list.end, names.count < limit {
      cursor.skipSpaces()
      guard let name = cursor.astring() else { break }
      if FlagName.flag(cursor, name) == nil { names.append(cursor.string(name)) }
    }
    return Keywords(names)
  }

  private mutating func gmail(_ cursor: inout WireCursor, _ names: MailboxNameCoding) -> Item? {
    if cursor.takeWord("X-GM-MSGID") {
      guard let value = number(&cursor) else { return .failed }
      data.gmailMessageID = value
      return .read
    }
    if cursor.takeWord("X-GM-THRID") {
      guard let value = number(&cursor) else { return .failed }
      data.gmailThreadID = value
      return .read
    }
    guard cursor.takeWord("X-GM-LABELS") else { return nil }
    cursor.skipSpaces()
    var labels: [String] = []
    if !cursor.takeWord("NIL") {
      guard cursor.take(UInt8(ascii: "(")) else { return .failed }
      while true {
        cursor.skipSpaces()
        if cursor.take(UInt8(ascii: ")")) { break }
        guard let value = cursor.nstring() else { return .failed }
        if let text = value, labels.count < listEntries {
          labels.append(names.decode(cursor.bytes(text)))
        }
      }
    }
    data.gmailLabels = labels
    return .read
  }
}
