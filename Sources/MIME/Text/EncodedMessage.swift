/// A message inside that is itself encoded, which RFC 2046 §5.2.1 forbids and some programs send: a leaf to the
/// structure, but its text is text.
enum EncodedMessage {
  /// Such a message inside such a message is followed so far.
  static let deepest = 3

  /// Whether a part is one that may be opened.
  static func isOne(_ part: MessagePart, limits: TextLimits) -> Bool {
    guard part.type.isMessage, !part.hasChildren, part.body.count <= limits.opened else {
      return false
    }
    return part.encoding == .base64 || part.encoding == .quotedPrintable
      || part.encoding == .uuencode
  }

  /// Gives the decoded message and its structure to `body`.
  static func open<Result>(
    _ part: MessagePart, in bytes: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer, MessageStructure) -> Result
  ) -> Result {
    PartContent.withDecoded(part, in: bytes) { body($0, MessageStructure.parse($0)) }
  }
}
