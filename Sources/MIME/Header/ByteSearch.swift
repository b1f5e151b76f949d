#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension UnsafeRawBufferPointer {
  /// The first place of a byte in `start..<end`, or nil.
  @inline(__always)
  func firstIndex(of byte: UInt8, from start: Int, to end: Int) -> Int? {
    guard start < end, end <= count, let base = baseAddress,
      let found = memchr(base + start, Int32(byte), end - start)
    else { return nil }
    return UnsafeRawPointer(found) - base
  }

  /// Where the line that starts at `start` ends: at its LF, or at `end`.
  @inline(__always)
  func lineEnd(from start: Int, to end: Int) -> Int {
    firstIndex(of: ASCII.lf, from: start, to: end) ?? end
  }

  /// Whether `wanted` stands at `start`, letters compared without case; `wanted` in lower case.
  func hasPrefix(_ wanted: StaticString, at start: Int, to end: Int) -> Bool {
    let letters = UnsafeBufferPointer(start: wanted.utf8Start, count: wanted.utf8CodeUnitCount)
    guard end - start >= letters.count else { return false }
    for place in 0..<letters.count where ASCII.lowered(self[start + place]) != letters[place] {
      return false
    }
    return true
  }

  /// A range of the bytes, places counted from its start.
  @inline(__always)
  func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: self[range])
  }

  /// The range without blanks and line breaks at its ends.
  func trimmed(_ range: Range<Int>) -> Range<Int> {
    var start = range.lowerBound
    var end = range.upperBound
    while start < end, ASCII.isBlank(self[start]) { start += 1 }
    while end > start, ASCII.isBlank(self[end - 1]) { end -= 1 }
    return start..<end
  }

  /// Runs `body` on the bytes of an array.
  static func over<Result>(
    _ array: [UInt8], _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    array.withUnsafeBytes { body($0) }
  }
}

extension [UInt8] {
  /// Whether it contains the bytes of a word.
  func holds(_ word: [UInt8]) -> Bool {
    guard let first = word.first, count >= word.count else { return false }
    for start in 0...(count - word.count) where self[start] == first {
      if self[start..<start + word.count].elementsEqual(word) { return true }
    }
    return false
  }
}
