/// What is known of an attachment without opening it.
package struct AttachmentInfo: Sendable, Hashable {
  /// The IMAP section; `2:1` is the first file found inside section 2 (uuencode in a text, or a `winmail.dat`).
  package let section: String
  /// As the message has it, decoded; never a path to write to.
  package let fileName: String?
  /// `type/subtype` in lower case.
  package let mediaType: String
  /// Bytes once decoded, reckoned without decoding where that is exact.
  package let size: Int
  package let disposition: Disposition?
  package let contentID: String?
  package let warning: DangerousType?
  /// False where it stays on the server; its size is then about right.
  package let isHere: Bool

  package init(
    section: String, fileName: String?, mediaType: String, size: Int, disposition: Disposition?,
    contentID: String?, isHere: Bool = true
  ) {
    self.isHere = isHere
    self.section = section
    self.fileName = fileName
    self.mediaType = mediaType
    self.size = size
    self.disposition = disposition
    self.contentID = contentID
    warning = DangerousType.of(fileName: fileName, mediaType: mediaType)
  }

  /// The attachment that a part is, and the files inside it if it is a `winmail.dat`.
  static func all(
    of part: MessagePart, in bytes: UnsafeRawBufferPointer, limits: TextLimits
  ) -> [AttachmentInfo] {
    let whole = AttachmentInfo(part: part, in: bytes)
    guard PartContent.isTNEF(part), part.body.count <= limits.opened else { return [whole] }
    return PartContent.withDecoded(part, in: bytes) { content in
      [whole]
        + TNEF.files(content).enumerated().map { number, file in
          AttachmentInfo(
            inner: number + 1, of: part.section, fileName: file.name, size: file.content.count)
        }
    }
  }

  package init(part: MessagePart, in bytes: UnsafeRawBufferPointer) {
    self.init(
      section: part.section, fileName: part.fileName, mediaType: part.type.name,
      size: TransferDecoder.decodedSize(bytes.slice(part.body), part.encoding),
      disposition: part.disposition, contentID: part.contentID)
  }

  /// A file of a container part.
  init(inner number: Int, of section: String, fileName: String?, size: Int) {
    self.init(
      section: "\(section):\(number)", fileName: fileName, mediaType: "application/octet-stream",
      size: size, disposition: .attachment, contentID: nil)
  }
}
