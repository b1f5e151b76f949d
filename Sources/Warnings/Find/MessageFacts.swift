import MIME
import SafeHTML

/// What warnings are found from, read once.
package struct MessageFacts {
  package var from: [MailAddress] = []
  package var replyTo: [MailAddress] = []
  package var recipients: [MailAddress] = []
  /// The list that it says it came through.
  package var list: MailingList?
  package var verdict = ProviderVerdict.unknown
  /// The domains by which it was signed or sent, by the provider's word; nil where that said nothing.
  package var confirmedDomains: [String]?
  package var body = SignedBody.unsigned
  package var attachments: [AttachmentInfo] = []
  package var misleadingLinks: [SafePage.MisleadingLink] = []
  /// Those that its reader sees nowhere.
  package var unseenWords = 0

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
    list = MailingList(fields, bytes)
    let results = ProviderResults(fields, bytes, authorities: authorities)
    verdict = ProviderVerdict.read(results, from: from.first?.address ?? "")
    confirmedDomains = results.confirmedDomains
    // Of a stub the body is not the one that was signed, and what is not here is told of all the same.
    body =
      AbsentPart.areMissing(in: bytes)
      ? .unsigned
      : SignedBody.check(
        fields, bytes, from: from.first.flatMap { KnownPeople.domain(of: $0.address) })
    attachments = structure.parts.filter(\.isAttachment).map { part in
      AbsentPart.find(part.section, in: bytes, structure)?.info
        ?? AttachmentInfo(part: part, in: bytes)
    }
  }

  /// Adds what a page of the message tells.
  package mutating func add(_ page: SafePage) {
    misleadingLinks += page.misleadingLinks
    unseenWords += page.unseenWords
  }
}
