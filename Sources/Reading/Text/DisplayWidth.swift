import MailCore

/// Cuts and fills texts by the columns that a terminal gives them.
package enum DisplayWidth {
  package static func columns(of text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return TextWidth.columns(of: text)
  }

  /// At most `width` columns; an ellipsis at the end tells that something is missing.
  package static func cut(_ text: String, to width: Int) -> String {
    guard columns(of: text) > width else { return text }
    guard width > 1 else { return width == 1 ? "…" : "" }
    return String(prefix(of: text[...], within: width - 1)) + "…"
  }

  /// Exactly `width` columns.
  package static func padded(_ text: String, to width: Int) -> String {
    let text = cut(text, to: width)
    return text + String(repeating: " ", count: max(0, width - columns(of: text)))
  }

  /// The longest beginning of `text` that takes at most `width` columns.
  package static func prefix(of text: Substring, within width: Int) -> Substring {
    var used = 0
    var end = text.startIndex
    for index in text.indices {
      used += columns(of: String(text[index]))
      if used > width { break }
      end = text.index(after: index)
    }
    return text[..<end]
  }
}
