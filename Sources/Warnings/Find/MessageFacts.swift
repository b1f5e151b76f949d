import MIME
import SafeHTML

/// What warnings are found from, read once.
package struct MessageFacts {
  package var from: [MailAddress] = []
  package var replyTo: [MailAddress] = []
  package var recipients: [MailAddress] = []
  /// Whether a list sent it on: those change bodies and set Reply-To as their business.
  package var isList = false
  package var verdict = ProviderVerdict.unknown
  package var body = SignedBody.unsigned
  package var attachments: [AttachmentInfo] = []
  package var misleadingLinks: [SafePage.MisleadingLink] = []
  package var hiddenWords = 0

  package init() {}

  /// All but what the pages of the message tell.
  package init(
    _ bytes: UnsafeRawBufferPointer, _ structure: MessageStructure, authorities: [String]
  ) {
    let fields = HeaderFields(bytes, in: structure.parts.first?.header ?? 0..<0)
    let fallback = structure.headerFallback(bytes)
    func addresses(_ kind: FieldKind) -> [MailAddress] {
      fields.all(kind).flatMap {
        AddressList.parse(
          UnsafeRawBufferPointer(rebasing: bytes[$0]), limit: 200, fallback: fallback)
      }
    }
    from = addresses(.from)
    replyTo = addresses(.replyTo)
    recipients = addresses(.to) + addresses(.cc)
    isList =
      fields.first(.listID) != nil || fields.first(.listPost) != nil
      || fields.first(.precedence).map { value in
        ["list", "bulk"].contains(
          HeaderText.decode(UnsafeRawBufferPointer(rebasing: bytes[value])).lowercased())
      } ?? false
    verdict = ProviderVerdict.read(
      fields, bytes, authorities: authorities, from: from.first?.address ?? "")
    body = SignedBody.check(fields, bytes)
    attachments = structure.parts.filter(\.isAttachment).map { AttachmentInfo(part: $0, in: bytes) }
  }

  /// Adds what a page of the message tells.
  package mutating func add(_ page: SafePage) {
    misleadingLinks += page.misleadingLinks
    hiddenWords += page.hiddenWords - page.preheaderWords
  }
}
