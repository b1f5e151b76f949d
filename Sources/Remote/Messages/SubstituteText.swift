import MailCore
import Maildir

/// Recognises what Exchange sends in place of a message that it cannot render: a text of its own that says so, and that
/// would stand in the tree for the message ever after.
struct SubstituteText {
  private var head: [UInt8] = []
  /// It has a handful of short header lines.
  private static let longestHead = 8 << 10
  private static let subject =
    "retrieval using the imap4 protocol failed for the following message:"

  static let reason = "the server sent a text of its own that says it cannot show the message"

  mutating func begin() { head.removeAll(keepingCapacity: true) }

  mutating func feed(_ bytes: UnsafeRawBufferPointer) {
    head.append(contentsOf: bytes.prefix(Self.longestHead - head.count))
  }

  /// By its subject, and because it has nothing that a message gets on its way: one that somebody forwards or that
  /// a list carries is a message.
  var isThere: Bool {
    guard let found = HeaderFields.value("Subject", in: head) else { return false }
    // Where the line is folded is up to the server.
    let words = found.split { $0 == 0x20 || $0 == 0x09 }
      .map { Keywords.fold(String(decoding: $0, as: UTF8.self)) }.joined(separator: " ")
    return words.hasPrefix(Self.subject)
      && HeaderFields.value("Message-ID", in: head) == nil
      && HeaderFields.value("Received", in: head) == nil
  }
}
