/// Breaks long lines between words.
package enum WordWrap {
  /// Lines of at most `width` columns. A word that is longer than a line stands alone and stays whole, so that
  /// addresses of web pages can be copied.
  package static func lines(of line: String, width: Int) -> [String] {
    guard width > 0, DisplayWidth.columns(of: line) > width else { return [line] }
    let indent = String(line.prefix { $0 == " " }.prefix(width / 2))
    var lines: [String] = []
    var current = indent
    var used = indent.count
    var isEmpty = true
    for word in line.dropFirst(indent.count).split(separator: " ", omittingEmptySubsequences: false)
    {
      for piece in pieces(of: word, width: width - indent.count) {
        let columns = DisplayWidth.columns(of: String(piece))
        if !isEmpty, used + 1 + columns > width {
          lines.append(current)
          current = indent
          used = indent.count
          isEmpty = true
        }
        if !isEmpty {
          current += " "
          used += 1
        }
        current += piece
        used += columns
        isEmpty = false
      }
    }
    if !isEmpty { lines.append(current) }
    return lines
  }

  /// Text without blanks (Chinese, Japanese) breaks anywhere; anything else is one piece.
  private static func pieces(of word: Substring, width: Int) -> [Substring] {
    guard width > 2, !word.utf8.allSatisfy({ $0 < 0x80 }),
      word.unicodeScalars.contains(where: { (0x2E80...0xFFEF).contains($0.value) })
    else { return [word] }
    var pieces: [Substring] = []
    var rest = word
    while DisplayWidth.columns(of: String(rest)) > width {
      let piece = DisplayWidth.prefix(of: rest, within: width)
      guard !piece.isEmpty else { break }
      pieces.append(piece)
      rest = rest[piece.endIndex...]
    }
    if !rest.isEmpty { pieces.append(rest) }
    return pieces
  }
}
