/// encoded-word = "=?" charset "?" encoding "?" encoded-text "?=" (RFC 2047 §2), where it lies.
struct EncodedWord {
  let range: Range<Int>
  /// Without RFC 2231's language.
  let charset: Range<Int>
  let isBase64: Bool
  let text: Range<Int>
}

/// Finds encoded words in a value; never looks at a byte more often than a few times.
struct EncodedWordFinder {
  private let bytes: UnsafeRawBufferPointer
  /// From here on no `?=` comes any more.
  private var lastClose = Int.max

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// The word whose `=?` stands at `start`. Blanks in its text are let pass, many mailers write them.
  mutating func word(at start: Int) -> EncodedWord? {
    guard start + 6 < bytes.count, bytes[start] == ASCII.equals,
      bytes[start + 1] == ASCII.question
    else { return nil }
    var place = start + 2
    let charsetEnd = min(bytes.count, place + 64)
    var languageStart: Int?
    while place < charsetEnd, bytes[place] != ASCII.question {
      if bytes[place] <= ASCII.space || bytes[place] == ASCII.equals { return nil }
      if bytes[place] == UInt8(ascii: "*") { languageStart = languageStart ?? place }
      place += 1
    }
    guard place > start + 2, place + 2 < bytes.count, bytes[place] == ASCII.question,
      bytes[place + 2] == ASCII.question
    else { return nil }
    let letter = ASCII.lowered(bytes[place + 1])
    guard letter == UInt8(ascii: "b") || letter == UInt8(ascii: "q") else { return nil }
    let textStart = place + 3
    guard let close = close(from: textStart) else { return nil }
    return EncodedWord(
      range: start..<close + 2, charset: start + 2..<(languageStart ?? place),
      isBase64: letter == UInt8(ascii: "b"), text: textStart..<close)
  }

  private mutating func close(from start: Int) -> Int? {
    guard start < lastClose else { return nil }
    var place = start
    while let mark = bytes.firstIndex(of: ASCII.question, from: place, to: bytes.count) {
      if mark + 1 < bytes.count, bytes[mark + 1] == ASCII.equals { return mark }
      place = mark + 1
    }
    lastClose = start
    return nil
  }
}
