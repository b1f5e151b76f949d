/// A message as a person reads it: what was written, what was quoted, signatures and attachments, in order.
///
/// Characters are those of the message: what could drive a terminal is for the printer to make visible.
package struct ReadableText: Sendable, Equatable {
  package enum Block: Sendable, Equatable {
    case text(String)
    /// Whole lines with their `>`; where nothing marks the quotation, depth is 1 and the lines have none.
    case quoted(String, depth: Int)
    case signature(String)
    case attachment(AttachmentInfo)
    /// A part in HTML as it was sent, in UTF-8, where pages were asked for.
    case page([UInt8])
    /// A message inside this one begins; its blocks follow.
    case message(section: String, fields: [Field])
  }

  /// A header field of a message inside, decoded.
  package struct Field: Sendable, Equatable {
    package let name: String
    package let value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  package private(set) var blocks: [Block] = []
  /// The links that `[1]`, `[2]` … in the text stand for.
  package private(set) var links: [HTMLText.Link] = []
  /// Whether some of the text was HTML.
  package private(set) var isHTML = false
  /// Some part has more text than was read.
  package private(set) var isCut = false

  /// What becomes of HTML.
  package enum Pages {
    /// Text, by this module's reader or another.
    case asText(HTMLText.Renderer? = nil)
    /// It stays HTML, and is taken before plain text.
    case kept
  }

  package init() {}

  /// Reads a message; never fails. What was sent as an attachment is named, not shown.
  ///
  /// - Parameter unread: gets each page, in UTF-8, that `.kept` would have kept and that is not read here, because the
  ///   plain text beside it is.
  package static func read(
    _ bytes: UnsafeRawBufferPointer, _ structure: MessageStructure, prefersHTML: Bool = false,
    pages: Pages = .asText(), limits: TextLimits = .standard,
    unread: ((UnsafeRawBufferPointer) -> Void)? = nil
  ) -> ReadableText {
    var readable = ReadableText()
    let prefersHTML = if case .kept = pages { true } else { prefersHTML }
    readable.add(
      bytes, structure, prefersHTML: prefersHTML, pages, limits, unread: unread, depth: 0)
    return readable
  }

  private mutating func add(
    _ bytes: UnsafeRawBufferPointer, _ structure: MessageStructure, prefersHTML: Bool,
    _ pages: Pages, _ limits: TextLimits, unread: ((UnsafeRawBufferPointer) -> Void)?, depth: Int
  ) {
    let selection = TextSelection(
      bytes, structure, prefersHTML: prefersHTML, for: .show, limits: limits)
    let asPages = unread.map { _ in
      TextSelection(bytes, structure, prefersHTML: true, for: .show, limits: limits)
    }
    let isStub = bytes.starts(with: EnclosedStub.line)
    for (index, part) in structure.parts.enumerated() {
      let role = selection.roles[index]
      // What lies in a message that had to be decoded first has no section to ask for it by.
      if isStub, depth == 0,
        let absent = AbsentPart(part, below: structure.parent(of: part), in: bytes)
      {
        blocks.append(.attachment(absent.info))
      } else if part.isAttachment, depth == 0 {
        addAttachment(part, bytes, limits)
      }
      if part.hasChildren, part.type.isMessage {
        addMessage(section: part.section, header: part.body, bytes)
      }
      if role != .none {
        addText(part, role, bytes, pages, limits)
      } else if let unread, let asPages {
        PartText.page(part, asPages.roles[index], in: bytes, limits: limits, unread)
      }
      if depth < EncodedMessage.deepest, EncodedMessage.isOne(part, limits: limits) {
        EncodedMessage.open(part, in: bytes) { inner, structure in
          addMessage(section: part.section, header: 0..<inner.count, inner)
          add(
            inner, structure, prefersHTML: prefersHTML, pages, limits, unread: unread,
            depth: depth + 1)
        }
      }
    }
  }

  private mutating func addText(
    _ part: MessagePart, _ role: TextSelection.Role, _ bytes: UnsafeRawBufferPointer,
    _ pages: Pages, _ limits: TextLimits
  ) {
    var text: [UInt8] = []
    var kept: [UInt8]?
    let renderer: HTMLText.Renderer? =
      switch pages {
      case .asText(let renderer): renderer
      case .kept:
        { html, _, _, _ in
          kept = Array(html)
          return HTMLText()
        }
      }
    let appended = PartText.append(
      part, role, style: .show, firstLink: links.count + 1, renderer: renderer, in: bytes,
      limits: limits, into: &text)
    if let kept { blocks.append(.page(kept)) }
    links += appended.html.links
    if appended.isCut { isCut = true }
    if role == .html { isHTML = true }
    let files = role == .plain ? text.withUnsafeBytes { UUEncode.blocks(in: $0) } : []
    var start = 0
    text.withUnsafeBytes { text in
      for (number, file) in files.enumerated() {
        addBlocks(text.slice(start..<file.range.lowerBound))
        blocks.append(
          .attachment(
            AttachmentInfo(
              inner: number + 1, of: part.section,
              fileName: String(decoding: text[file.name], as: UTF8.self),
              size: UUEncode.size(of: file.lines, in: text))))
        start = file.range.upperBound
      }
      addBlocks(text.slice(start..<text.count))
    }
  }

  private mutating func addBlocks(_ text: UnsafeRawBufferPointer) {
    for block in QuotedText.blocks(text) {
      guard let words = Self.lines(text.slice(block.range)) else { continue }
      switch block.kind {
      case .text: blocks.append(.text(words))
      case .quoted(let depth): blocks.append(.quoted(words, depth: depth))
      case .signature: blocks.append(.signature(words))
      }
    }
  }

  /// The lines without empty ones at both ends, LF between; nil where nothing is left.
  private static func lines(_ text: UnsafeRawBufferPointer) -> String? {
    guard let first = text.firstIndex(where: { $0 > ASCII.space }),
      let last = text.lastIndex(where: { $0 > ASCII.space })
    else { return nil }
    let start = text[..<first].lastIndex(of: ASCII.lf).map { $0 + 1 } ?? 0
    let lines = text.slice(start..<last + 1)
    guard lines.contains(ASCII.cr) else { return String(decoding: lines, as: UTF8.self) }
    var clean: [UInt8] = []
    clean.reserveCapacity(lines.count)
    for (index, byte) in lines.enumerated() {
      let isLineEnd = byte == ASCII.cr && index + 1 < lines.count && lines[index + 1] == ASCII.lf
      if !isLineEnd { clean.append(byte) }
    }
    return String(decoding: clean, as: UTF8.self)
  }

  private mutating func addAttachment(
    _ part: MessagePart, _ bytes: UnsafeRawBufferPointer, _ limits: TextLimits
  ) {
    for attachment in AttachmentInfo.all(of: part, in: bytes, limits: limits) {
      blocks.append(.attachment(attachment))
    }
  }

  private mutating func addMessage(
    section: String, header range: Range<Int>, _ bytes: UnsafeRawBufferPointer
  ) {
    let header = HeaderFields(bytes, in: range)
    let wanted: [(String, FieldKind)] = [
      ("From", .from), ("Date", .date), ("To", .to), ("Cc", .cc), ("Subject", .subject),
    ]
    let fields = wanted.compactMap { name, kind in
      header.first(kind).map { Field(name: name, value: HeaderText.decode(bytes.slice($0))) }
    }
    blocks.append(.message(section: section, fields: fields))
  }
}
