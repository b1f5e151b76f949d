import Ledger

/// Changes that may wait for a while, because whoever makes them may not be through.
package enum LaterChange: Sendable, Hashable {
  /// New and edited drafts: editors save them again and again.
  case drafts
  /// Messages that are gone: some programs write a file anew, or to another folder, after they have removed it. Those of
  /// drafts wait with the drafts, and no longer.
  case deletions
}

extension PushPlan {
  /// Leaves out what is for a later push. That one finds it again: what is pending is derived from the tree.
  ///
  /// - Parameters:
  ///   - drafts: mailboxes of drafts.
  ///   - holdsBefore: as the state has them: what is not judged now makes none, and ends those whose files are back.
  package mutating func leave(
    _ later: Set<LaterChange>, drafts: Set<MailboxKey>, holdsBefore: [DeletionHold]
  ) {
    if later.contains(.drafts) {
      uploads.removeAll { drafts.contains($0.mailbox) }
      twins.removeAll { $0.mailbox.map(drafts.contains) == true }
      // An editor may remove the old draft before it saves the new one.
      deletions.removeAll { drafts.contains($0.mailbox) }
    }
    if later.contains(.deletions) {
      deletions.removeAll { !drafts.contains($0.mailbox) }
      held = []
      holds = holdsBefore.compactMap { before in
        // Where none is left, the files are back.
        guard let now = holds.first(where: { $0.mailbox == before.mailbox }) else { return nil }
        var hold = before
        if let still = now.uids { hold.uids = hold.uids?.intersection(still) }
        return hold
      }
    }
  }
}
