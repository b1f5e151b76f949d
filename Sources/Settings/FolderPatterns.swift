import Foundation
import MailCore

/// The `folders` key: which mailboxes are mirrored.
///
/// Each pattern is compared with the mailbox's whole name. `*` stands for any characters, `%` for any but the
/// hierarchy delimiter (as in LIST, RFC 9051 §6.3.9.1), a leading `!` turns the pattern into an exclusion. Of all the
/// patterns that match a name the last one decides; a name that none matches is left out, but where the first pattern
/// is an exclusion, everything before it counts as included. Letters compare exactly, except that a first level
/// INBOX compares without case. Where `/` stands in a pattern, the server's delimiter may stand in the name, whatever
/// it is; so one configuration reads alike for `Archive/2024` and `Archive.2024`. A mailbox whose name is spelled out,
/// since another's reads the same, goes by what it reads as, too.
package struct FolderPatterns: Sendable, Equatable {
  private struct Pattern: Sendable, Equatable {
    var text: [UInt8]
    var excludes: Bool
  }

  private var patterns: [Pattern]
  /// As the configuration wrote them.
  package let texts: [String]

  package static let everything = FolderPatterns(["*"])

  /// Takes any texts; an empty list matches nothing.
  package init(_ texts: [String]) {
    self.texts = texts
    patterns = texts.map { text in
      let excludes = text.hasPrefix("!")
      return Pattern(
        text: Self.bytes(excludes ? String(text.dropFirst()) : text), excludes: excludes)
    }
  }

  /// Whether the mailbox `name` is mirrored. `delimiter` is the server's, nil for a flat namespace.
  package func matches(name: String, delimiter: Character?) -> Bool {
    matches(MailboxName(name, delimiter: delimiter))
  }

  package func matches(_ mailbox: MailboxName) -> Bool {
    let names = Self.bytes(of: mailbox)
    let separator = mailbox.delimiter?.asciiValue
    for pattern in patterns.reversed()
    where names.contains(where: { Self.matches(pattern.text[...], $0[...], delimiter: separator) })
    {
      return !pattern.excludes
    }
    return patterns.first?.excludes ?? false
  }

  /// Whether one pattern, given as a person wrote it after a slash on the command line, names this mailbox.
  package static func pattern(_ pattern: String, matches mailbox: MailboxName) -> Bool {
    let text = bytes(pattern)
    return bytes(of: mailbox).contains {
      matches(text[...], $0[...], delimiter: mailbox.delimiter?.asciiValue)
    }
  }
}

extension FolderPatterns {
  /// A pattern's, with accents as the names of mailboxes have them: keyboards and systems differ in that.
  private static func bytes(_ pattern: String) -> [UInt8] {
    foldingInbox(pattern.precomposedStringWithCanonicalMapping)
  }

  /// The mailbox's name, and what it reads as where that is another.
  private static func bytes(of mailbox: MailboxName) -> [[UInt8]] {
    let reading = mailbox.reading
    return (reading == mailbox ? [mailbox] : [mailbox, reading]).map {
      foldingInbox($0.text, delimiter: mailbox.delimiter?.asciiValue)
    }
  }

  /// `inbox` at the first level, however it is written, becomes `INBOX`.
  private static func foldingInbox(_ text: String, delimiter: UInt8? = nil) -> [UInt8] {
    var bytes = Array(text.utf8)
    let inbox = Array("INBOX".utf8)
    guard bytes.count >= inbox.count,
      zip(bytes, inbox).allSatisfy({ $0 & 0xDF == $1 }),
      bytes.count == inbox.count || endsLevel(bytes[inbox.count], delimiter: delimiter)
    else { return bytes }
    bytes.replaceSubrange(..<inbox.count, with: inbox)
    return bytes
  }

  /// In a pattern the delimiter is not known yet, so the usual ones count.
  private static func endsLevel(_ byte: UInt8, delimiter: UInt8?) -> Bool {
    if let delimiter { return byte == delimiter }
    return "/.\\*%".utf8.contains(byte)
  }

  /// Both lengths multiplied bound the time, whatever the pattern.
  private static func matches(
    _ pattern: ArraySlice<UInt8>, _ name: ArraySlice<UInt8>, delimiter: UInt8?
  ) -> Bool {
    // reachable[j]: the pattern so far can stand for the first j bytes of the name.
    var reachable = [Bool](repeating: false, count: name.count + 1)
    reachable[0] = true
    for byte in pattern {
      switch byte {
      case UInt8(ascii: "*"): spread(&reachable) { _ in true }
      case UInt8(ascii: "%"):
        spread(&reachable) { name[name.startIndex + $0] != delimiter }
      default:
        for j in stride(from: name.count, to: 0, by: -1) {
          let other = name[name.startIndex + j - 1]
          let same = byte == other || (byte == UInt8(ascii: "/") && other == delimiter)
          reachable[j] = reachable[j - 1] && same
        }
        reachable[0] = false
      }
    }
    return reachable[name.count]
  }

  private static func spread(_ reachable: inout [Bool], over: (Int) -> Bool) {
    for j in 1..<reachable.count where reachable[j - 1] && over(j - 1) { reachable[j] = true }
  }
}
