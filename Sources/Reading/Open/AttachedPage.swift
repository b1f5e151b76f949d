import MIME
import MailIndex
import SafeHTML
import Warnings

/// An attachment that is a page or a message, made safe as those of messages are.
enum AttachedPage {
  /// The page that a browser opens.
  ///
  /// - Parameter name: of the attachment.
  static func document(
    _ part: PartAsMessage, named name: String, of hit: SearchHit
  ) -> [UInt8] {
    var message = PageMessage()
    message.from = hit.from
    message.date = CivilTime(local: hit.date).fullText
    message.head = [("Subject", hit.subject)]
    part.bytes.withUnsafeBytes { bytes in
      let pages = MessagePages(bytes, MessageStructure.parse(bytes))
      message.show(pages)
      let facts = pages.pages.reduce(into: MessageFacts()) { $0.add($1) }
      message.warnings = WarningFinder.warnings(of: facts, people: .nobody).map(\.sentence)
    }
    var page = ConversationPage()
    page.subject = name
    return page.document([message])
  }
}
