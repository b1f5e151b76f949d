import Ledger
import MailCore

/// Flags and keywords that a mailbox cannot keep, each kind by itself: a keyword that is spelled like a flag (`\Seen`, or
/// Gmail's `\Draft`, in a line that another tool wrote) is no flag, and the flag goes on being kept.
package struct UnkeepableMarks: Hashable, Sendable {
  package var flags: MessageFlags
  /// Folded.
  package var keywords: Set<String>

  package init(flags: MessageFlags = [], keywords: Set<String> = []) {
    self.flags = flags
    self.keywords = keywords
  }

  package var isEmpty: Bool { flags.isEmpty && keywords.isEmpty }

  /// Of these marks those that can be kept.
  package func left(of marks: MessageMarks) -> MessageMarks {
    MessageMarks(
      flags: marks.flags.subtracting(flags),
      keywords: keywords.isEmpty
        ? marks.keywords
        : Keywords(marks.keywords.filter { !keywords.contains(Keywords.fold($0)) }))
  }

  /// Of these, what a change would have set or removed.
  package func named(in delta: MarkDelta) -> UnkeepableMarks {
    let touched = delta.added.keywords.union(delta.removed.keywords)
    return UnkeepableMarks(
      flags: flags.intersection(delta.added.flags.union(delta.removed.flags)),
      keywords: keywords.intersection(touched.map(Keywords.fold)))
  }

  // MARK: In the state

  /// Each by the subject of its refusal, and in words for a person.
  package var refusals: [(subject: RefusalSubject, words: String)] {
    let names = MarkDelta.flagNames.filter { flags.contains($0.1) }.map(\.0).sorted()
    return names.map { (.flag($0), "“\($0)”") }
      + keywords.sorted().map { (.keyword($0), "the keyword “\($0.visible)”") }
  }

  /// An earlier program stored flags as keywords. What it stored of `\Seen` counts as a keyword: that the mailbox cannot
  /// keep the flag is found out, and reported, once more.
  ///
  /// - Returns: nil where the subject is another matter's.
  package init?(refusal subject: RefusalSubject) {
    switch subject {
    case .flag(let name):
      guard let flag = MarkDelta.flagNames.first(where: { $0.0 == name }) else { return nil }
      self.init(flags: flag.1)
    case .keyword(let keyword): self.init(keywords: [keyword])
    default: return nil
    }
  }

  package mutating func formUnion(_ other: UnkeepableMarks) {
    flags.formUnion(other.flags)
    keywords.formUnion(other.keywords)
  }
}
