import MailCore

/// Finds in a message that is to be sent what stands for parts that are still on a server: a stub itself, one that is
/// enclosed, or its text as a mail reader forwards it.
package enum EnclosedStub {
  /// What was found.
  package enum Finding: Equatable, Sendable {
    /// A stub, with the command that gets its parts.
    case stub(command: String)
    /// The text of one, which any sender could have written; with the command if the text names a message.
    case text(command: String?)
  }

  static let line = Array("X-Mirror-Stub: 1; size=".utf8)
  static let guardLine = Array("X-Mirror-Stub: 0".utf8)
  private static let mboxLine = Array("From ".utf8)
  /// Bytes of a text that are looked through, half of them at its end: longer ones are data, and memory has its bounds.
  private static let mostOfText = 512 << 10
  /// The same of an attached mbox.
  private static let mostOfMbox = 1 << 20

  /// - Returns: nil where nothing is missing.
  package static func find(in bytes: UnsafeRawBufferPointer) -> Finding? {
    if bytes.starts(with: line) { return .stub(command: command(ofHeader: bytes)) }
    let structure = MessageStructure.parse(bytes)
    let fields = HeaderFields(bytes, in: structure.parts[0].header)
    let answered = fields.first(.inReplyTo).map { MessageIDs.inReplyTo(bytes.slice($0)).ids } ?? []
    return find(in: bytes, structure, answered: answered, depth: 0)
  }

  /// - Parameter answered: what the message is an answer to. An answer that quotes the text leaves nothing out.
  private static func find(
    in bytes: UnsafeRawBufferPointer, _ structure: MessageStructure, answered: [String], depth: Int
  ) -> Finding? {
    var text: Finding?
    for part in structure.parts {
      // A program may have put other fields above the line.
      if part.parent == nil || structure.parts[part.parent ?? 0].type.isMessage,
        isStub(header: bytes.slice(part.header))
      {
        return .stub(command: command(ofHeader: bytes.slice(part.header)))
      }
      if part.hasChildren { continue }
      let found: Finding?
      if depth < EncodedMessage.deepest, EncodedMessage.isOne(part, limits: .standard) {
        found = EncodedMessage.open(part, in: bytes) { inner, structure in
          inner.starts(with: line)
            ? .stub(command: command(ofHeader: inner))
            : find(in: inner, structure, answered: answered, depth: depth + 1)
        }
      } else {
        found = find(inLeaf: part, bytes, answered: answered)
      }
      if case .stub = found { return found }
      text = text ?? found
    }
    return text
  }

  private static func find(
    inLeaf part: MessagePart, _ bytes: UnsafeRawBufferPointer, answered: [String]
  ) -> Finding? {
    var head: [UInt8] = []
    let body = bytes.slice(part.body)
    TransferDecoder.decode(
      UnsafeRawBufferPointer(rebasing: body.prefix(4096)), part.encoding, into: &head)
    let isAttached = part.parent != nil
    // Files of ours that were attached as such.
    if isAttached, head.starts(with: line) {
      return .stub(command: head.withUnsafeBytes { command(ofHeader: $0) })
    }
    let isMbox = isAttached && head.starts(with: mboxLine)
    guard isMbox || part.type.media == "text" else { return nil }
    if isMbox {
      let found: String? = decoded(body.prefix(mostOfMbox), part.encoding) { command(inMbox: $0) }
      if let found { return .stub(command: found) }
    }
    guard part.type.media == "text" else { return nil }
    for piece in pieces(of: body, part.encoding) {
      let found: AnnouncementText? = decoded(piece, part.encoding) { content in
        AnnouncementText.find(in: content, isHTML: part.type.subtype == "html")
          .first { !($0.isQuoted && $0.isOf(answered)) }
      }
      if let found { return .text(command: found.command) }
    }
    return nil
  }

  private static func decoded<Found>(
    _ bytes: Slice<UnsafeRawBufferPointer>, _ encoding: TransferEncoding,
    _ look: (UnsafeRawBufferPointer) -> Found
  ) -> Found {
    var content: [UInt8] = []
    TransferDecoder.decode(UnsafeRawBufferPointer(rebasing: bytes), encoding, into: &content)
    return content.withUnsafeBytes(look)
  }

  /// Base64 can be read from its beginning alone.
  private static func pieces(of body: UnsafeRawBufferPointer, _ encoding: TransferEncoding)
    -> [Slice<UnsafeRawBufferPointer>]
  {
    if body.count <= mostOfText { return [body[...]] }
    if encoding == .base64 { return [body.prefix(mostOfText)] }
    return [body.prefix(mostOfText / 2), body.suffix(mostOfText / 2)]
  }

  /// Of the first stub among the messages of an mbox.
  private static func command(inMbox bytes: UnsafeRawBufferPointer) -> String? {
    var place = 0
    while place < bytes.count {
      let next = min(bytes.lineEnd(from: place, to: bytes.count) + 1, bytes.count)
      if bytes.slice(place..<bytes.count).starts(with: mboxLine) {
        let message = bytes.slice(next..<bytes.count)
        let fields = HeaderFields(message, in: 0..<message.count)
        let header = message.slice(fields.block)
        if isStub(header: header) { return command(ofHeader: header) }
        place = next + header.count
      } else {
        place = next
      }
    }
    return nil
  }

  private static func isStub(header: UnsafeRawBufferPointer) -> Bool {
    header.split(separator: ASCII.lf).contains { $0.starts(with: line) }
  }

  /// Gets the parts of the message that begins with this header.
  static func command(ofHeader bytes: UnsafeRawBufferPointer) -> String {
    let fields = HeaderFields(bytes, in: 0..<bytes.count)
    let id = fields.first(.messageID).flatMap { MessageIDs.messageID(bytes.slice($0)) }
    return AbsentPart.command(messageID: id)
  }
}
