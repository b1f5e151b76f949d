/// Text as it may stand between tags and in a quoted attribute alike.
///
/// Controls that turn the direction of what follows go: they would reorder other words than their sender's, and hide
/// from a reader what a link says.
package enum PageEscaping {
  /// - Parameter keepsMarks: whether the marks stay that have no width and only say in which direction text runs.
  static func append(_ text: PageBytes, keepsMarks: Bool = true, into out: inout [UInt8]) {
    var start = 0
    for (place, byte) in text.enumerated() {
      let replacement: StaticString
      var length = 1
      switch byte {
      case 0xE2:
        guard turnsDirection(text, at: place) || !keepsMarks && isMark(text, at: place) else {
          continue
        }
        (replacement, length) = ("", 3)
      case 0xD8 where !keepsMarks:  // U+061C
        guard place + 1 < text.count, text[place + 1] == 0x9C else { continue }
        (replacement, length) = ("", 2)
      case UInt8(ascii: "&"): replacement = "&amp;"
      case ASCII.less: replacement = "&lt;"
      case ASCII.greater: replacement = "&gt;"
      case ASCII.quote: replacement = "&quot;"
      case ASCII.apostrophe: replacement = "&#39;"
      case UInt8(ascii: "`"): replacement = "&#96;"
      case ASCII.lf, ASCII.tab: continue
      // A carriage return would become a line feed, other controls nothing that anybody wants.
      case ..<ASCII.space, 0x7F: replacement = " "
      default: continue
      }
      out.append(contentsOf: text[start..<place])
      replacement.withUTF8Buffer { out.append(contentsOf: $0) }
      start = place + length
    }
    out.append(contentsOf: text[start...])
  }

  /// U+202A to U+202E and U+2066 to U+2069, of which the first byte is at a place.
  private static func turnsDirection(_ text: PageBytes, at place: Int) -> Bool {
    guard place + 2 < text.count else { return false }
    switch (text[place + 1], text[place + 2]) {
    case (0x80, 0xAA...0xAE), (0x81, 0xA6...0xA9): return true
    default: return false
    }
  }

  /// U+200E and U+200F.
  private static func isMark(_ text: PageBytes, at place: Int) -> Bool {
    place + 2 < text.count && text[place + 1] == 0x80 && (0x8E...0x8F).contains(text[place + 2])
  }

  static func append(_ text: [UInt8], into out: inout [UInt8]) {
    text.withUnsafeBytes { append($0, into: &out) }
  }

  package static func escaped(_ text: String) -> String {
    var out: [UInt8] = []
    append(Array(text.utf8), into: &out)
    return String(decoding: out, as: UTF8.self)
  }
}
