import Maildir

/// Names one message in the queue: 13 lower-case letters and digits, from 65 random bits.
///
/// It stands in file names, on command lines (any unambiguous prefix will do) and as ENVID in SMTP
/// (RFC 3461 §4.4), so it holds nothing that any of them would have to quote.
package struct QueueID: Hashable, Sendable, Comparable, CustomStringConvertible {
  package let text: String

  static let length = 13
  /// Without 0, 1, l and o, which people misread.
  private static let alphabet = Array("abcdefghijkmnpqrstuvwxyz23456789".utf8)

  /// Nil for what is no id.
  package init?(_ text: String) {
    guard text.utf8.count == Self.length, text.utf8.allSatisfy(Self.alphabet.contains) else {
      return nil
    }
    self.text = text
  }

  package static func random() -> QueueID {
    var numbers = SystemRandomNumberGenerator()
    return random(using: &numbers)
  }

  static func random(using numbers: inout some RandomNumberGenerator) -> QueueID {
    let letters = (0..<length).map { _ in alphabet[Int(numbers.next() & 31)] }
    return QueueID(unchecked: String(decoding: letters, as: UTF8.self))
  }

  private init(unchecked text: String) { self.text = text }

  package var description: String { text }
  package static func < (a: QueueID, b: QueueID) -> Bool { a.text < b.text }
}

extension QueueID {
  /// The base of the message's file name, a Maildir name like any other: `<seconds>.<id>.mirror`.
  func baseName(queued seconds: Int64) -> String { "\(max(0, seconds)).\(text).mirror" }

  /// The id in a message's file name, whatever flags a mail reader has given it since; nil for names
  /// that the queue did not choose.
  init?(fileName: [UInt8]) {
    let base = String(decoding: MaildirFileName(fileName).base, as: UTF8.self)
    let parts = base.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, Int64(parts[0]) != nil, parts[2] == "mirror" else { return nil }
    self.init(String(parts[1]))
  }
}
