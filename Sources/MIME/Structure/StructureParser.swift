/// One pass over a message: a stack of open parts, and the boundaries that may come next.
struct StructureParser {
  private struct OpenPart {
    /// Index in `parts`.
    let part: Int
    /// What the sections of parts below begin with: "" or "2.1.".
    let prefix: String
    /// Whether a boundary is looked for.
    var isMultipart = false
    var children = 0
    /// Where its closing boundary stands.
    var closingLine: Int?
  }

  private let bytes: UnsafeRawBufferPointer
  private let limits: MIMELimits
  private var parts: [MessagePart] = []
  private var open: [OpenPart] = []
  private var boundaries = BoundaryStack()
  private var defects: MIMEDefects = []

  init(bytes: UnsafeRawBufferPointer, limits: MIMELimits) {
    self.bytes = bytes
    self.limits = limits
  }

  mutating func parse() -> MessageStructure {
    var position = openPart(at: 0)
    while let found = nextBoundary(from: position) {
      if found.line == .delimiter, parts.count >= limits.parts {
        // The last part keeps the rest, so that no byte is out of reach.
        defects.insert(.tooManyParts)
        break
      }
      closeParts(above: found.level, at: contentEnd(before: found.range.lowerBound))
      position = found.range.upperBound
      switch found.line {
      case .delimiter: position = openPart(at: behindRepeated(found.level, from: position))
      case .close:
        open[found.level].closingLine = found.range.lowerBound
        boundaries.removeAll(from: found.level)
      }
    }
    closeParts(above: -1, at: bytes.count)
    return MessageStructure(parts: parts, defects: defects)
  }

  // MARK: Boundaries

  private func nextBoundary(
    from start: Int
  ) -> (level: Int, line: Boundary.Line, range: Range<Int>)? {
    guard !boundaries.isEmpty else { return nil }
    var place = start
    while place < bytes.count {
      let lineEnd = bytes.lineEnd(from: place, to: bytes.count)
      if bytes[place] == ASCII.dash,
        let match = boundaries.match(bytes, from: place, to: lineEnd)
      {
        return (match.level, match.line, place..<min(lineEnd + 1, bytes.count))
      }
      place = lineEnd + 1
    }
    return nil
  }

  /// A boundary line written twice opens one part.
  private func behindRepeated(_ level: Int, from start: Int) -> Int {
    var place = start
    while place < bytes.count {
      let lineEnd = bytes.lineEnd(from: place, to: bytes.count)
      guard let match = boundaries.match(bytes, from: place, to: lineEnd), match.level == level,
        match.line == .delimiter
      else { break }
      place = min(lineEnd + 1, bytes.count)
    }
    return place
  }

  /// The line break before a boundary belongs to the boundary (RFC 2046 §5.1.1).
  private func contentEnd(before line: Int) -> Int {
    guard line > 0, bytes[line - 1] == ASCII.lf else { return line }
    return line > 1 && bytes[line - 2] == ASCII.cr ? line - 2 : line - 1
  }

  /// For a multipart that names no boundary: the first line in sight that looks like one.
  private func guessedBoundary(from start: Int) -> Boundary? {
    let end = min(bytes.count, start + (64 << 10))
    var place = start
    while place < end {
      let lineEnd = bytes.lineEnd(from: place, to: end)
      if boundaries.match(bytes, from: place, to: lineEnd) != nil { return nil }
      if lineEnd - place > 2, bytes[place] == ASCII.dash, bytes[place + 1] == ASCII.dash,
        bytes.hasPrefix("content-", at: lineEnd + 1, to: end)
      {
        return Boundary(text: Array(bytes[bytes.trimmed(place + 2..<lineEnd)]))
      }
      place = lineEnd + 1
    }
    return nil
  }

  // MARK: Opening

  /// Opens the part at `start` below the innermost open one, and what a message/rfc822 there holds;
  /// returns where boundaries are looked for next.
  private mutating func openPart(at start: Int) -> Int {
    let parent = open.last
    let parentPart = parent.map { parts[$0.part] }
    let head = PartHeader(bytes, from: start, limits: limits, boundaries: boundaries)
    defects.formUnion(head.defects)
    let isInDigest = parentPart?.type.is("multipart", "digest") ?? false
    let type = head.type ?? (isInDigest ? .message : .plainText)
    let number = (parent?.children ?? 0) + 1
    let section = (parent?.prefix ?? "") + String(number)
    if !open.isEmpty { open[open.count - 1].children += 1 }
    let part = MessagePart(
      parent: parent?.part, section: section, depth: open.count, header: start..<head.end,
      body: head.end..<head.end, type: type, encoding: head.encoding,
      disposition: head.disposition, fileName: head.fileName, contentID: head.contentID,
      hasChildren: false, isAttachment: false)
    parts.append(part)
    // The multipart that a message consists of lends its parts the message's own number.
    let isRoot = parentPart?.type.isMessage ?? true
    let prefix = isRoot && type.isMultipart ? parent?.prefix ?? "" : section + "."
    open.append(OpenPart(part: parts.count - 1, prefix: prefix))
    return enter(part, boundary: head.boundary)
  }

  /// Looks into a part that holds others.
  private mutating func enter(_ part: MessagePart, boundary: Boundary?) -> Int {
    let start = part.body.lowerBound
    guard part.type.isMultipart || part.type.isMessage else { return start }
    guard part.depth + 1 < limits.depth else {
      defects.insert(.tooDeep)
      return start
    }
    if part.type.isMultipart {
      if boundary == nil { defects.insert(.missingBoundary) }
      if let boundary = boundary ?? guessedBoundary(from: start) {
        open[open.count - 1].isMultipart = true
        boundaries.push(boundary, level: open.count - 1)
      }
      if part.encoding != .identity { defects.insert(.badEncoding) }
      return start
    }
    guard part.encoding == .identity || part.encoding == .unknown else {
      defects.insert(.encodedMessage)
      return start
    }
    guard parts.count < limits.parts else {
      defects.insert(.tooManyParts)
      return start
    }
    return openPart(at: start)
  }

  // MARK: Closing

  private mutating func closeParts(above level: Int, at end: Int) {
    boundaries.removeAll(from: level + 1)
    var end = end
    while open.count - 1 > level, let last = open.popLast() {
      close(last, at: end)
      // The blank line of a header may be the line break of the boundary too: the part ends behind
      // it, and so do those around it.
      end = max(end, parts[last.part].body.upperBound)
    }
  }

  private mutating func close(_ entry: OpenPart, at end: Int) {
    let index = entry.part
    var part = parts[index]
    part.body = part.body.lowerBound..<max(part.body.lowerBound, end)
    part.hasChildren = entry.children > 0
    if part.type.isMultipart, part.depth + 1 < limits.depth {
      if part.hasChildren {
        if entry.closingLine == nil { defects.insert(.noFinalBoundary) }
        part.section = multipartSection(part)
      } else {
        if let line = entry.closingLine {
          // Closed before it began: what stands before is all its text.
          part.body = part.body.lowerBound..<max(part.body.lowerBound, contentEnd(before: line))
        } else if entry.isMultipart {
          defects.insert(.boundaryNotFound)
        }
        part.type = ContentType(
          media: "text", subtype: "plain", parameters: part.type.parameters)
      }
    }
    part.isAttachment = AttachmentRule.applies(to: part, below: part.parent.map { parts[$0] })
    parts[index] = part
  }

  private func multipartSection(_ part: MessagePart) -> String {
    guard let parent = part.parent else { return "" }
    return parts[parent].type.isMessage ? parts[parent].section + ".TEXT" : part.section
  }
}
