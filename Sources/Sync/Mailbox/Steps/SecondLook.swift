import Ledger
import MailCore
import Remote
import State
import SyncPlan

/// On servers whose back ends are out of step a list leaves out what the next one shows again: a message is gone when two
/// lists some minutes apart leave it out.
struct SecondLook {
  /// Between the two, in seconds.
  private var pause: Int64 { min(180, mailbox.context.longestLag) }

  private let mailbox: PulledMailbox
  private let isNeeded: Bool
  private let before: (uids: UIDSet, time: Int64)?
  /// What waits for the second look, so that the mailbox has to be visited again.
  private(set) var awaited = UIDSet()

  init(_ mailbox: PulledMailbox, _ known: inout KnownMessages, _ remote: borrowing OpenMailbox)
    throws
  {
    self.mailbox = mailbox
    // Of a tree that came back from somewhere nothing counts as deleted at all.
    isNeeded =
      remote.needsTwoLooks && !mailbox.context.allowsMassDelete && !mailbox.record.needsAdoption
    before = isNeeded ? try mailbox.state.missedOnce(in: mailbox.id) : nil
    guard isNeeded else { return }
    let isLongAgo = before.map { mailbox.context.started - $0.time >= pause } ?? false
    known.missedBefore = isLongAgo ? before?.uids ?? UIDSet() : UIDSet()
  }

  /// Writes down what was missed for the first time, and when. What comes while some wait is looked at after these.
  mutating func record(_ plan: PullPlan) throws {
    guard isNeeded, plan.doubt == nil else { return }
    awaited = plan.missedOnce
    let still = before.map { $0.uids.intersection(awaited) } ?? UIDSet()
    let (uids, time) =
      still.isEmpty ? (awaited, mailbox.context.started) : (still, before?.time ?? 0)
    guard uids != before?.uids ?? UIDSet() else { return }
    try mailbox.commit {
      try $0.setMissedOnce(
        uids, at: time, in: mailbox.id, uidValidity: mailbox.record.uidValidity)
    }
  }
}
