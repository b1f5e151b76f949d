import MailCore

/// What can't be said in IMAP. Nothing was sent.
package enum CommandError: Error, Equatable, Sendable {
  /// The name holds a NUL byte, which no command can carry.
  case unspeakableName([UInt8])
  /// No keyword can be spelled so (RFC 9051 §9, flag-keyword).
  case invalidKeyword(String)
}

extension CommandError: Explained {
  package var explanation: Explanation {
    switch self {
    case .unspeakableName(let raw):
      Explanation(
        problem:
          "The mailbox name “\(String(decoding: raw, as: UTF8.self).visible)” can’t be sent to the server.",
        exitStatus: .inPart)
    case .invalidKeyword(let name):
      Explanation(
        problem: "“\(name.visible)” can’t be a keyword on an IMAP server.",
        remedy: "Keywords hold ASCII letters, digits and most signs, but no blanks.",
        exitStatus: .inPart)
    }
  }
}
