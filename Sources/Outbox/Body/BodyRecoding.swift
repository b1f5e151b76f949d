import MIME

/// Why a body cannot be made fit for the wire.
enum RecodingProblem: Error, Equatable, Sendable {
  /// A signature covers the part that would have to change.
  case signed
  /// The structure is too broken to change a part without touching others.
  case unclearStructure
}

/// Changes the transfer encoding of those parts that the wire would not carry, and nothing else.
///
/// The plan is a list of replacements over the message's bytes; what lies between them is copied.
struct BodyRecoding {
  enum Need: Sendable {
    /// Lines over 998 bytes must go, whatever the server can do.
    case shortLines
    /// So must bytes above 127: the server lacks 8BITMIME.
    case sevenBit
  }

  private enum Content {
    case bytes([UInt8])
    case quotedPrintable(Range<Int>)
    case base64Text(Range<Int>)
    /// The same encoding, in proper lines.
    case again(Range<Int>, TransferEncoding)

    /// It ends without a line end.
    var isEncoded: Bool {
      switch self {
      case .base64Text: true
      case .again(_, let encoding): encoding == .base64
      case .bytes, .quotedPrintable: false
      }
    }
  }

  private struct Edit {
    var range: Range<Int>
    var content: Content
  }

  private let bytes: UnsafeRawBufferPointer
  private let bodyStart: Int
  private let need: Need
  private let parts: [MessagePart]
  private var edits: [Edit] = []
  /// What the message's own Content-Transfer-Encoding becomes; nil: it stays.
  private(set) var rootEncoding: String?

  /// - Parameters:
  ///   - bytes: the message, header and all; it must stay valid as long as this value.
  ///   - bodyStart: where its body starts.
  init(_ bytes: UnsafeRawBufferPointer, bodyStart: Int, need: Need) throws(RecodingProblem) {
    self.bytes = bytes
    self.bodyStart = bodyStart
    self.need = need
    parts = MessageStructure.parse(bytes).parts
    guard let root = parts.first else { return }
    if root.hasChildren, root.body.lowerBound != bodyStart { throw .unclearStructure }
    for index in parts.indices { try plan(part: index) }
  }

  /// The new body, piece by piece: no more of it than a piece is ever in memory.
  func write<E: Error>(_ sink: ([UInt8]) throws(E) -> Void) throws(E) {
    var place = bodyStart
    for edit in edits {
      try copy(place..<edit.range.lowerBound, sink)
      switch edit.content {
      case .bytes(let bytes): try sink(bytes)
      case .quotedPrintable(let range):
        try TransferWriter.quotedPrintable(slice(range), sink)
      case .base64Text(let range): try TransferWriter.base64Text(slice(range), sink)
      case .again(let range, let encoding):
        if encoding == .base64 {
          try TransferWriter.base64Again(slice(range), sink)
        } else {
          try TransferWriter.quotedPrintableAgain(slice(range), sink)
        }
      }
      place = edit.range.upperBound
      // A part's last line end belongs to the boundary behind it; the message's own is its own.
      if place == bytes.count, edit.content.isEncoded { try sink([0x0A]) }
    }
    try copy(place..<bytes.count, sink)
  }

  private func copy<E: Error>(_ range: Range<Int>, _ sink: ([UInt8]) throws(E) -> Void) throws(E) {
    var start = range.lowerBound
    while start < range.upperBound {
      let end = min(range.upperBound, start + 256 * 1024)
      try sink(Array(slice(start..<end)))
      start = end
    }
  }

  private func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[range])
  }

  // MARK: Planning

  private mutating func plan(part index: Int) throws(RecodingProblem) {
    let part = parts[index]
    let isContainer = part.hasChildren
    let newEncoding = try isContainer ? containerEncoding(part) : leafEncoding(part, index)
    let header = index == 0 ? nil : try newHeader(part, encoding: newEncoding?.name)
    guard newEncoding != nil || header != nil else { return }
    if isSigned(index) { throw .signed }
    if index == 0 { rootEncoding = newEncoding?.name }
    if let header { edits.append(Edit(range: part.header, content: .bytes(header))) }
    if let content = newEncoding?.content {
      let range = index == 0 ? bodyStart..<bytes.count : part.body
      edits.append(Edit(range: range, content: content))
    }
  }

  private func leafEncoding(_ part: MessagePart, _ index: Int) throws(RecodingProblem)
    -> (name: String, content: Content?)?
  {
    let range = index == 0 ? bodyStart..<bytes.count : part.body
    let scan = BodyScan(slice(range))
    guard scan.hasLongLines || need == .sevenBit && scan.hasEightBit else { return nil }
    // RFC 2046 §5.2: a message within may not be encoded; and what we cannot read we cannot name anew.
    if part.type.media == "message" { throw .unclearStructure }
    switch part.encoding {
    case .unknown, .uuencode: throw .unclearStructure
    case .base64: return ("base64", .again(range, .base64))
    case .quotedPrintable: return ("quoted-printable", .again(range, .quotedPrintable))
    case .identity:
      let asText = part.type.media == "text" && !TransferWriter.prefersBase64(slice(range))
      return asText
        ? ("quoted-printable", .quotedPrintable(range)) : ("base64", .base64Text(range))
    }
  }

  /// What holds other parts may only be called 7bit, 8bit or binary.
  private func containerEncoding(_ part: MessagePart) -> (name: String, content: Content?)? {
    guard need == .sevenBit, let field = encodingField(part),
      ["8bit", "binary"].contains(String(decoding: field.value, as: UTF8.self).lowercased())
    else { return nil }
    return ("7bit", nil)
  }

  private func encodingField(_ part: MessagePart) -> RawHeader.Field? {
    RawHeader.parse(slice(part.header)).0.first("Content-Transfer-Encoding")
  }

  /// The part's header with its new encoding and short lines; nil where it stays.
  private func newHeader(_ part: MessagePart, encoding: String?) throws(RecodingProblem) -> [UInt8]?
  {
    let scan = BodyScan(slice(part.header))
    let isUnfit = scan.hasLongLines || need == .sevenBit && scan.hasEightBit
    guard encoding != nil || isUnfit else { return nil }
    var (header, end) = RawHeader.parse(slice(part.header))
    guard end == part.header.count, part.header.count > 0 else { throw .unclearStructure }
    if let encoding { header.set(.init("Content-Transfer-Encoding", encoding)) }
    guard isUnfit else { return header.bytes }
    try header.change { field throws(RecodingProblem) in
      if need == .sevenBit { HeaderEncoding.encode(&field) }
      guard let folded = HeaderFolding.folded(field.bytes), need != .sevenBit || !field.hasEightBit
      else { throw .unclearStructure }
      field.bytes = folded
    }
    return header.bytes
  }

  /// A signature covers it: multipart/signed around it (its own parts beside the signature, too), or
  /// encrypted content, whose bytes are checked as well.
  private func isSigned(_ index: Int) -> Bool {
    var place: Int? = index
    while let here = place {
      if parts[here].type.is("multipart", "signed") || parts[here].type.is("multipart", "encrypted")
      {
        return true
      }
      place = parts[here].parent
    }
    return false
  }
}
