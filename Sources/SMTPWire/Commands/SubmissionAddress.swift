import MailCore

/// An address as MAIL and RCPT carry it: `local@domain`, checked so that nothing in it can end the
/// command or begin another.
package struct SubmissionAddress: Sendable, Hashable {
  /// Without angle brackets.
  package let text: String

  package enum Problem: Error, Equatable, Sendable {
    case empty, noDomain, forbiddenCharacter, tooLong
  }

  /// - Throws: why it is none. RFC 5321 §4.5.3.1 limits: 64 octets before the `@`, 255 behind; real
  ///   local parts are longer, so only the whole counts here.
  package init(_ text: String) throws(Problem) {
    guard !text.isEmpty else { throw .empty }
    guard text.utf8.count <= 510 else { throw .tooLong }
    guard let at = Self.lastAt(text) else { throw .noDomain }
    let local = text.utf8[..<at]
    let domain = text.utf8[text.utf8.index(after: at)...]
    guard !local.isEmpty, !domain.isEmpty else { throw .noDomain }
    guard Self.isSafe(local, isLocal: true), Self.isSafe(domain, isLocal: false) else {
      throw .forbiddenCharacter
    }
    self.text = text
  }

  package var isASCII: Bool { text.utf8.allSatisfy { $0 < 0x80 } }

  /// The address with its domain in ASCII (RFC 5890), for a server without SMTPUTF8; nil where the
  /// local part needs SMTPUTF8 all the same.
  package var withASCIIDomain: String? {
    guard let at = Self.lastAt(text) else { return nil }
    let local = text[..<at]
    guard local.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    return IDNADomain.ascii(text[text.index(after: at)...]).map { "\(local)@\($0)" }
  }

  private static func lastAt(_ text: String) -> String.Index? {
    text.utf8.lastIndex(of: UInt8(ascii: "@"))
  }

  /// Atoms and dots, or one quoted string as the local part.
  private static func isSafe(_ part: Substring.UTF8View, isLocal: Bool) -> Bool {
    var isQuoted = false
    var isEscaped = false
    for byte in part {
      if byte < 0x20 || byte == 0x7F { return false }
      if isEscaped {
        isEscaped = false
        continue
      }
      switch byte {
      case UInt8(ascii: "\""):
        guard isLocal else { return false }
        isQuoted.toggle()
      case UInt8(ascii: "\\"):
        guard isQuoted else { return false }
        isEscaped = true
      case UInt8(ascii: " "), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "@"),
        UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "("), UInt8(ascii: ")"):
        guard isQuoted else { return false }
      default: break
      }
    }
    return !isQuoted && !isEscaped
  }
}
