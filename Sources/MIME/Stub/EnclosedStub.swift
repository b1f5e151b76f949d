import MailCore

/// Finds in a message that is to be sent what stands for parts that are still on a server: a stub itself, one that is
/// enclosed, or its text as a mail reader forwards it.
package enum EnclosedStub {
  static let line = Array("X-Mirror-Stub: 1; size=".utf8)
  private static let lookedInto = 6 << 10

  /// The command that gets the parts; nil where nothing is missing.
  package static func remedy(in bytes: UnsafeRawBufferPointer) -> String? {
    if bytes.starts(with: line) { return command(ofHeader: bytes) }
    return remedy(in: bytes, MessageStructure.parse(bytes), depth: 0)
  }

  private static func remedy(
    in bytes: UnsafeRawBufferPointer, _ structure: MessageStructure, depth: Int
  ) -> String? {
    for part in structure.parts {
      // A program may have put other fields above the line.
      if part.parent == nil || structure.parts[part.parent ?? 0].type.isMessage,
        header(bytes.slice(part.header))
      {
        return command(ofHeader: bytes.slice(part.header))
      }
      if part.hasChildren { continue }
      if depth < EncodedMessage.deepest, EncodedMessage.isOne(part, limits: .standard) {
        let found = EncodedMessage.open(part, in: bytes) { inner, structure in
          inner.starts(with: line)
            ? command(ofHeader: inner) : remedy(in: inner, structure, depth: depth + 1)
        }
        if let found { return found }
        continue
      }
      if let found = remedy(inLeaf: part, bytes) { return found }
    }
    return nil
  }

  private static func remedy(inLeaf part: MessagePart, _ bytes: UnsafeRawBufferPointer) -> String? {
    var content: [UInt8] = []
    TransferDecoder.decode(
      UnsafeRawBufferPointer(rebasing: bytes.slice(part.body).prefix(lookedInto)), part.encoding,
      into: &content)
    // A file of ours that was attached as such.
    if part.parent != nil, content.starts(with: line) {
      return content.withUnsafeBytes { command(ofHeader: $0) }
    }
    guard part.type.media == "text" else { return nil }
    return AbsentPart.command(in: String(decoding: content, as: UTF8.self))
  }

  private static func header(_ header: UnsafeRawBufferPointer) -> Bool {
    header.split(separator: ASCII.lf).contains { $0.starts(with: line) }
  }

  private static func command(ofHeader bytes: UnsafeRawBufferPointer) -> String {
    let fields = HeaderFields(bytes, in: 0..<bytes.count)
    let id = fields.first(.messageID).flatMap { MessageIDs.messageID(bytes.slice($0)) }
    return AbsentPart.command(messageID: id)
  }
}
