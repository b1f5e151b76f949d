import MailCore

/// Reads the value of BODYSTRUCTURE. Nil where it does not follow the grammar: then nothing of it counts.
struct BodyStructureReader {
  private var cursor: WireCursor
  private var parts: [BodyStructure.Part] = []
  private static let deepest = 48
  private static let mostParts = 2000

  private init(_ cursor: WireCursor) { self.cursor = cursor }

  /// Leaves the cursor after the value.
  static func read(_ cursor: inout WireCursor) -> BodyStructure? {
    var reader = BodyStructureReader(cursor)
    guard reader.body(section: "", prefix: "", depth: 0, isMessage: true) else { return nil }
    cursor = reader.cursor
    return BodyStructure(parts: reader.parts)
  }

  // body = "(" (body-type-1part / body-type-mpart) ")", RFC 9051 §9
  /// - Parameters:
  ///   - section: of this part, if it is no multipart that a message consists of.
  ///   - prefix: what the sections of a message's parts begin with.
  ///   - isMessage: it is what a message consists of.
  private mutating func body(section: String, prefix: String, depth: Int, isMessage: Bool) -> Bool {
    cursor.skipSpaces()
    guard depth <= Self.deepest, parts.count < Self.mostParts, cursor.take(UInt8(ascii: "(")) else {
      return false
    }
    cursor.skipSpaces()
    let isRead =
      cursor.next == UInt8(ascii: "(")
      ? multipart(section: section, prefix: prefix, depth: depth, isMessage: isMessage)
      : single(section: isMessage ? prefix + "1" : section, depth: depth)
    guard isRead else { return false }
    return skipToEnd()
  }

  // body-type-mpart = 1*body SP media-subtype [SP body-ext-mpart]
  private mutating func multipart(section: String, prefix: String, depth: Int, isMessage: Bool)
    -> Bool
  {
    let own = isMessage ? (prefix.isEmpty ? "" : prefix + "TEXT") : section
    let inner = isMessage ? prefix : section + "."
    let place = parts.count
    parts.append(.init(section: own, depth: depth, media: "multipart", subtype: ""))
    var number = 0
    while cursor.next == UInt8(ascii: "(") {
      number += 1
      guard body(section: inner + String(number), prefix: "", depth: depth + 1, isMessage: false)
      else { return false }
      cursor.skipSpaces()
    }
    guard let subtype = word() else { return false }
    parts[place].subtype = subtype
    cursor.skipSpaces()
    // body-ext-mpart = body-fld-param [SP body-fld-dsp …]
    if !isAtEnd {
      guard cursor.skipValue() else { return false }
      return disposition(of: place)
    }
    return true
  }

  // body-type-1part = (body-type-basic / body-type-msg / body-type-text) [SP body-ext-1part]
  private mutating func single(section: String, depth: Int) -> Bool {
    guard let media = word(), let subtype = word() else { return false }
    let place = parts.count
    var part = BodyStructure.Part(section: section, depth: depth, media: media, subtype: subtype)
    // body-fields = body-fld-param SP body-fld-id SP body-fld-desc SP body-fld-enc SP body-fld-octets
    for _ in 0..<4 { guard cursor.skipValue() else { return false } }
    cursor.skipSpaces()
    guard let octets = cursor.lenientNumber() else { return false }
    part.octets = octets.flatMap { Int64(exactly: $0) }
    parts.append(part)
    cursor.skipSpaces()
    if part.isMessage, cursor.next == UInt8(ascii: "(") {
      // SP envelope SP body SP body-fld-lines
      guard cursor.skipValue(),
        body(section: section + ".1", prefix: section + ".", depth: depth + 1, isMessage: true)
      else { return false }
      cursor.skipSpaces()
    }
    // body-fld-lines, of text and messages
    if cursor.next &- UInt8(ascii: "0") <= 9 {
      _ = cursor.number()
      cursor.skipSpaces()
    }
    // body-ext-1part = body-fld-md5 [SP body-fld-dsp …]
    if isAtEnd { return true }
    guard cursor.skipValue() else { return false }
    return disposition(of: place)
  }

  // body-fld-dsp = "(" string SP body-fld-param ")" / nil
  private mutating func disposition(of place: Int) -> Bool {
    cursor.skipSpaces()
    if isAtEnd { return true }
    guard cursor.take(UInt8(ascii: "(")) else { return cursor.skipValue() }
    guard let value = word() else { return false }
    parts[place].disposition = value
    return skipToEnd()
  }

  private var isAtEnd: Bool { cursor.next == UInt8(ascii: ")") || cursor.isAtEnd }

  /// Steps over what is left of a list, and its end.
  private mutating func skipToEnd() -> Bool {
    while true {
      cursor.skipSpaces()
      if cursor.take(UInt8(ascii: ")")) { return true }
      guard !cursor.isAtEnd, cursor.skipValue() else { return false }
    }
  }

  private mutating func word() -> String? {
    cursor.skipSpaces()
    guard let text = cursor.nstring() else { return nil }
    guard let text, text.count <= 127 else { return "" }
    return Keywords.fold(cursor.string(text))
  }
}
