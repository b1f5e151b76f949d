/// What this account may do in a mailbox (RFC 4314 §2.1), also as servers of RFC 2086 tell it.
package struct MailboxRights: Sendable, Equatable {
  /// As the server sent them: print them as `.visible`.
  package let letters: String
  private let known: Set<Character>
  /// There are 26 standard and 10 private ones.
  static let longest = 64

  package init(_ letters: String) {
    self.letters = letters
    known = Set(letters)
  }

  /// `\Seen` (s).
  package var mayChangeSeen: Bool { known.contains("s") }
  /// Flags other than `\Seen` and `\Deleted`, and keywords (w).
  package var mayChangeFlags: Bool { known.contains("w") }
  /// APPEND and COPY into it (i).
  package var mayInsert: Bool { known.contains("i") }
  /// `\Deleted` (t).
  package var mayMarkDeleted: Bool { known.contains("t") || hasOldDelete }
  /// EXPUNGE (e).
  package var mayExpunge: Bool { known.contains("e") || hasOldDelete }

  /// RFC 2086 had one right for all that deletes; servers of RFC 4314 show it beside any of its parts (§2.1.1).
  private var hasOldDelete: Bool {
    known.contains("d") && known.isDisjoint(with: ["t", "e", "x"])
  }
}
