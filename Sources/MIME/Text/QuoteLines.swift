/// One pass over a text's lines that finds where quotations and signatures begin and end.
struct QuoteLines {
  private struct Line {
    let range: Range<Int>  // without its line break
    let next: Int
    let depth: Int
  }

  private static let mostLines = 200_000
  /// Longer ones are no signature, but a text whose writer drew a line.
  private static let longestSignature = 40

  private let text: UnsafeRawBufferPointer
  private var lines: [Line] = []
  /// Where a quotation without marks begins, as a byte of the text; all the rest is quoted.
  private(set) var unmarkedStart: Int

  init(_ text: UnsafeRawBufferPointer) {
    self.text = text
    unmarkedStart = text.count
    var index = 0
    while index < text.count {
      var end = text[index...].lineEnd
      if lines.count == Self.mostLines { end = (text.count, text.count) }
      lines.append(
        Line(range: index..<end.content, next: end.next, depth: depth(index..<end.content)))
      index = end.next
    }
  }

  mutating func blocks() -> [QuotedText.Block] {
    var kinds = lines.map { $0.depth > 0 ? QuotedText.Kind.quoted(depth: $0.depth) : .text }
    keepLoneFromLines(&kinds)
    markAttributions(&kinds)
    let end = markUnmarkedQuote(&kinds)
    if end < lines.count { unmarkedStart = lines[end].range.lowerBound }
    markSignature(&kinds, before: end)
    fillBlankLines(&kinds)
    return merged(kinds)
  }

  /// The levels of `>` at the start of a line, with blanks between.
  private func depth(_ line: Range<Int>) -> Int {
    var depth = 0
    for index in line.prefix(200) {
      if text[index] == ASCII.greater {
        depth += 1
      } else if text[index] != ASCII.space || depth == 0 {
        break
      }
    }
    return depth
  }

  private func isBlank(_ line: Line) -> Bool {
    text[line.range].allSatisfy { $0 <= ASCII.space }
  }

  /// `>From ` at the start of a line is an mbox's escape, not a quotation.
  private func keepLoneFromLines(_ kinds: inout [QuotedText.Kind]) {
    for (index, line) in lines.enumerated()
    where line.depth == 1
      && text.hasPrefix(">from ", at: line.range.lowerBound, to: line.range.upperBound)
    {
      let before = index > 0 ? lines[index - 1].depth : 0
      let after = index + 1 < lines.count ? lines[index + 1].depth : 0
      if before == 0, after == 0 { kinds[index] = .text }
    }
  }

  /// “On … wrote:” before a marked quotation, up to three lines, belongs to it.
  private func markAttributions(_ kinds: inout [QuotedText.Kind]) {
    for index in lines.indices
    where lines[index].depth > 0 && (index == 0 || lines[index - 1].depth == 0) {
      var last = index - 1
      if last >= 0, isBlank(lines[last]) { last -= 1 }
      guard let first = attributionStart(endingAt: last) else { continue }
      for place in first..<index { kinds[place] = .quoted(depth: lines[index].depth) }
    }
  }

  /// The first line of an attribution whose last is `last`; nil where it is none.
  ///
  /// Of one to three lines the most that begin as attributions do, else the fewest that read as one.
  private func attributionStart(endingAt last: Int) -> Int? {
    guard last >= 0, Attribution.endsLikeOne(text.slice(lines[last].range)) else { return nil }
    var fewest: Int?
    var whole: Int?
    for first in stride(from: last, through: max(0, last - 2), by: -1) {
      guard !isBlank(lines[first]), lines[first].depth == 0 else { break }
      let range = lines[first].range.lowerBound..<lines[last].range.upperBound
      guard Attribution.isAttribution(text.slice(range)) else { continue }
      fewest = fewest ?? first
      if Attribution.opens(text.slice(range)) { whole = first }
    }
    return whole ?? fewest
  }

  /// A quotation without marks runs from its beginning to the end of all; returns its first line.
  private func markUnmarkedQuote(_ kinds: inout [QuotedText.Kind]) -> Int {
    var index = 0
    while index < lines.count {
      if case .text = kinds[index], let start = unmarkedQuoteStart(at: index) {
        for place in start..<lines.count where lines[place].depth == 0 {
          kinds[place] = .quoted(depth: 1)
        }
        return start
      }
      index += 1
    }
    return lines.count
  }

