/// The first words of a message that its writer wrote.
enum Snippet {
  /// About `length` characters on one line, whole words, quotations and signature left out; what is quoted where
  /// nothing else is there.
  static func make(_ text: UnsafeRawBufferPointer, quotes: [Range<Int>], length: Int) -> String {
    // A long text is looked at further only where its beginning is all quotation.
    let beginning = words(text.slice(0..<cut(text, 4 << 10)), quotes, length)
    if beginning.count >= length / 2 || text.count <= 4 << 10 {
      return String(decoding: beginning, as: UTF8.self)
    }
    return String(
      decoding: words(text.slice(0..<cut(text, 32 << 10)), quotes, length), as: UTF8.self)
  }

  private static func words(
    _ text: UnsafeRawBufferPointer, _ quotes: [Range<Int>], _ length: Int
  ) -> [UInt8] {
    let marked = quotes.filter { $0.lowerBound < text.count }.map { $0.clamped(to: 0..<text.count) }
    var words = Words(length: length)
    // HTML tells what it quotes; plain text is looked through.
    if marked.isEmpty {
      for block in QuotedText.blocks(text) where block.kind == .text {
        guard append(text.slice(block.range), to: &words) else { break }
      }
    } else {
      var start = 0
      for quote in marked where start <= quote.lowerBound {
        guard appendWithoutAttribution(text.slice(start..<quote.lowerBound), to: &words)
        else { break }
        start = quote.upperBound
      }
      _ = append(text.slice(start..<text.count), to: &words)
    }
    if words.bytes.isEmpty { _ = append(text, to: &words) }
    return words.bytes
  }

  /// Where the window ends, not within a character.
  private static func cut(_ text: UnsafeRawBufferPointer, _ window: Int) -> Int {
    guard text.count > window else { return text.count }
    var end = window
    while end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
    return end
  }

  /// Text right before a quotation of HTML, whose last lines introduce it.
  private static func appendWithoutAttribution(
    _ text: UnsafeRawBufferPointer, to words: inout Words
  ) -> Bool {
    var end = text.count
    var start = end
    for _ in 0..<3 where start > 0 {
      let before = text[..<max(0, start - 1)]
      start = before.lastIndex(of: ASCII.lf).map { $0 + 1 } ?? 0
      if Attribution.isAttribution(text.slice(start..<text.count)) {
        end = start
        break
      }
    }
    return append(text.slice(0..<end), to: &words)
  }

  /// Appends words until the snippet is full; returns whether it is not.
  private static func append(
    _ text: UnsafeRawBufferPointer, to words: inout Words
  ) -> Bool {
    var index = 0
    while index < text.count {
      while index < text.count, text[index] <= ASCII.space { index += 1 }
      var end = index
      while end < text.count, text[end] > ASCII.space { end += 1 }
      guard end > index else { break }
      let word = UnsafeRawBufferPointer(rebasing: text[index..<end])
      if !isDecoration(word) {
        guard words.append(word) else { return false }
      }
      index = end
    }
    return true
  }

  /// Rules drawn with `----`, `====`, `****` say nothing.
  private static func isDecoration(_ word: UnsafeRawBufferPointer) -> Bool {
    guard word.count > 2, let first = word.first, first < 0x80, !ASCII.isLetter(first),
      !ASCII.isDigit(first)
    else { return false }
    return word.allSatisfy { $0 == first }
  }
}

/// A snippet as its words come.
private struct Words {
  private(set) var bytes: [UInt8] = []
  private var left: Int
  private let length: Int

  init(length: Int) {
    self.length = length
    left = length
    bytes.reserveCapacity(length + 8)
  }

  /// Returns whether there is room for more.
  mutating func append(_ word: UnsafeRawBufferPointer) -> Bool {
    let blank = bytes.isEmpty ? 0 : 1
    let needed = word.reduce(blank) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
    if needed <= left {
      if blank > 0 { bytes.append(ASCII.space) }
      bytes.append(contentsOf: word)
      left -= needed
      return true
    }
    // A word as long as the snippet (or a text without blanks) is cut, any other is left out.
    if left > length / 2 {
      if blank > 0 { bytes.append(ASCII.space) }
      var end = 0
      var taken = 0
      while end < word.count, taken < left - 1 {
        end += 1
        while end < word.count, word[end] & 0xC0 == 0x80 { end += 1 }
        taken += 1
      }
      bytes.append(contentsOf: word[..<end])
    }
    bytes.append(contentsOf: "…".utf8)
    return false
  }
}
