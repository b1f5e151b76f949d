import IMAPWire
import Ledger
import MailCore
import Maildir
import Remote
import State
import SyncPlan

/// Whether an open mailbox is one that had another name, or another MAILBOXID, by the headers of some messages.
struct MailboxIdentity {
  private let context: AccountContext
  private let listing: MailboxListing
  private let delta: MailboxDelta

  /// - Parameter delta: with all that the mailbox has.
  init(context: AccountContext, listing: MailboxListing, _ delta: MailboxDelta) throws {
    self.context = context
    self.listing = listing
    self.delta = delta
    if let listed = listing.status?.uidValidity, listed != delta.uidValidity {
      throw SyncError.uidValidityChanged(listing.name)
    }
  }

  /// Whether it has the record's UIDVALIDITY, and nothing shows that it is another one.
  func hasNumber(of record: MailboxRecord) -> Bool {
    if let known = record.mailboxID, let shown = delta.mailboxID { return known == shown }
    return delta.uidValidity.rawValue == record.uidValidity
  }

  /// - Throws: what keeps it from being known: nothing may follow from that.
  func matches(
    _ record: MailboxRecord, _ evidence: RenameCandidate.Evidence, _ remote: borrowing OpenMailbox
  ) throws -> Bool {
    if let known = record.mailboxID, let shown = delta.mailboxID { return known == shown }
    // Under other numbers every message has to be there with its UID, as the list has shown.
    if !hasNumber(of: record) {
      let all = try context.state.uids(.known, in: record.id)
      guard listing.status != nil, all == delta.listed else { return false }
    }
    let sample = try compare(with: record, remote)
    let isOnlyOne = evidence == .uidValidity
    guard let newest = sample.compared.max() else {
      // Where none is there any more, the number alone tells; small ones are shared by chance.
      return isOnlyOne && record.uidValidity > 1_000_000
    }
    if isOnlyOne {
      // In a mailbox that came back from a backup the newest are others. A server may have rewritten what was sent to it.
      return sample.equal.contains(newest) || sample.hasNewestsDate && !sample.equal.isEmpty
    }
    // A server may give one UIDVALIDITY to many mailboxes, and put copies in the same order.
    return sample.equal == sample.compared
  }

  /// Messages that the record knows and the mailbox has, by UID.
  struct Sample {
    var compared: Set<UID> = []
    /// With the same header.
    var equal: Set<UID> = []
    var hasNewestsDate = false
  }

  /// - Throws: as ``matches(_:_:_:)``.
  func compare(with record: MailboxRecord, _ remote: borrowing OpenMailbox) throws -> Sample {
    // Some may have been expunged since.
    let left = try context.state.uids(.known, in: record.id)
      .intersection(delta.listed ?? UIDSet())
    let known = try context.state.messages(
      in: record.id, sample(of: withKnownHeaders(left, in: record)))
    let shown = try shownHeaders(of: UIDSet(known.map(\.uid)), for: record, remote)
    var sample = Sample(compared: Set(shown.keys))
    let newest = sample.compared.max()
    for message in known {
      guard let one = shown[message.uid] else { continue }
      if one.headerHash == message.headerHash { sample.equal.insert(message.uid) }
      if message.uid == newest { sample.hasNewestsDate = one.date == message.internalDate }
    }
    return sample
  }

  private func shownHeaders(
    of uids: UIDSet, for record: MailboxRecord, _ remote: borrowing OpenMailbox
  ) throws -> [UID: DigestProbe.Found] {
    guard !uids.isEmpty else { return [:] }
    let probe = try remote.digests(of: uids, whole: false)
    guard !probe.found.isEmpty else {
      throw SyncError.mailboxNotShown(
        listing.name, mayBe: record.mailboxName,
        reason: probe.refusal ?? "it sent none of their headers")
    }
    return probe.found
  }

  /// Those of which the state knows the header: no message of a large mailbox is held in memory.
  private func withKnownHeaders(_ uids: UIDSet, in record: MailboxRecord) throws -> UIDSet {
    var known: [UID] = []
    try context.state.forEachMessage(in: record.id) { message in
      if message.headerHash != .unknown, uids.contains(message.uid) { known.append(message.uid) }
    }
    return UIDSet(known)
  }

  /// The newest, and some of all ages.
  private func sample(of known: UIDSet) -> UIDSet {
    let distance = max(1, known.count / 40)
    let spread = known.uids.enumerated().filter { $0.offset % distance == 0 }.map(\.element)
    return UIDSet(known.splitNewest(10).newest.uids + spread)
  }
}
