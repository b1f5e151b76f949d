// section = "[" [section-spec] "]"; fetch "BODY" section ["<" number ">"] SP nstring, RFC 9051 §9
extension BodySection {
  /// Whether the item name of a body stands right before `end`, so that the literal there is its value.
  static func standsBefore(_ end: Int, in bytes: UnsafeRawBufferPointer) -> Bool {
    var i = end
    while i > 0, bytes[i - 1] == UInt8(ascii: " ") { i -= 1 }
    guard i > 0 else { return false }
    if bytes[i - 1] == UInt8(ascii: ">") {
      i -= 1
      while i > 0, bytes[i - 1] != UInt8(ascii: "<") { i -= 1 }
      i -= 1
      guard i > 0 else { return false }
    }
    if bytes[i - 1] == UInt8(ascii: "]") {
      while i > 0, bytes[i - 1] != UInt8(ascii: "[") { i -= 1 }
      i -= 1
      return ends("BODY", i, bytes) || ends("BINARY", i, bytes) || ends("BODY.PEEK", i, bytes)
    }
    return ends("RFC822", i, bytes) || ends("RFC822.HEADER", i, bytes)
      || ends("RFC822.TEXT", i, bytes)
  }

  /// Whether the item name `name` ends at `end`, behind a space or parenthesis.
  private static func ends(
    _ name: StaticString, _ end: Int, _ bytes: UnsafeRawBufferPointer
  ) -> Bool {
    let start = end - name.utf8CodeUnitCount
    guard start > 0, WireCursor.endsAtom(bytes[start - 1]) else { return false }
    var cursor = WireCursor(bytes)
    cursor.at = start
    return cursor.hasPrefix(name)
  }

  /// Reads from behind `[` to behind the section and its origin.
  init?(_ cursor: inout WireCursor) {
    let start = cursor.at
    while cursor.next &- UInt8(ascii: "0") <= 9 || cursor.next == UInt8(ascii: ".") {
      cursor.at += 1
    }
    var number = WireText(start: start, end: cursor.at)
    if number.count > 0, cursor.base[number.end - 1] == UInt8(ascii: ".") { number.end -= 1 }
    guard number.count <= 256 else { return nil }
    part = number.count == 0 ? "" : cursor.string(number)
    if cursor.hasPrefix("HEADER.FIELDS") {
      kind = .headerFields
    } else if cursor.hasPrefix("HEADER") {
      kind = .header
    } else if cursor.hasPrefix("TEXT") {
      kind = .text
    } else if cursor.hasPrefix("MIME") {
      kind = .mime
    } else {
      kind = part.isEmpty ? .whole : .part
    }
    while cursor.next != UInt8(ascii: "]") {
      switch cursor.next {
      case UInt8(ascii: "("), UInt8(ascii: "\""), UInt8(ascii: " "), UInt8(ascii: "{"):
        guard cursor.skipValue() else { return nil }
      default:
        guard cursor.codeAtom() != nil else { return nil }
      }
    }
    cursor.at += 1
    guard cursor.take(UInt8(ascii: "<")) else { return }
    guard let value = cursor.number(), cursor.take(UInt8(ascii: ">")) else { return nil }
    origin = Int(clamping: value)
  }
}
