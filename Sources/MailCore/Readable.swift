extension String {
  /// The text of a message as it may be printed on one line (promise 9).
  ///
  /// What could drive a terminal, or turn other words round, becomes `\u{…}` as in `visible`, with three exceptions that
  /// text needs and that do no harm: tabs and line ends become a blank, the joiners of emoji and of Persian stay, and
  /// marks without a width (such as the padding of a preheader) go.
  package var readable: String { readable(keepsLines: false, keepsHarm: true) }

  /// The same with its lines and tabs as they are.
  package var readableLines: String { readable(keepsLines: true, keepsHarm: true) }

  /// The text as it may stand in a field of a message that is sent: what ``readable`` makes visible goes.
  package var cleaned: String { readable(keepsLines: false, keepsHarm: false) }

  private func readable(keepsLines: Bool, keepsHarm: Bool) -> String {
    guard utf8.contains(where: { $0 < 0x20 || $0 >= 0x7F }) else { return self }
    var text = ""
    text.reserveCapacity(utf8.count)
    for scalar in unicodeScalars {
      switch scalar.value {
      case 0x09 where keepsLines, 0x0A where keepsLines: text.unicodeScalars.append(scalar)
      case 0x09, 0x0A, 0x0D: text += " "
      case 0x00AD, 0x034F, 0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF: continue
      case 0x00..<0x20, 0x7F...0x9F, 0x061C, 0x2028...0x202E, 0x2061...0x206F, 0xE0000...0xE001F:
        if keepsHarm { text += "\\u{" + String(scalar.value, radix: 16) + "}" }
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
