/// Text without the blanks by which a link's words would be far from the mark after it.
enum NarrowText {
  /// With one of each run of characters that show nothing.
  ///
  /// - Parameter endsInBlank: whether such a character came last before; then whether one is the last of this text.
  static func of(_ text: PageBytes, after endsInBlank: inout Bool) -> [UInt8] {
    var narrow: [UInt8] = []
    var place = 0
    while place < text.count {
      let length = blankLength(text[place...])
      if length == 0 {
        narrow.append(text[place])
        place += 1
        endsInBlank = false
      } else {
        if !endsInBlank { narrow.append(contentsOf: text[place..<min(place + length, text.count)]) }
        place += length
        endsInBlank = true
      }
    }
    return narrow
  }

  /// Bytes of a character that shows nothing; zero where another comes first.
  private static func blankLength(_ text: Slice<PageBytes>) -> Int {
    guard let first = text.first else { return 0 }
    if first <= ASCII.space || first == 0x7F { return 1 }
    guard first >= 0xC2 else { return 0 }
    let rest = text.dropFirst().prefix(2)
    let second = rest.first ?? 0
    let third = rest.dropFirst().first ?? 0
    switch (first, second) {
    case (0xC2, 0xA0), (0xC2, 0xAD), (0xCD, 0x8F), (0xD8, 0x9C): return 2
    case (0xE1, 0x85): return third == 0x9F || third == 0xA0 ? 3 : 0  // U+115F, U+1160
    case (0xE1, 0x9A): return third == 0x80 ? 3 : 0  // U+1680
    case (0xE1, 0x9E): return third == 0xB4 || third == 0xB5 ? 3 : 0  // U+17B4, U+17B5
    case (0xE1, 0xA0): return (0x8B...0x8F).contains(third) ? 3 : 0  // U+180B to U+180F
    case (0xE2, 0x80): return third <= 0x8F || (0xA8...0xAF).contains(third) ? 3 : 0
    case (0xE2, 0x81): return third >= 0x9F && third <= 0xAF ? 3 : 0  // U+205F to U+206F
    case (0xE2, 0xA0): return third == 0x80 ? 3 : 0  // U+2800
    case (0xE3, 0x80): return third == 0x80 ? 3 : 0  // U+3000
    case (0xE3, 0x85): return third == 0xA4 ? 3 : 0  // U+3164
    case (0xEF, 0xB8): return third <= 0x8F ? 3 : 0  // U+FE00 to U+FE0F
    case (0xEF, 0xBB): return third == 0xBF ? 3 : 0  // U+FEFF
    case (0xEF, 0xBE): return third == 0xA0 ? 3 : 0  // U+FFA0
    case (0xF3, 0xA0): return 4  // U+E0000 to U+E0FFF
    default: return 0
    }
  }
}
