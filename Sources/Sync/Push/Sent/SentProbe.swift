import IMAPClient
import MailCore
import Maildir

/// What the server says of messages of the open mailbox: of which messages they are copies, and where whole messages are asked for,
/// the hashes of all and of what stands behind the header. Confined to the connection's thread.
final class SentProbe: FetchSink {
  struct Found {
    var message: FetchedMessage
    /// Of the message that this is a copy of; nil where it is of none that is looked for.
    var original: String?
    /// 0 where only the header was asked for, as `body`.
    var content: UInt64
    var body: UInt64
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

  func begins(uid: UID?, keywords: Keywords?, size: Int, isHeader: Bool) {
    body = BodyHasher()
    whole.begins(uid: uid, keywords: keywords, size: size, isHeader: isHeader)
  }

  func bytes(_ piece: UnsafeRawBufferPointer) {
    body.feed(piece)
    whole.bytes(piece)
  }

  func finished(_ message: FetchedMessage, hasBytes: Bool, wanted: FetchRequest.Wanted) {
    guard hasBytes else { return }
    whole.finished(message, hasBytes: hasBytes, wanted: wanted)
    let isWhole = wanted == .bodies
    found[message.uid] = Found(
      message: message, original: original(body.header),
      content: isWhole ? whole.found[message.uid]?.hash ?? 0 : 0, body: isWhole ? body.value : 0)
  }

  func spoilt(uid: UID?, because reason: String) {}
  func answered(_ request: FetchRequest, refusal: String?) {}
}

/// Tells whether two messages say the same, whatever a mail reader, a queue or a server did to the header: a copy that
/// was saved has Bcc, one that was sent has Received. Kinds of line ends, and line ends at the end, do not count.
struct BodyHasher {
  /// With LF line ends, at most ``longestHeader`` bytes.
  private(set) var header: [UInt8] = []
  private var isInHeader = true
  private var isAtLineStart = true
  private var lineEnds = 0
  private let stream = XXH3.Stream()
  private static let longestHeader = 256 << 10

  mutating func feed(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while isInHeader, let byte = rest.popFirst() {
      if byte == 13 { continue }
      isInHeader = !(byte == 10 && isAtLineStart)
      isAtLineStart = byte == 10
      if header.count < Self.longestHeader { header.append(byte) }
    }
    guard !rest.isEmpty else { return }
    var text: [UInt8] = []
    text.reserveCapacity(rest.count)
    for byte in rest where byte != 13 {
      if byte == 10 {
        lineEnds += 1
        continue
      }
      while lineEnds > 0 {
        text.append(10)
        lineEnds -= 1
      }
      text.append(byte)
    }
    text.withUnsafeBytes { stream.feed($0) }
  }

  var value: UInt64 { stream.value }
}
