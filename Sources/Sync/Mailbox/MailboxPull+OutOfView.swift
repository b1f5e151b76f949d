import Ledger
import MailCore
import Remote
import Settings
import State
import SyncPlan

/// Messages that the server shows no longer without a word: a view that slid on, or a person who threw them away.
extension MailboxPull {
  /// What is out of view since earlier runs. Where a person lets it go, or the server is known to show a part only, it
  /// is judged like anything else.
  func takeOutOfView(_ known: inout KnownMessages, _ remote: RemoteMailbox) throws -> UIDSet {
    let before = try context.state.uids(.outOfView, in: mailboxID).intersection(known.recorded)
    if !context.allowsMassDelete && !remote.showsPartOnly { known.outOfView = before }
    return before
  }

  /// Takes out of what counts as expunged what may only be out of view, and writes that down.
  func keepOutOfView(_ plan: inout PullPlan, before: UIDSet, vanished: UIDSet) throws {
    guard plan.doubt == nil else { return }
    let silent = plan.expunged.subtracting(vanished)
    if context.viewIsPartial {
      // The planner knows numbers alone: a view may be one of days.
      let old = silent.isEmpty ? silent : try ViewGuard.olderByDay(silent, among: recorded)
      plan.expunged = plan.expunged.subtracting(old)
    } else if !context.allowsMassDelete {
      let kept = try outOfView(of: silent, already: plan.outOfView)
      plan.expunged = plan.expunged.subtracting(kept)
      plan.outOfView = plan.outOfView.union(kept)
    }
    let fresh = plan.outOfView.subtracting(before)
    let shown = before.subtracting(plan.outOfView).subtracting(plan.expunged)
    guard !fresh.isEmpty || !shown.isEmpty else { return }
    try context.state.transaction { transaction in
      try transaction.setOutOfView(true, fresh, in: mailboxID)
      try transaction.setOutOfView(false, shown, in: mailboxID)
    }
    context.noteChange()
  }

  private func outOfView(of gone: UIDSet, already: UIDSet) throws -> UIDSet {
    guard !gone.isEmpty, gone.count + already.count > DeletionGuard.fewest else { return UIDSet() }
    return try ViewGuard.outOfView(of: gone, already: already.count) { see in
      try recorded { if !already.contains($0.uid) { see($0) } }
    }
  }

  private func recorded(_ see: (ViewGuard.Known) -> Void) throws {
    try context.state.forEachMessage(in: mailboxID) { record in
      guard !record.traits.contains(.expunged) else { return }
      see(
        ViewGuard.Known(
          uid: record.uid, date: record.internalDate,
          hasFile: !record.isPruned && !record.name.isEmpty))
    }
  }
}
