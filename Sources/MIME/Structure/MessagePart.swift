/// One part of a message: where it lies, and what its header says of it.
///
/// Ranges are byte offsets into the message. A body is not decoded.
package struct MessagePart: Sendable, Hashable {
  /// Index in ``MessageStructure/parts``; nil for the root.
  package let parent: Int?
  /// The IMAP section (RFC 9051 §6.4.5.1): "" for a root multipart, "1", "1.2"; below a
  /// message/rfc822 "2" its text is "2.1", or "2.TEXT" where it is a multipart, whose parts are
  /// "2.1", "2.2".
  package internal(set) var section: String
  /// Levels above it; 0 for the root.
  package let depth: Int
  /// Its header block with the blank line that ends it; empty where there is none.
  package let header: Range<Int>
  /// Its body, without the line break that belongs to the boundary after it.
  package internal(set) var body: Range<Int>
  /// A multipart without parts reads as text/plain here.
  package internal(set) var type: ContentType
  package let encoding: TransferEncoding
  package let disposition: Disposition?
  /// The file name it gives itself, decoded; never to be used as a path as it is.
  package let fileName: String?
  /// Without `<` and `>`.
  package let contentID: String?
  /// Whether parts follow that belong to this one: a multipart, or a message/rfc822.
  package internal(set) var hasChildren: Bool
  /// Whether people would call it an attachment; ``AttachmentRule`` says how that is decided.
  package internal(set) var isAttachment: Bool
}
