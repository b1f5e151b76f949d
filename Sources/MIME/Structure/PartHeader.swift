/// What a part's header says of the part, read in one walk.
struct PartHeader {
  /// Where the body starts.
  private(set) var end = 0
  /// Nil where the header has no Content-Type, or an empty one.
  private(set) var type: ContentType?
  private(set) var boundary: Boundary?
  private(set) var encoding = TransferEncoding.identity
  private(set) var disposition: Disposition?
  private(set) var fileName: String?
  private(set) var contentID: String?
  private(set) var defects: MIMEDefects = []

  init(
    _ bytes: UnsafeRawBufferPointer, from start: Int, limits: MIMELimits, boundaries: BoundaryStack
  ) {
    var typeValue: Range<Int>?
    var encodingValue: Range<Int>?
    var dispositionValue: Range<Int>?
    var idValue: Range<Int>?
    var scanner = HeaderScanner(
      bytes, in: start..<bytes.count, limits: limits, boundaries: boundaries)
    while let field = scanner.next() {
      switch field.kind {
      case .contentType: typeValue = typeValue ?? field.value
      case .contentTransferEncoding: encodingValue = encodingValue ?? field.value
      case .contentDisposition: dispositionValue = dispositionValue ?? field.value
      case .contentID: idValue = idValue ?? field.value
      default: break
      }
    }
    end = scanner.end
    defects = scanner.defects
    if let encodingValue {
      encoding = TransferEncoding(headerValue: bytes.slice(encodingValue))
      if encoding == .unknown { defects.insert(.badEncoding) }
    }
    if let idValue { contentID = MessageIDs.messageID(bytes.slice(idValue)) }
    if let typeValue, !typeValue.isEmpty { read(type: bytes.slice(typeValue), limits: limits) }
    if let dispositionValue { read(disposition: bytes.slice(dispositionValue), limits: limits) }
  }

  private mutating func read(type value: UnsafeRawBufferPointer, limits: MIMELimits) {
    let parsed = ContentType.parse(value, limits: limits)
    if parsed.name == nil { defects.insert(.badContentType) }
    if parsed.isCut { defects.insert(.tooManyParameters) }
    // What is no type reads as plain text in a digest too.
    type = ContentType(
      media: parsed.name?.media ?? "text", subtype: parsed.name?.subtype ?? "plain",
      parameters: parsed.parameters)
    boundary = parsed.boundary
    fileName = type?.parameter("name").flatMap { $0.isEmpty ? nil : $0 }
  }

  /// disposition := "Content-Disposition" ":" disposition-type *(";" disposition-parm). RFC 2183 §2
  private mutating func read(disposition value: UnsafeRawBufferPointer, limits: MIMELimits) {
    var end = 0
    while end < value.count, value[end] != ASCII.semicolon, !ASCII.isBlank(value[end]) { end += 1 }
    let isInline = end == 6 && value.hasPrefix("inline", at: 0, to: end)
    let isAttachment = end == 10 && value.hasPrefix("attachment", at: 0, to: end)
    disposition = isInline ? .inline : isAttachment ? .attachment : .other
    // Without a type before it, the first word may be the file name already.
    let hasType = !value[..<end].contains(ASCII.equals)
    let parameters = FieldParameters(
      value, from: hasType ? end : 0, limit: limits.parameterSegments)
    if parameters.isCut { defects.insert(.tooManyParameters) }
    if let name = parameters.first("filename")?.value ?? parameters.first("name")?.value,
      !name.isEmpty
    {
      fileName = name
    }
  }
}
