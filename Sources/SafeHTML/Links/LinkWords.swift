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

  init(_ text: String) { self.init(bytes: Array(text.utf8)) }

  /// UTF-8 in which `bdo` was written as the control character that does the same.
  init(bytes: [UInt8]) {
    let isPlain = bytes.allSatisfy { $0 < 0x80 }
    var words = ""
    for word in bytes.split(whereSeparator: ASCII.isBlank) {
      if !words.isEmpty { words += " " }
      words += String(decoding: word, as: UTF8.self)
    }
    guard !isPlain else {
      (text, looks) = (words, words)
      return
    }
    words = words.split { $0.isWhitespace || $0 == "\u{A0}" }.joined(separator: " ")
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
