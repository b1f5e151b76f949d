/// The decoded content of parts and of the files inside them, by section.
package enum PartContent {
  /// Appends the decoded bytes of a section (`2`, or `2:1` for a file inside it, as `AttachmentInfo` numbers them).
  ///
  /// Returns the name and type, or nil where the message has no such section. A text keeps its charset; a message/rfc822
  /// comes as it stands.
  package static func append(
    section: String, of bytes: UnsafeRawBufferPointer, _ structure: MessageStructure,
    into content: inout [UInt8]
  ) -> (fileName: String?, type: ContentType)? {
    let pieces = section.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let part = structure.parts.first(where: { $0.section == pieces[0] }) else { return nil }
    guard pieces.count == 2 else {
      TransferDecoder.decode(bytes.slice(part.body), part.encoding, into: &content)
      return (part.fileName, part.type)
    }
    guard let number = Int(pieces[1]), number > 0 else { return nil }
    let found =
      isTNEF(part)
      ? appendTNEFFile(number, of: part, in: bytes, into: &content)
      : appendUUFile(number, of: part, in: bytes, into: &content)
    guard let name = found else { return nil }
    return (name, ContentType(media: "application", subtype: "octet-stream"))
  }

  /// Whether a part is, by its label, a `winmail.dat`.
  static func isTNEF(_ part: MessagePart) -> Bool {
    part.type.is("application", "ms-tnef") || part.type.is("application", "vnd.ms-tnef")
      || part.fileName?.lowercased() == "winmail.dat"
  }

  /// Gives the decoded bytes to `body`, without a copy where nothing is encoded.
  static func withDecoded<Result>(
    _ part: MessagePart, in bytes: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    if part.encoding == .identity || part.encoding == .unknown {
      return body(bytes.slice(part.body))
    }
    var content: [UInt8] = []
    TransferDecoder.decode(bytes.slice(part.body), part.encoding, into: &content)
    return content.withUnsafeBytes { body($0) }
  }

  /// The outer nil: no such file; the inner: it has no name.
  private static func appendTNEFFile(
    _ number: Int, of part: MessagePart, in bytes: UnsafeRawBufferPointer,
    into content: inout [UInt8]
  ) -> String?? {
    withDecoded(part, in: bytes) { container in
      let files = TNEF.files(container)
      guard number <= files.count else { return nil }
      content.append(contentsOf: container[files[number - 1].content])
      return .some(files[number - 1].name)
    }
  }

  private static func appendUUFile(
    _ number: Int, of part: MessagePart, in bytes: UnsafeRawBufferPointer,
    into content: inout [UInt8]
  ) -> String?? {
    withDecoded(part, in: bytes) { text in
      let blocks = UUEncode.blocks(in: text)
      guard number <= blocks.count else { return nil }
      let block = blocks[number - 1]
      TransferDecoder.decode(text.slice(block.range), .uuencode, into: &content)
      var name: [UInt8] = []
      Charset.appendUTF8(text.slice(block.name), label: nil, into: &name)
      return .some(String(decoding: name, as: UTF8.self))
    }
  }
}
