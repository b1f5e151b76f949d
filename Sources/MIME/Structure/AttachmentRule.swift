/// What people call an attachment.
///
/// A part that says `attachment`, that has a file name, or that is no text; but not:
/// - a part that holds others without saying `attachment` or naming a file;
/// - what the text refers to by Content-ID inside a multipart/related, unless it says `attachment`;
/// - the signature of a multipart/signed and the control part of a multipart/encrypted;
/// - the reports of a multipart/report (`message/delivery-status` and its like).
package enum AttachmentRule {
  static func applies(to part: MessagePart, below parent: MessagePart?) -> Bool {
    if part.type.isMultipart { return false }
    if let parent, isEnvelope(part, of: parent.type) { return false }
    if part.disposition == .attachment { return true }
    if let parent, parent.type.is("multipart", "related"), part.contentID != nil { return false }
    if part.fileName != nil { return true }
    return part.type.media != "text" && part.type.media != "message"
  }

  /// Parts that programs put there for programs (RFC 1847).
  private static func isEnvelope(_ part: MessagePart, of parent: ContentType) -> Bool {
    switch (parent.subtype, part.type.subtype) {
    case ("signed", "pgp-signature"), ("signed", "pkcs7-signature"),
      ("signed", "x-pkcs7-signature"), ("encrypted", "pgp-encrypted"):
      parent.isMultipart
    default: false
    }
  }
}
