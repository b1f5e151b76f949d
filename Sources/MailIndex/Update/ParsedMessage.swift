import MIME

/// Everything the index keeps of one message, read from its file once.
struct ParsedMessage: Sendable {
  /// Over sender, recipients, subject, date, Message-ID, MIME fields and body: the same for one mail
  /// that came by two ways.
  var contentHash: Int64
  /// Message-ID, or a key made from the content.
  var key: String
  /// Unix seconds.
  var date: Int64
  var size: Int64
  var sender: String
  var senderAddress: String
  var recipients: String
  var cc: String
  var subject: String
  var listID: String?
  var snippet: String
  var attachments: [Attachment]
  /// How many of its parts stay on the server.
  var absentParts: Int
  /// `text` is not all there is.
  var isTextCut: Bool
  var addresses: [Correspondent]
  var facts: ThreadFacts
  var text: SearchText

  struct Attachment: Sendable {
    var info: AttachmentInfo
    /// XXH3 of the decoded content; nil where it is not there.
    var hash: UInt64?
  }

  /// Somebody whom a message names.
  struct Correspondent: Sendable {
    enum Role: Int64, Sendable {
      case from = 1
      case to, cc, bcc
    }
    var role: Role
    var address: String
    var name: String
  }
}

/// The six columns of `message_text`, one after the other in one piece of memory.
struct SearchText: Sendable {
  private(set) var bytes: [UInt8] = []
  private(set) var ends: [Int32] = []

  static let columns = 6

  mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

  /// Adds the next column, in the form that the index holds.
  mutating func addColumn(_ text: String) {
    var text = text
    text.withUTF8 { addColumn(UnsafeRawBufferPointer($0)) }
  }

  mutating func addColumn(_ text: UnsafeRawBufferPointer) {
    CJKText.append(text, to: &bytes)
    ends.append(Int32(clamping: bytes.count))
  }

  /// The range of a column in the memory.
  func range(of column: Int) -> Range<Int> {
    let start = column == 0 ? 0 : Int(ends[column - 1])
    return start..<Int(ends[column])
  }
}
