import IMAPClient
import MailCore
import Maildir

/// What the server says of messages: of which messages they are copies, and where whole messages are asked for,
/// the hashes of all and of the body. Confined to the connection's thread.
package final class SentProbe: FetchSink {
  package struct Found {
    package var message: FetchedMessage
    /// Of the message that this is a copy of; nil where it is of none that is looked for.
    package var original: String?
    /// Nil where only the header was asked for, as `body`.
    package var content: ContentHash?
    package var body: BodyHash?
  }
  private(set) var found: [UID: Found] = [:]
  private let whole: DigestProbe
  private let original: ([UInt8]) -> String?
  private var body = BodyHasher()

  /// - Parameter original: the Message-ID of the message of which a header is a copy's.
  init(labelName: String?, original: @escaping ([UInt8]) -> String?) {
    whole = DigestProbe(whole: true, labelName: labelName)
    self.original = original
  }

  package func begins(uid: UID?, keywords: Keywords?, size: Int, isHeader: Bool) {
    body = BodyHasher()
    whole.begins(uid: uid, keywords: keywords, size: size, isHeader: isHeader)
  }

  package func bytes(_ piece: UnsafeRawBufferPointer) {
    body.feed(piece)
    whole.bytes(piece)
  }

  package func finished(_ message: FetchedMessage, hasBytes: Bool, wanted: FetchRequest.Wanted) {
    guard hasBytes else { return }
    whole.finished(message, hasBytes: hasBytes, wanted: wanted)
    let isWhole = wanted == .bodies
    found[message.uid] = Found(
      message: message, original: original(body.header),
      content: isWhole ? whole.found[message.uid]?.contentHash : nil,
      body: isWhole ? body.value : nil)
  }

}
