import MailCore

/// Decodes one value. Neighbouring words of one charset are joined as bytes before they become
/// characters: mailers cut between the bytes of one.
struct HeaderTextDecoder {
  private let bytes: UnsafeRawBufferPointer
  private let fallback: Charset
  private var finder: EncodedWordFinder
  /// Bytes of the words just read, in `charset`.
  private var joined: [UInt8] = []
  private var charset: Range<Int>?
  private var base64 = Base64Word()

  init(_ bytes: UnsafeRawBufferPointer, fallback: Charset) {
    self.bytes = bytes
    self.fallback = fallback
    finder = EncodedWordFinder(bytes)
  }

  mutating func run(into text: inout [UInt8]) {
    var place = 0
    var rawStart = 0
    while let start = bytes.firstIndex(of: ASCII.equals, from: place, to: bytes.count) {
      guard let word = finder.word(at: start) else {
        place = start + 1
        continue
      }
      take(word, after: rawStart..<start, into: &text)
      place = word.range.upperBound
      rawStart = place
    }
    flush(into: &text)
    appendRaw(rawStart..<bytes.count, into: &text)
  }

  /// Blanks between two words are not shown (RFC 2047 §6.2).
  private mutating func take(
    _ word: EncodedWord, after raw: Range<Int>, into text: inout [UInt8]
  ) {
    let isNeighbour = charset != nil && bytes.trimmed(raw).isEmpty
    if !isNeighbour {
      flush(into: &text)
      appendRaw(raw, into: &text)
    } else if !isSame(charset, word.charset) {
      flush(into: &text)
    }
    charset = word.charset
    if word.isBase64 {
      base64.append(bytes.slice(word.text), into: &joined)
    } else {
      base64.reset()
      appendQ(word.text)
    }
  }

  private func isSame(_ first: Range<Int>?, _ second: Range<Int>) -> Bool {
    guard let first, first.count == second.count else { return false }
    return zip(first, second).allSatisfy { ASCII.lowered(bytes[$0]) == ASCII.lowered(bytes[$1]) }
  }

  private mutating func flush(into text: inout [UInt8]) {
    base64.reset()
    defer { charset = nil }
    guard let charset, !joined.isEmpty else { return }
    let label = bytes.slice(charset)
    joined.withUnsafeBytes { _ = Charset.appendUTF8($0, labelBytes: label, into: &text) }
    joined.removeAll(keepingCapacity: true)
  }

  /// What is no word: folds leave their blank behind, other bytes beyond ASCII are guessed.
  private func appendRaw(_ range: Range<Int>, into text: inout [UInt8]) {
    guard !range.isEmpty else { return }
    let raw = bytes.slice(range)
    guard raw.contains(where: { $0 == ASCII.cr || $0 == ASCII.lf }) else {
      appendGuessed(raw, into: &text)
      return
    }
    let unfolded = raw.filter { $0 != ASCII.cr && $0 != ASCII.lf }
    unfolded.withUnsafeBytes { appendGuessed($0, into: &text) }
  }

  /// A name cut off within a character is UTF-8 still.
  private func appendGuessed(_ raw: UnsafeRawBufferPointer, into text: inout [UInt8]) {
    let isASCII = raw.allSatisfy { $0 < 0x80 }
    Charset.appendUTF8(raw, charset: isASCII ? nil : .utf8, fallback: fallback, into: &text)
  }

  /// The "Q" encoding. RFC 2047 §4.2
  private mutating func appendQ(_ range: Range<Int>) {
    var place = range.lowerBound
    while place < range.upperBound {
      let byte = bytes[place]
      if byte == ASCII.underscore {
        joined.append(ASCII.space)
      } else if byte == ASCII.equals, place + 2 < range.upperBound,
        let high = ASCII.hexValue(bytes[place + 1]), let low = ASCII.hexValue(bytes[place + 2])
      {
        joined.append(high << 4 | low)
        place += 2
      } else if byte != ASCII.cr && byte != ASCII.lf {
        joined.append(byte)
      }
      place += 1
    }
  }
}

/// Base64 (RFC 2045 §6.8) of encoded words, which some mailers cut within a group of four digits.
struct Base64Word {
  private var bits: UInt32 = 0
  private var bitCount = 0

  /// Appends the bytes of one word. Bits left at its end go on into the next word only where no
  /// proper end can have left them.
  mutating func append(_ word: UnsafeRawBufferPointer, into bytes: inout [UInt8]) {
    for byte in word {
      if byte == ASCII.equals {
        reset()
        continue
      }
      guard let digit = Self.digit(byte) else { continue }
      bits = (bits << 6 | digit) & 0xFFFF
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
      }
    }
    let isProperEnd = bitCount < 6 && bits & ((1 << UInt32(bitCount)) - 1) == 0
    if isProperEnd { reset() }
  }

  mutating func reset() {
    bits = 0
    bitCount = 0
  }

  private static func digit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "-"): 62  // of the URL alphabet
    case ASCII.underscore: 63
    default: Base64.digit(byte)
    }
  }
}
