/// What can be read of a link, on one line.
struct LinkWords: Equatable {
  /// In the order of its letters, without those that take no room.
  var text: String
  /// As a browser shows it that turns letters round where the page says so: what its sender meant to be read.
  var looks: String

  private static let turn: Unicode.Scalar = "\u{202E}"
  private static let ends: Set<Unicode.Scalar> = [
    "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}",
  ]

  /// Text in which `bdo` was written as the control character that does the same.
  init(_ raw: String) {
    let words = raw.split { $0.isWhitespace || $0 == "\u{A0}" }.joined(separator: " ")
    guard words.utf8.contains(where: { $0 >= 0x80 }) else {
      (text, looks) = (words, words)
      return
    }
    text = Self.visible(words.unicodeScalars)
    guard words.unicodeScalars.contains(Self.turn) else {
      looks = text
      return
    }
    var shown = String.UnicodeScalarView()
    var turned: [Unicode.Scalar]?
    for scalar in words.unicodeScalars {
      if scalar == Self.turn || Self.ends.contains(scalar) {
        shown.append(contentsOf: (turned ?? []).reversed())
        turned = scalar == Self.turn ? [] : nil
      } else if turned != nil {
        turned?.append(scalar)
      } else {
        shown.append(scalar)
      }
    }
    shown.append(contentsOf: (turned ?? []).reversed())
    looks = Self.visible(shown)
  }

  private static func visible(_ scalars: String.UnicodeScalarView) -> String {
    String(String.UnicodeScalarView(scalars.filter { !$0.properties.isDefaultIgnorableCodePoint }))
  }
}
