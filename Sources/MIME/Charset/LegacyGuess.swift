/// Guesses the charset of 8-bit text that says nothing of it and is no UTF-8, where the bytes leave little doubt.
///
/// Western text has few bytes beyond ASCII, each alone; what is mostly such bytes, or has them in pairs only, is written
/// in another script. In doubt there is no guess.
enum LegacyGuess {
  /// Bytes looked at.
  private static let window = 4096

  static func charset(_ bytes: UnsafeRawBufferPointer) -> Charset? {
    let text = UnsafeRawBufferPointer(rebasing: bytes.prefix(window))
    var counts = [Int](repeating: 0, count: 256)
    for byte in text { counts[Int(byte)] += 1 }
    let high = counts[0x80...].reduce(0, +)
    guard high >= 8 else { return nil }
    let letters = counts[0x41...0x5A].reduce(0, +) + counts[0x61...0x7A].reduce(0, +)
    if let name = japanese(text) ?? pairs(text, high: high) { return Charset(label: name) }
    guard high >= letters * 2 else { return nil }
    return alphabet(text, counts, high: high).flatMap { Charset(label: $0) }
  }

  /// Shift_JIS by its kana, which no other charset has so often.
  private static func japanese(_ text: UnsafeRawBufferPointer) -> String? {
    var kana = 0
    var pairs = 0
    var index = 0
    while index < text.count {
      let lead = text[index]
      index += 1
      if lead < 0x80 || (lead >= 0xA1 && lead <= 0xDF) { continue }
      guard lead != 0x80, lead != 0xA0, lead <= 0xFC, index < text.count || text.count == window
      else { return nil }
      guard index < text.count else { break }
      let trail = text[index]
      index += 1
      guard trail >= 0x40, trail != 0x7F, trail <= 0xFC else { return nil }
      pairs += 1
      if lead == 0x82 && trail >= 0x9F || lead == 0x83 && trail <= 0x96 { kana += 1 }
    }
    return pairs >= 4 && kana * 4 >= pairs ? "shift_jis" : nil
  }

  /// EUC-JP, EUC-KR, GB 2312: every byte beyond ASCII has a partner. Big5: the partner may be ASCII.
  private static func pairs(_ text: UnsafeRawBufferPointer, high: Int) -> String? {
    var pairs = 0
    var kana = 0
    var hangul = 0
    var big5 = 0
    var isEUC = true
    var index = 0
    while index < text.count {
      let lead = text[index]
      index += 1
      guard lead >= 0x80 else { continue }
      guard index < text.count else { break }
      let trail = text[index]
      guard lead >= 0xA1, lead <= 0xFE,
        trail >= 0xA1 && trail <= 0xFE || trail >= 0x40 && trail <= 0x7E
      else { return nil }
      index += 1
      if trail < 0x80 { isEUC = false }
      pairs += 1
      if lead == 0xA4 || lead == 0xA5 { kana += 1 }
      if lead >= 0xB0, lead <= 0xC8 { hangul += 1 }
      if lead == 0xA1 || lead >= 0xA4 && lead <= 0xC6 { big5 += 1 }
    }
    guard pairs >= 4 else { return nil }
    guard isEUC else {
      return pairs >= 8 && big5 * 5 >= pairs * 4 && hasWideRuns(text) ? "big5" : nil
    }
    if kana * 4 >= pairs { return "euc-jp" }
    return hangul * 10 >= pairs * 9 ? "euc-kr" : "gb18030"
  }

  /// Whether pairs follow one another more often than not, as in a script without blanks.
  private static func hasWideRuns(_ text: UnsafeRawBufferPointer) -> Bool {
    var pairs = 0
    var following = 0
    var index = 0
    var wasPair = false
    while index < text.count {
      let isPair = text[index] >= 0x80
      if isPair {
        pairs += 1
        if wasPair { following += 1 }
      }
      wasPair = isPair
      index += isPair ? 2 : 1
    }
    return following * 2 >= pairs
  }

  /// Cyrillic by which half holds the small letters; Greek and Hebrew by the letters they lack.
  private static func alphabet(
    _ text: UnsafeRawBufferPointer, _ counts: [Int], high: Int
  ) -> String? {
    let upper = counts[0xC0...0xDF].reduce(0, +)
    let lower = counts[0xE0...0xFF].reduce(0, +)
    guard (upper + lower) * 10 >= high * 8 else { return nil }
    if upper >= lower * 2 { return "koi8-r" }
    guard lower >= upper * 2 else { return nil }
    let beyondHebrew = counts[0xFB...0xFF].reduce(0, +)
    if upper == 0, beyondHebrew == 0 { return high >= 20 ? "windows-1255" : nil }
    // Greek has its accented small letters where Cyrillic has capitals, so within words.
    let accented = zip(text, text.dropFirst()).reduce(0) { count, pair in
      count + (pair.0 >= 0xE0 && pair.1 >= 0xDC && pair.1 <= 0xDF ? 1 : 0)
    }
    if counts[0xE0] * 50 < high, accented >= 2, accented * 50 > high { return "windows-1253" }
    return "windows-1251"
  }
}
