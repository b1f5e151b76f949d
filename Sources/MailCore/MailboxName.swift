/// A mailbox as the server names it, decoded to Unicode NFC, with the server's hierarchy delimiter.
///
/// INBOX compares without case (RFC 9051 §5.1) and is always spelled `INBOX` here.
package struct MailboxName: Hashable, Sendable, CustomStringConvertible {
  /// Full name, decoded from modified UTF-7 or UTF-8.
  package let text: String
  /// One character, or nil where the server has a flat namespace.
  package let delimiter: Character?

  package init(_ text: String, delimiter: Character?) {
    self.delimiter = delimiter
    let first = delimiter.flatMap { text.firstIndex(of: $0) } ?? text.endIndex
    if Keywords.fold(String(text[..<first])) == "inbox" {
      self.text = "INBOX" + text[first...]
    } else {
      self.text = text
    }
  }

  package var isInbox: Bool { text == "INBOX" }

  /// Hierarchy levels from the top. Empty levels are kept: the folder layout escapes them.
  package var levels: [String] {
    guard let delimiter else { return [text] }
    return text.split(separator: delimiter, omittingEmptySubsequences: false).map(String.init)
  }

  package var description: String { text }
  package static func == (a: MailboxName, b: MailboxName) -> Bool { a.text == b.text }
  package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
