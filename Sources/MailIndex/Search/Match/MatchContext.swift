/// A line of a message's text with what was searched for.
package struct MatchContext: Sendable, Equatable {
  /// One line; `…` where it was cut.
  package let text: String
  /// Bytes of `text`.
  package let matches: [Range<Int>]
}

extension TermMatcher {
  /// The first line that holds a match, cut to about `width` characters around it; nil where no line does.
  ///
  /// Lines that quote other messages count only where no other does.
  package func context(in text: String, width: Int) -> MatchContext? {
    let found = matches(in: text, as: .body)
    guard !found.isEmpty else { return nil }
    let bytes = Array(text.utf8)
    let best = found.first { !Self.isQuoted(Self.line(of: $0, in: bytes), in: bytes) } ?? found[0]
    var window = Self.line(of: best, in: bytes)
    let isCutBefore = Self.cutFront(&window, before: best, to: width / 3, in: bytes)
    let isCutAfter = Self.cutBack(&window, after: best, to: width, in: bytes)
    return Self.assemble(
      bytes, window,
      found.filter { window.lowerBound <= $0.lowerBound && $0.upperBound <= window.upperBound },
      isCutBefore: isCutBefore, isCutAfter: isCutAfter)
  }

  private static func line(of match: Range<Int>, in bytes: [UInt8]) -> Range<Int> {
    let newline = UInt8(ascii: "\n")
    let start = bytes[..<match.lowerBound].lastIndex(of: newline).map { $0 + 1 } ?? 0
    let end = bytes[match.upperBound...].firstIndex(of: newline) ?? bytes.count
    return start..<end
  }

  private static func isQuoted(_ line: Range<Int>, in bytes: [UInt8]) -> Bool {
    bytes[line].first { $0 > 0x20 } == UInt8(ascii: ">")
  }

  private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

  /// Leaves no more than `count` characters before the match, from the beginning of a word.
  private static func cutFront(
    _ window: inout Range<Int>, before match: Range<Int>, to count: Int, in bytes: [UInt8]
  ) -> Bool {
    var start = match.lowerBound
    var left = max(0, count)
    while start > window.lowerBound, left > 0 {
      start -= 1
      if !isContinuation(bytes[start]) { left -= 1 }
    }
    while start > window.lowerBound, isContinuation(bytes[start]) { start -= 1 }
    guard start > window.lowerBound else { return false }
    let word = bytes[start..<match.lowerBound].firstIndex(of: 0x20)
    window = (word.map { $0 + 1 } ?? start)..<window.upperBound
    return true
  }

  /// Leaves about `count` characters in all, to the end of a word; the match stays whole.
  private static func cutBack(
    _ window: inout Range<Int>, after match: Range<Int>, to count: Int, in bytes: [UInt8]
  ) -> Bool {
    var end = window.lowerBound
    var left = count
    while end < window.upperBound, left > 0 || isContinuation(bytes[end]) {
      end += 1
      if end >= window.upperBound || !isContinuation(bytes[end]) { left -= 1 }
    }
    end = max(end, match.upperBound)
    guard end < window.upperBound else { return false }
    let word = bytes[match.upperBound..<end].lastIndex(of: 0x20)
    window = window.lowerBound..<(word ?? end)
    return true
  }

  /// Runs of blanks become one; matches move with the text.
  private static func assemble(
    _ bytes: [UInt8], _ window: Range<Int>, _ matches: [Range<Int>], isCutBefore: Bool,
    isCutAfter: Bool
  ) -> MatchContext {
    let ellipsis = Array("…".utf8)
    var text: [UInt8] = isCutBefore ? ellipsis : []
    var moved: [Range<Int>] = []
    var pending = matches[...]
    var start: Int?
    for place in window.lowerBound...window.upperBound {
      if let began = start, let match = pending.first, match.upperBound == place {
        moved.append(began..<text.count)
        pending = pending.dropFirst()
        start = nil
      }
      guard place < window.upperBound else { break }
      if start == nil, pending.first?.lowerBound == place { start = text.count }
      if bytes[place] > 0x20 || bytes[place] < 0x09 {
        text.append(bytes[place])
      } else if !text.isEmpty, text.last != 0x20 {
        text.append(0x20)
      }
    }
    if text.last == 0x20 { text.removeLast() }
    if isCutAfter { text += ellipsis }
    return MatchContext(text: String(decoding: text, as: UTF8.self), matches: moved)
  }
}
