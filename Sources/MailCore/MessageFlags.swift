/// The flags a Maildir file name can carry, as a set: D F P R S T.
///
/// `$Forwarded` counts as a flag (P) because Maildir has a letter for it.
package struct MessageFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `\Draft`, letter D.
  package static let draft = MessageFlags(rawValue: 1)
  /// `\Flagged`, letter F.
  package static let flagged = MessageFlags(rawValue: 2)
  /// `$Forwarded`, letter P (passed).
  package static let forwarded = MessageFlags(rawValue: 4)
  /// `\Answered`, letter R (replied).
  package static let answered = MessageFlags(rawValue: 8)
  /// `\Seen`, letter S.
  package static let seen = MessageFlags(rawValue: 16)
  /// `\Deleted`, letter T (trashed). Never a request to expunge.
  package static let deleted = MessageFlags(rawValue: 32)

  package static let all: MessageFlags = [.draft, .flagged, .forwarded, .answered, .seen, .deleted]

  /// Letters in ASCII order, each beside its flag.
  package static let letters: [(letter: UInt8, flag: MessageFlags)] = [
    (UInt8(ascii: "D"), .draft), (UInt8(ascii: "F"), .flagged), (UInt8(ascii: "P"), .forwarded),
    (UInt8(ascii: "R"), .answered), (UInt8(ascii: "S"), .seen), (UInt8(ascii: "T"), .deleted),
  ]
}
