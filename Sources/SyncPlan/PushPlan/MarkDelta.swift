import Ledger
import MailCore

/// What a person set and removed since the last agreement. Sent as +FLAGS and -FLAGS it merges with whatever other
/// clients did meanwhile, each flag and keyword on its own (promise 1): no mark that nobody touched here is named.
package struct MarkDelta: Hashable, Sendable {
  package var added: MessageMarks
  package var removed: MessageMarks

  package init(_ change: ChangedMarks) {
    self.init(agreed: change.record.agreed, local: change.local)
  }

  package init(agreed: MessageMarks, local: MessageMarks) {
    added = MessageMarks(
      flags: local.flags.subtracting(agreed.flags),
      keywords: local.keywords.subtracting(agreed.keywords))
    removed = MessageMarks(
      flags: agreed.flags.subtracting(local.flags),
      keywords: agreed.keywords.subtracting(local.keywords))
  }

  /// Undoes this change.
  package var inverse: MarkDelta { MarkDelta(added: removed, removed: added) }

  package init(added: MessageMarks, removed: MessageMarks) {
    self.added = added
    self.removed = removed
  }

  /// What is left of the change where another client did a part of it.
  package func stillToDo(over remote: MessageMarks) -> MarkDelta {
    MarkDelta(
      added: MessageMarks(
        flags: added.flags.subtracting(remote.flags),
        keywords: added.keywords.subtracting(remote.keywords)),
      removed: MessageMarks(
        flags: removed.flags.intersection(remote.flags),
        keywords: removed.keywords.intersection(remote.keywords)))
  }

  package var isEmpty: Bool { added == MessageMarks() && removed == MessageMarks() }

  /// Leaves out what a mailbox cannot keep.
  package func without(_ marks: UnkeepableMarks) -> MarkDelta {
    guard !marks.isEmpty else { return self }
    return MarkDelta(added: marks.left(of: added), removed: marks.left(of: removed))
  }

  /// Folded names of the flags.
  package static let flagNames: [(String, MessageFlags)] = [
    ("\\draft", .draft), ("\\flagged", .flagged), ("$forwarded", .forwarded),
    ("\\answered", .answered), ("\\seen", .seen), ("\\deleted", .deleted),
  ]

  /// The marks with this change made to them.
  package func applied(to marks: MessageMarks) -> MessageMarks {
    MessageMarks(
      flags: marks.flags.union(added.flags).subtracting(removed.flags),
      keywords: marks.keywords.union(added.keywords).subtracting(removed.keywords))
  }
}
