extension String {
  /// The text of a message as it may be printed on one line (promise 9).
  ///
  /// What could drive a terminal becomes `\u{…}` as in `visible`, with three exceptions that text needs and that do no
  /// harm: tabs and line ends become a blank, the joiners of emoji and of Persian stay, and marks without a width (such
  /// as the padding of a preheader) go.
  package var readable: String {
    guard utf8.contains(where: { $0 < 0x20 || $0 >= 0x7F }) else { return self }
    var text = ""
    text.reserveCapacity(utf8.count)
    for scalar in unicodeScalars {
      switch scalar.value {
      case 0x09, 0x0A, 0x0D: text += " "
      case 0x00AD, 0x034F, 0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF: continue
      case 0x00..<0x20, 0x7F...0x9F, 0x061C, 0x2028...0x202E, 0x2061...0x206F, 0xE0000...0xE001F:
        text += "\\u{" + String(scalar.value, radix: 16) + "}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// As ``readable``, with tabs filled up to every eighth column, for the lines of a body.
  package var readableLine: String {
    guard utf8.contains(UInt8(ascii: "\t")) else { return readable }
    var text = ""
    var column = 0
    for piece in split(separator: "\t", omittingEmptySubsequences: false) {
      if !text.isEmpty || column > 0 {
        let blanks = 8 - column % 8
        text += String(repeating: " ", count: blanks)
        column += blanks
      } else if piece.startIndex != startIndex {
        text += String(repeating: " ", count: 8)
        column = 8
      }
      let part = String(piece).readable
      text += part
      column += DisplayWidth.columns(of: part)
    }
    return text
  }
}
