/// Walks through one header block, field by field, without allocating.
///
/// The block ends at its blank line, at a boundary of an open multipart, or at a line that can be
/// no field: there a body begins that lacks its blank line.
struct HeaderScanner {
  private let bytes: UnsafeRawBufferPointer
  private let limit: Int
  private let limits: MIMELimits
  private let boundaries: BoundaryStack
  private let start: Int
  private var position: Int
  private var count = 0
  private var isFinished = false
  /// Where the body starts; known once ``next()`` has answered nil.
  private(set) var end: Int
  private(set) var defects: MIMEDefects = []

  init(
    _ bytes: UnsafeRawBufferPointer, in range: Range<Int>, limits: MIMELimits,
    boundaries: BoundaryStack = BoundaryStack()
  ) {
    self.bytes = bytes
    limit = min(range.upperBound, bytes.count)
    start = min(range.lowerBound, limit)
    position = start
    end = start
    self.limits = limits
    self.boundaries = boundaries
  }

  /// The next field, or nil at the end of the block.
  mutating func next() -> HeaderFields.Field? {
    while !isFinished {
      guard position < limit else {
        finish(at: limit)
        break
      }
      let lineEnd = bytes.lineEnd(from: position, to: limit)
      if isBlankLine(to: lineEnd) {
        finish(at: min(lineEnd + 1, limit))
        break
      }
      if !boundaries.isEmpty, boundaries.match(bytes, from: position, to: lineEnd) != nil {
        defects.insert(.missingBlankLine)
        finish(at: position)
        break
      }
      if isOverLimit {
        defects.insert(.headerTooLong)
        position = lineEnd + 1
        continue
      }
      if let name = fieldName(at: position, to: lineEnd) {
        return field(name, lineEnd: lineEnd)
      }
      passJunk(to: lineEnd)
    }
    return nil
  }

  private var isOverLimit: Bool {
    count >= limits.headerFields || position - start > limits.headerBytes
  }

  private mutating func finish(at end: Int) {
    self.end = end
    isFinished = true
  }

  private func isBlankLine(to lineEnd: Int) -> Bool {
    lineEnd == position || (lineEnd == position + 1 && bytes[position] == ASCII.cr)
  }

  /// field-name = 1*ftext, and the blanks before the colon of obsolete mail. RFC 5322 §2.2, §4.5
  private func fieldName(at start: Int, to lineEnd: Int) -> Range<Int>? {
    guard let colon = bytes.firstIndex(of: ASCII.colon, from: start, to: lineEnd) else {
      return nil
    }
    var nameEnd = colon
    while nameEnd > start, bytes[nameEnd - 1] == ASCII.space || bytes[nameEnd - 1] == ASCII.tab {
      nameEnd -= 1
    }
    guard nameEnd > start else { return nil }
    for place in start..<nameEnd where bytes[place] &- 33 > 93 { return nil }
    return start..<nameEnd
  }

  /// Reads a field whose first line ends at `lineEnd`, with the lines folded onto it.
  private mutating func field(_ name: Range<Int>, lineEnd: Int) -> HeaderFields.Field {
    var valueEnd = lineEnd
    position = min(lineEnd + 1, limit)
    while position < limit, position - start <= limits.headerBytes,
      continues(at: position, after: valueEnd)
    {
      valueEnd = bytes.lineEnd(from: position, to: limit)
      position = min(valueEnd + 1, limit)
    }
    count += 1
    if valueEnd - start > limits.headerBytes {
      defects.insert(.headerTooLong)
      valueEnd = max(name.upperBound, start + limits.headerBytes)
    }
    let colon = bytes.firstIndex(of: ASCII.colon, from: name.upperBound, to: limit) ?? lineEnd
    return HeaderFields.Field(
      kind: FieldKind.of(bytes.slice(name)), name: name,
      value: bytes.trimmed(min(colon + 1, valueEnd)..<valueEnd))
  }

  /// Whether the line at `place` belongs to the field before it, whose value so far ends at `end`.
  private mutating func continues(at place: Int, after end: Int) -> Bool {
    if bytes[place] == ASCII.space || bytes[place] == ASCII.tab { return true }
    // Folding whose blank got lost: `Content-Type: multipart/mixed;` and `boundary=x` below it.
    guard endsWithSemicolon(end), looksLikeParameter(at: place) else { return false }
    defects.insert(.junkInHeader)
    return true
  }

  private func endsWithSemicolon(_ end: Int) -> Bool {
    var place = end
    while place > start, ASCII.isBlank(bytes[place - 1]) { place -= 1 }
    return place > start && bytes[place - 1] == ASCII.semicolon
  }

  private func looksLikeParameter(at place: Int) -> Bool {
    var place = place
    let first = place
    while place < limit, place - first <= 40,
      ASCII.isLetter(bytes[place]) || ASCII.isDigit(bytes[place]) || bytes[place] == ASCII.dash
        || bytes[place] == UInt8(ascii: "*")
    {
      place += 1
    }
    return place > first && place < limit && bytes[place] == ASCII.equals
  }

  /// A line that is no field: passed over where the header goes on behind it, else the body starts.
  private mutating func passJunk(to lineEnd: Int) {
    let isFirst = position == start
    let isFolded = bytes[position] == ASCII.space || bytes[position] == ASCII.tab
    // mbox writes `From ` before a message, and `>From ` where one was forwarded.
    if isFirst
      && (bytes.hasPrefix("from ", at: position, to: lineEnd)
        || bytes.hasPrefix(">from ", at: position, to: lineEnd))
    {
      position = min(lineEnd + 1, limit)
      return
    }
    let looksLikeBoundary = bytes.hasPrefix("--", at: position, to: lineEnd)
    if isFolded || (!looksLikeBoundary && isKnownField(at: lineEnd + 1)) {
      defects.insert(.junkInHeader)
      position = min(lineEnd + 1, limit)
      return
    }
    defects.insert(.missingBlankLine)
    finish(at: position)
  }

  private func isKnownField(at place: Int) -> Bool {
    guard place < limit else { return false }
    // The longest name known has 25 letters, blanks may follow it.
    guard let name = fieldName(at: place, to: min(limit, place + 40)) else { return false }
    return FieldKind.of(bytes.slice(name)) != .other
  }
}
