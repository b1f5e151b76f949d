/// What an index wants of a message's text, from one pass over its parts.
package struct MessageText: Sendable {
  /// The text of all parts that are text (see `TextSelection`), of messages inside too with their subjects, UTF-8
  /// without NULs, LF line ends; base64 and uuencode left out; at most `TextLimits.text` bytes.
  package private(set) var body: [UInt8] = []
  /// The first words that the writer wrote, on one line.
  package private(set) var snippet = ""
  package private(set) var attachments: [AttachmentInfo] = []
  /// The message has more text than `body`.
  package private(set) var isCut = false

  /// Reads the text of a message; never fails.
  ///
  /// - Parameter absent: sections that the file says are not in it: attachments, and no text.
  package static func extract(
    _ bytes: UnsafeRawBufferPointer, _ structure: MessageStructure, absent: Set<String> = [],
    limits: TextLimits = .standard
  ) -> MessageText {
    var message = MessageText()
    message.read(bytes, structure, absent, limits, depth: 0)
    return message
  }

  private mutating func read(
    _ bytes: UnsafeRawBufferPointer, _ structure: MessageStructure, _ absent: Set<String>,
    _ limits: TextLimits, depth: Int
  ) {
    let selection = TextSelection(bytes, structure, for: .index, limits: limits)
    for (part, role) in zip(structure.parts, selection.roles) {
      if !absent.isEmpty, absent.contains(part.section),
        let gone = AbsentPart(part, below: structure.parent(of: part), in: bytes)
      {
        if gone.isAttachment { attachments.append(gone.info) }
        continue
      }
      if part.isAttachment {
        attachments += AttachmentInfo.all(of: part, in: bytes, limits: limits)
      }
      guard body.count < limits.text else {
        isCut = isCut || role != .none
        continue
      }
      if part.hasChildren, part.type.isMessage { appendSubject(at: part.body, bytes) }
      if role != .none { appendText(part, role, bytes, limits) }
      if depth < EncodedMessage.deepest, EncodedMessage.isOne(part, limits: limits) {
        appendEncodedMessage(part, bytes, limits, depth: depth + 1)
      }
    }
    cap(limits.text)
  }

  private mutating func appendText(
    _ part: MessagePart, _ role: TextSelection.Role, _ bytes: UnsafeRawBufferPointer,
    _ limits: TextLimits
  ) {
    if !body.isEmpty { body.append(ASCII.lf) }
    let start = body.count
    guard role == .plain else {
      let appended = PartText.append(part, role, in: bytes, limits: limits, into: &body)
      if appended.isCut { isCut = true }
      makeSnippet(from: start, quotes: appended.html.quotes, part, limits)
      return
    }
    var text: [UInt8] = []
    if PartText.append(part, role, in: bytes, limits: limits, into: &text).isCut { isCut = true }
    let files = text.withUnsafeBytes { text in
      let blocks = BlobLines.appendText(text, into: &body)
      return blocks.enumerated().map { number, block in
        AttachmentInfo(
          inner: number + 1, of: part.section,
          fileName: String(decoding: text[block.name], as: UTF8.self),
          size: UUEncode.size(of: block.lines, in: text))
      }
    }
    attachments += files
    makeSnippet(from: start, quotes: [], part, limits)
  }

  /// The first part with words gives the snippet, an attached text only where there is no other.
  private mutating func makeSnippet(
    from start: Int, quotes: [Range<Int>], _ part: MessagePart, _ limits: TextLimits
  ) {
    guard snippet.isEmpty else { return }
    let quotes = quotes.map { $0.lowerBound - start..<$0.upperBound - start }
    snippet = body[start...].withUnsafeBytes {
      Snippet.make($0, quotes: quotes, length: limits.snippet)
    }
  }

  /// The text of a message that had to be decoded first; its attachments have no section, so they are not listed.
  private mutating func appendEncodedMessage(
    _ part: MessagePart, _ bytes: UnsafeRawBufferPointer, _ limits: TextLimits, depth: Int
  ) {
    let listed = attachments
    EncodedMessage.open(part, in: bytes) { inner, structure in
      appendSubject(at: 0..<inner.count, inner)
      read(inner, structure, [], limits, depth: depth)
    }
    attachments = listed
  }

  private mutating func appendSubject(at range: Range<Int>, _ bytes: UnsafeRawBufferPointer) {
    let fields = HeaderFields(bytes, in: range)
    guard let subject = fields.first(.subject) else { return }
    if !body.isEmpty { body.append(ASCII.lf) }
    HeaderText.append(bytes.slice(subject), into: &body)
    body.append(ASCII.lf)
  }

  /// Cuts the text at a character's end.
  private mutating func cap(_ limit: Int) {
    guard body.count > limit else { return }
    isCut = true
    var end = limit
    while end > 0, body[end] & 0xC0 == 0x80 { end -= 1 }
    body.removeSubrange(end...)
  }
}
