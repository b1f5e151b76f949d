import Ledger

/// Changes that may wait for a while, because whoever makes them may not be through.
package enum LaterChange: Sendable, Hashable {
  /// New and edited drafts: editors save them again and again.
  case drafts
  /// Messages that are gone: some programs write a file anew, or to another folder, after they have removed it.
  case deletions
}

extension PushPlan {
  /// Leaves out what is for a later push. That one finds it again: what is pending is derived from the tree.
  ///
  /// - Parameters:
  ///   - drafts: mailboxes of drafts.
  ///   - holdsBefore: as the state has them: what is not judged now changes none.
  package mutating func leave(
    _ later: Set<LaterChange>, drafts: Set<Int64>, holdsBefore: [DeletionHold]
  ) {
    if later.contains(.drafts) {
      uploads.removeAll { drafts.contains($0.mailbox) }
      twins.removeAll { $0.mailbox.map(drafts.contains) == true }
      // An editor may remove the old draft before it saves the new one.
      deletions.removeAll { drafts.contains($0.mailbox) }
    }
    if later.contains(.deletions) {
      deletions = []
      held = []
      holds = holdsBefore
    }
  }
}
