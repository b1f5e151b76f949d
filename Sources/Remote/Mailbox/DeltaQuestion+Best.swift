import Ledger
import MailCore
import SyncPlan

extension DeltaQuestion {
  /// The cheapest question that what is known allows, and the server understands.
  package static func best(
    _ record: MailboxRecord, _ known: KnownMessages, _ remote: borrowing OpenMailbox
  ) -> DeltaQuestion {
    let modSeq = ModSequence(UInt64(max(0, record.highestModSeq)))
    guard record.uidValidity != 0, modSeq != .none, let last = known.recorded.last else {
      return .everything(marksUpTo: known.recorded.last)
    }
    if remote.understandsQuickResync {
      let isWhole = record.hasWholeHistory && !record.isDirty && known.failed.isEmpty
      return .quickResync(
        UIDValidity(record.uidValidity), modSeq, newFrom: UID(max(1, record.forwardCursor &+ 1)),
        listsAll: !isWhole)
    }
    if remote.understandsChangedSince { return .changedSince(modSeq, marksUpTo: last) }
    return .everything(marksUpTo: last)
  }
}
