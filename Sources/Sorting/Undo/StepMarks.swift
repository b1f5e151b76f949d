import MailCore

/// What a step changed of a message's marks.
struct StepMarks {
  let after: FileMarks
  let flags: MessageFlags
  let added: Keywords
  let removed: Keywords

  init(_ before: FileMarks, _ after: FileMarks) {
    self.after = after
    flags = before.flags.symmetricDifference(after.flags)
    added = after.keywords.subtracting(before.keywords)
    removed = before.keywords.subtracting(after.keywords)
  }

  /// Whether all that the server had otherwise then is so now. What it had so then was never to be pushed.
  func isDone(in now: FileMarks, since then: FileMarks?) -> Bool {
    var flags = flags
    var (added, removed) = (added, removed)
    if let then {
      flags = flags.intersection(then.flags.symmetricDifference(after.flags))
      added = added.subtracting(then.keywords)
      removed = removed.intersection(then.keywords)
    }
    if flags.isEmpty, added.isEmpty, removed.isEmpty { return false }
    return now.flags.intersection(flags) == after.flags.intersection(flags)
      && added.subtracting(now.keywords).isEmpty && removed.intersection(now.keywords).isEmpty
  }
}
