@testable import MailIndex
@testable import Reading

extension SearchHit {
  static func sample(
    id: Int64 = 29_394_021, date: Int64 = 1_763_717_400,
    from: String = "Alice Example <alice@example.org>", subject: String = "The subject",
    flags: IndexFlags = [.seen], keywords: [String] = [], attachments: [FoundAttachment] = []
  ) -> SearchHit {
    SearchHit(
      id: id, messageID: "a@example.org", threadID: 7, account: "personal", date: date, from: from,
      to: "Bob <bob@example.org>", cc: "", subject: subject, snippet: "Hello", flags: flags,
      size: 1000, attachmentCount: attachments.count, listID: nil, keywords: keywords, files: [],
      attachments: attachments)
  }
}

extension FoundAttachment {
  static func sample(_ section: String = "2", name: String = "report.pdf", warning: String? = nil)
    -> FoundAttachment
  {
    FoundAttachment(
      section: section, fileName: name, mediaType: "application/pdf", size: 12_300,
      disposition: "attachment", contentID: nil, warning: warning)
  }
}

extension Page {
  static func terminal(_ columns: Int = 80, colours: Bool = false) -> Page {
    Page(columns: columns, hasColours: colours, now: 1_763_720_000)
  }

  static let file = Page(columns: nil, hasColours: false, now: 1_763_720_000)
}

extension String {
  /// A page whose sentences have the words of mails in them without a mark.
  var withoutIslands: String { replacing("<bdi>", with: "").replacing("</bdi>", with: "") }
}
