/// How many columns a terminal gives a text, as far as that can be known.
package enum TextWidth {
  package static func columns(of text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + columns(of: $1) }
  }

  /// At most `width` columns; an ellipsis in the middle tells that something is missing.
  package static func fitted(_ text: String, to width: Int) -> String {
    guard columns(of: text) > width else { return text }
    guard width > 1 else { return width == 1 ? "…" : "" }
    let head = (width - 1) / 2
    let tail = width - 1 - head
    let end = String(prefix(of: String(text.reversed()), within: tail).reversed())
    return prefix(of: text, within: head) + "…" + end
  }

  /// Exactly `width` columns, filled up with blanks.
  package static func padded(_ text: String, to width: Int) -> String {
    let text = fitted(text, to: width)
    return text + String(repeating: " ", count: max(0, width - columns(of: text)))
  }

  private static func prefix(of text: String, within width: Int) -> String {
    var used = 0
    return String(
      text.prefix { character in
        used += columns(of: String(character))
        return used <= width
      })
  }

  private static func columns(of scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}