  private func unmarkedQuoteStart(at index: Int) -> Int? {
    let range = lines[index].range
    guard !range.isEmpty else { return nil }
    let line = text.slice(range)
    if Attribution.isOriginalSeparator(line) { return index }
    if Attribution.opensHeaderBlock(line) {
      let following = lines[(index + 1)...].prefix(8).filter { !isBlank($0) }.prefix(5)
      let fields = following.filter { Attribution.isHeaderLine(text.slice($0.range)) }.count
      guard fields >= 2, !isForwarded(above: index) else { return nil }
      return startBeforeRule(index)
    }
    for last in index..<min(index + 3, lines.count) {
      if isBlank(lines[last]) || lines[last].depth > 0 { return nil }
      guard Attribution.endsLikeOne(text.slice(lines[last].range)) else { continue }
      let whole = text.slice(range.lowerBound..<lines[last].range.upperBound)
      return Attribution.isStrongAttribution(whole) && hasTextBehind(last) ? index : nil
    }
    return nil
  }

  /// Whether the line above says that a message was forwarded: then its header opens no quotation.
  private func isForwarded(above index: Int) -> Bool {
    guard let line = lines[..<index].suffix(4).last(where: { !isBlank($0) }) else { return false }
    return Attribution.isForwardSeparator(text.slice(line.range))
  }

  /// The rule of underscores that Outlook draws above its header block belongs to it.
  private func startBeforeRule(_ index: Int) -> Int {
    var place = index - 1
    while place > 0, isBlank(lines[place]) { place -= 1 }
    guard place >= 0, lines[place].range.count >= 8 else { return index }
    let isRule = text[lines[place].range].allSatisfy {
      $0 == ASCII.underscore || $0 == ASCII.dash || $0 == ASCII.space
    }
    return isRule ? place : index
  }

  private func hasTextBehind(_ index: Int) -> Bool {
    lines[(index + 1)...].prefix(10).contains { !isBlank($0) && $0.depth == 0 }
  }

  /// From the last `-- ` to the end, a quotation, or a list's rule of underscores.
  private func markSignature(_ kinds: inout [QuotedText.Kind], before limit: Int) {
    guard let start = (0..<limit).last(where: { isSeparator($0) && kinds[$0] == .text }) else {
      return
    }
    var end = start + 1
    while end < limit, kinds[end] == .text, !isListRule(lines[end]) { end += 1 }
    let isExact = lines[start].range.count == 3
    guard end - start <= (isExact ? Self.longestSignature : 12) else { return }
    for index in start..<end { kinds[index] = .signature }
  }

  private func isSeparator(_ index: Int) -> Bool {
    let range = lines[index].range
    guard range.count == 2 || range.count == 3 else { return false }
    return text[range].elementsEqual("-- ".utf8.prefix(range.count))
  }

  private func isListRule(_ line: Line) -> Bool {
    line.range.count >= 20 && text[line.range].allSatisfy { $0 == ASCII.underscore }
  }

  /// Empty lines between two quotations of one depth are part of them.
  private func fillBlankLines(_ kinds: inout [QuotedText.Kind]) {
    var index = 0
    while index < lines.count {
      guard case .text = kinds[index], isBlank(lines[index]) else {
        index += 1
        continue
      }
      var end = index
      while end < lines.count, kinds[end] == .text, isBlank(lines[end]) { end += 1 }
      if index > 0, end < lines.count, kinds[index - 1] == kinds[end], kinds[end] != .text {
        for place in index..<end { kinds[place] = kinds[end] }
      }
      index = end
    }
  }

  private func merged(_ kinds: [QuotedText.Kind]) -> [QuotedText.Block] {
    var blocks: [QuotedText.Block] = []
    for (line, kind) in zip(lines, kinds) {
      if let last = blocks.last, last.kind == kind {
        blocks[blocks.count - 1] = QuotedText.Block(
          kind: kind, range: last.range.lowerBound..<line.next)
      } else {
        blocks.append(QuotedText.Block(kind: kind, range: line.range.lowerBound..<line.next))
      }
    }
    return blocks
  }
}
