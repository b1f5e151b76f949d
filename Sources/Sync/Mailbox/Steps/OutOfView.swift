import Ledger
import MailCore
import Remote
import State
import SyncPlan

/// Messages that the server shows no longer without a word: a view that slid on, or a person who threw them away.
struct OutOfView {
  private let mailbox: PulledMailbox
  /// Since earlier runs.
  private let before: UIDSet
  /// Of these, what the mailbox lacks since it has another MAILBOXID.
  private let notUnderNewIDBefore: UIDSet
  /// And what this run finds to be so; none where a person lets them go.
  private var notUnderNewID: UIDSet
  private let maySlide: Bool

  /// Where a person lets them go, or the server is known to show a part only, they are judged like anything else.
  init(_ mailbox: PulledMailbox, _ known: inout KnownMessages, _ remote: borrowing OpenMailbox)
    throws
  {
    self.mailbox = mailbox
    maySlide = !mailbox.context.allowsMassDelete && !remote.surelyShowsAll
    before = try mailbox.state.uids(.outOfView, in: mailbox.id).intersection(known.recorded)
    notUnderNewIDBefore =
      before.isEmpty ? before : try mailbox.state.uids(.notUnderNewID, in: mailbox.id)
    notUnderNewID = mailbox.context.allowsMassDelete ? UIDSet() : notUnderNewIDBefore
    known.outOfView = maySlide && !remote.showsPartOnly ? before : notUnderNewID
  }

  /// The mailbox has another id: it may have been put back from a backup, and what is not in it may still come.
  mutating func add(to known: inout KnownMessages, all listed: UIDSet?) {
    guard !mailbox.context.allowsMassDelete, let listed else { return }
    notUnderNewID = notUnderNewID.union(known.recorded.subtracting(listed))
    known.outOfView = known.outOfView.union(notUnderNewID)
  }

  /// What was never there under this id is not there, as the server says, and was not expunged.
  func leaveOut(of delta: inout MailboxDelta) {
    delta.vanished = delta.vanished.subtracting(notUnderNewID)
  }

  /// Takes out of what counts as expunged what may only be out of view, and writes that down.
  func keep(in plan: inout PullPlan, vanished: UIDSet) throws {
    guard plan.doubt == nil else { return }
    let silent = plan.expunged.subtracting(vanished)
    if mailbox.context.viewIsPartial {
      // The planner knows numbers alone: a view may be one of days.
      let old =
        silent.isEmpty
        ? silent
        : try ViewGuard.olderByDay(silent) { see in try recorded(plan.notShown, see) }
      plan.expunged = plan.expunged.subtracting(old)
    } else if maySlide {
      let kept = try judged(silent, plan)
      plan.expunged = plan.expunged.subtracting(kept)
      plan.outOfView = plan.outOfView.union(kept)
    } else if mailbox.context.allowsMassDelete {
      try mailbox.state.transaction { try $0.forgetCarriedDeletions(.toTree) }
    }
    let fresh = plan.outOfView.subtracting(before)
    let shown = before.subtracting(plan.outOfView).subtracting(plan.expunged)
    let new = plan.outOfView.intersection(notUnderNewID).subtracting(notUnderNewIDBefore)
    guard !fresh.isEmpty || !shown.isEmpty || !new.isEmpty else { return }
    try mailbox.commit { transaction in
      try transaction.setOutOfView(fresh, notUnderNewID: new, in: mailbox.id)
      try transaction.setInView(shown, in: mailbox.id)
    }
  }

  /// What is kept of `gone`. What goes is written down before: whatever becomes of this run, the next ones count it.
  private func judged(_ gone: UIDSet, _ plan: PullPlan) throws -> UIDSet {
    guard !gone.isEmpty, !mailbox.record.isTrashOrJunk else { return UIDSet() }
    let since = mailbox.context.started - DeletionGuard.memory
    let earlier = try mailbox.state.carriedDeletions(.toTree, since: since)
    let (already, notShown) = (plan.outOfView, plan.notShown)
    let verdict = try ViewGuard.judge(
      gone, of: mailbox.id, already: already, earlier: earlier
    ) { see in
      try recorded(notShown) { if !already.contains($0.uid) { see($0) } }
    }
    switch verdict {
    case .none: return UIDSet()
    case .outOfView(let uids): return uids
    case .deleted(let uids, let size, let uidNext):
      let deletions = CarriedDeletions(
        mailbox: mailbox.id, time: mailbox.context.started,
        uidValidity: mailbox.record.uidValidity, uidNext: uidNext, size: size, uids: uids)
      try mailbox.commit { try $0.add(deletions, .toTree, forgettingBefore: since) }
      return UIDSet()
    }
  }

  private func recorded(_ notShown: UIDSet, _ see: (ViewGuard.Known) -> Void) throws {
    try mailbox.state.forEachMessage(in: mailbox.id) { record in
      guard !record.traits.contains(.expunged) else { return }
      see(ViewGuard.Known(record, isShown: !notShown.contains(record.uid)))
    }
  }
}
