import MIME

/// A whole message: its structure, the text for an index, every part decoded.
func tryMessage(_ bytes: UnsafeRawBufferPointer) {
  var limits = MIMELimits()
  limits.depth = 8
  limits.parts = 40
  limits.headerFields = 60
  limits.parameterSegments = 20
  for structure in [MessageStructure.parse(bytes), MessageStructure.parse(bytes, limits: limits)] {
    checkStructure(structure, of: bytes)
    let text = MessageText.extract(bytes, structure)
    checkText(text.body, most: 1 << 20)
    precondition(text.snippet.utf8.count < 2000, "a long snippet")
    precondition(text.attachments.count <= structure.parts.count * 1000, "attachments from nothing")
    for attachment in text.attachments {
      precondition(attachment.size >= 0, "a size below nothing")
    }
  }
}

private func checkStructure(_ structure: MessageStructure, of bytes: UnsafeRawBufferPointer) {
  precondition(!structure.parts.isEmpty, "every message has a part")
  for (number, part) in structure.parts.enumerated() {
    precondition(number == 0 ? part.parent == nil : part.parent ?? number < number, "order")
    for range in [part.header, part.body] {
      precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "out of the message")
    }
    precondition(part.header.upperBound <= part.body.lowerBound, "a body before its header")
    if let parent = part.parent {
      let outer = structure.parts[parent].body
      precondition(
        outer.lowerBound <= part.header.lowerBound && part.body.upperBound <= outer.upperBound,
        "a part beyond its parent")
    }
    precondition(!part.type.media.isEmpty && !part.type.subtype.isEmpty, "a part without a type")
    var content: [UInt8] = []
    TransferDecoder.decode(
      UnsafeRawBufferPointer(rebasing: bytes[part.body]), part.encoding, into: &content)
    precondition(content.count <= 3 * part.body.count + 64, "more than there is")
    tryFields(bytes, in: part.header)
  }
}

/// A header block: every field through every reader of fields.
func tryFields(_ bytes: UnsafeRawBufferPointer, in range: Range<Int>? = nil) {
  let fields = HeaderFields(bytes, in: range ?? 0..<bytes.count)
  for field in fields.fields.prefix(100) {
    precondition(field.name.upperBound <= field.value.lowerBound, "a value before its name")
    let value = UnsafeRawBufferPointer(rebasing: bytes[field.value])
    let subject = HeaderText.decode(value)
    let (base, _) = BaseSubject.normalise(subject)
    precondition(BaseSubject.normalise(base).base == base, "a subject that changes twice")
    for address in AddressList.parse(value, limit: 50) {
      precondition(!address.address.utf8.contains(0), "a NUL in an address")
    }
    _ = MessageIDs.messageID(value)
    let references = MessageIDs.references(value)
    precondition(Set(references).count == references.count, "an identifier twice")
    let (ids, isExactlyOne) = MessageIDs.inReplyTo(value)
    precondition(!isExactlyOne || ids.count == 1, "one is one")
    _ = MailDate.parse(value)
  }
}

/// Text for people: well-formed UTF-8 without NULs, and bounded.
func checkText(_ text: [UInt8], most: Int) {
  precondition(text.count <= most + 4096, "more text than asked for")
  precondition(!text.contains(0), "a NUL in text")
  precondition(String(validating: text, as: UTF8.self) != nil, "no UTF-8")
}
