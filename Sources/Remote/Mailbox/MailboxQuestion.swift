import Ledger
import MailCore
import SyncPlan

/// A mailbox to open, and the UIDVALIDITY under which its UIDs are known.
package struct MailboxTarget: Sendable {
  package var name: MailboxName
  /// The server's own spelling.
  package var rawName: [UInt8]
  /// Nil on first sight.
  package var uidValidity: UIDValidity?

  package init(name: MailboxName, rawName: [UInt8], uidValidity: UIDValidity?) {
    self.name = name
    self.rawName = rawName
    self.uidValidity = uidValidity
  }
}

/// How to ask for what changed, in one flight with opening the mailbox.
package enum DeltaQuestion: Sendable, Equatable {
  /// First sight, or everything in doubt: all UIDs, and the marks of those up to `marksUpTo`.
  case everything(marksUpTo: UID?)
  /// CONDSTORE: all UIDs, and the marks changed since (RFC 7162 §3.1.4.1).
  case changedSince(ModSequence, marksUpTo: UID)
  /// QRESYNC: what vanished and changed since (RFC 7162 §3.2.5); of the UIDs only those from `newFrom`,
  /// or all of them.
  case quickResync(UIDValidity, ModSequence, newFrom: UID, listsAll: Bool)
}

extension DeltaQuestion {
  /// The cheapest question that what is known allows, and the server understands.
  package static func best(_ record: MailboxRecord, _ known: KnownMessages, _ remote: RemoteMailbox)
    -> DeltaQuestion
  {
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
