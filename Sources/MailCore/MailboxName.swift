/// What an account's mailbox is called here: one text for each name that the server has, and for no other.
///
/// That is the server's name decoded to Unicode NFC. Two names of a server may read the same (é as one character and as e
/// with an accent, `a&b` and `a&-b` in modified UTF-7): then one of them has levels that are spelled out (``SpelledLevel``).
/// Texts are compared byte for byte: Swift's strings take both spellings of é for one. INBOX compares without case
/// (RFC 9051 §5.1) and is always spelled `INBOX` here, also as the first level of others.
package struct MailboxName: Hashable, Sendable, CustomStringConvertible {
  /// Full name.
  package let text: String
  /// One character, or nil where the server has a flat namespace.
  package let delimiter: Character?

  package init(_ text: String, delimiter: Character?) {
    self.delimiter = delimiter
    let bytes = text.utf8
    let first = delimiter.flatMap(\.asciiValue).flatMap(bytes.firstIndex) ?? bytes.endIndex
    if Keywords.fold(String(text[..<first])).utf8.elementsEqual("inbox".utf8) {
      self.text = "INBOX" + text[first...]
    } else {
      self.text = text
    }
  }

  package var isInbox: Bool { text.utf8.elementsEqual("INBOX".utf8) }

  /// Hierarchy levels from the top. Empty levels are kept: the folder layout escapes them.
  package var levels: [String] {
    guard let delimiter = delimiter?.asciiValue else { return [text] }
    return text.utf8.split(separator: delimiter, omittingEmptySubsequences: false).map {
      String(Substring($0))
    }
  }

  package var description: String { text }

  package static func == (a: MailboxName, b: MailboxName) -> Bool {
    a.text.utf8.elementsEqual(b.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
    hasher.combine(UInt8(0xFF))
  }
}

extension MailboxName {
  /// Whether it has levels as the server spells them, since another mailbox has the name that it reads as.
  package var isSpelled: Bool { levels.contains(where: SpelledLevel.isSpelled) }

  /// What a person reads and types, which may be another mailbox's name; not normalised.
  package var plain: String {
    guard isSpelled else { return text }
    return levels.map { SpelledLevel.plain($0) ?? $0 }
      .joined(separator: delimiter.map(String.init) ?? "")
  }
}
