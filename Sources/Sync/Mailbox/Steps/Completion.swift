import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan

/// The end of a pull that brought all there is: the record of it lets the next run pass the mailbox over.
struct Completion {
  let mailbox: PulledMailbox
  let adoption: Adoption
  let failures: MessageFailures
  let pushed: PushedMessages
  /// The mailbox is to be visited again, whatever its counters say.
  let awaitsSecondLook: Bool
  /// Of the messages that were known before this visit.
  let oldestBefore: UID?

  func record(_ delta: MailboxDelta, windowStart: Int64?) throws {
    try failures.forgetEarlier()
    try forgetLost()
    let settled = try settled(delta, windowStart: windowStart)
    if mailbox.record.needsAdoption {
      var leftovers = try adoption.leftovers()
      let known = try mailbox.state.uids(.known, in: mailbox.id)
      try SurplusFiles(
        mailbox: mailbox, listed: known.union(failures.recorded()), uidNext: settled.uidNext
      ).record(among: &leftovers)
    } else {
      try MissedMessages(mailbox: mailbox).record(missed(settled))
    }
    let isMatched = try mailbox.state.orphans(in: mailbox.id).isEmpty
    try Renumbering(mailbox: mailbox).forgetOrphans(
      of: settled, endOfView: adoption.foundOrphans.endOfView, unless: failures)
    try judgeAnew()
    try pushed.forget()
    // A new stamp alone is no reason to write (promise 10).
    if settled != mailbox.record { try save(settled, isMatched: isMatched) }
  }

  /// What a push found gone from the server is known by now, one way or the other.
  private func forgetLost() throws {
    let isWaiting = try mailbox.state.pushRefusals().contains {
      $0.mailbox == mailbox.id && $0.isLost
    }
    guard isWaiting else { return }
    try mailbox.commit { try $0.removeRefusals(ofMessagesIn: mailbox.id, onlyLost: true) }
  }

  /// The server gave out their UIDs since every mailbox was last visited, and has them no longer.
  private func missed(_ settled: MailboxRecord) throws -> UIDSet {
    let last = mailbox.record.settledCursor
    guard mailbox.record.hasWholeHistory, settled.forwardCursor > last else { return UIDSet() }
    let here = try mailbox.state.uids(.known, in: mailbox.id).union(failures.recorded())
    return UIDSet((last + 1)...settled.forwardCursor).subtracting(here).subtracting(pushed.unclear)
  }

  /// The server shows older messages than before: of files that it only did not show it may show now what they are.
  private func judgeAnew() throws {
    guard let oldestBefore, let oldest = try mailbox.state.uids(.known, in: mailbox.id).first,
      oldest < oldestBefore, try !mailbox.state.surplusOutOfView(in: mailbox.id).isEmpty
    else { return }
    try mailbox.commit { try $0.undecideSurplusOutOfView(of: mailbox.id) }
  }

  private func settled(_ delta: MailboxDelta, windowStart: Int64?) throws -> MailboxRecord {
    var settled = mailbox.record
    settled.isDirty = false
    settled.needsAdoption = false
    // What the session does not show yet stays beyond the cursor, until one does.
    let known = try mailbox.state.uids(.known, in: mailbox.id).subtracting(pushed.unseen)
    let highest = known.last?.rawValue ?? 0
    settled.uidNext = delta.uidNext != 0 ? delta.uidNext : highest &+ 1
    settled.forwardCursor = max(highest, settled.uidNext == 0 ? 0 : settled.uidNext - 1)
    if let first = pushed.unclear.first {
      settled.forwardCursor = min(settled.forwardCursor, first.rawValue - 1)
    }
    settled.backwardCursor = 1
    settled.exists =
      pushed.unseen.isEmpty && !awaitsSecondLook ? delta.exists : MailboxRecord.uncounted
    settled.highestModSeq = Int64(clamping: delta.highestModSeq.rawValue)
    settled.windowStart = windowStart
    return settled
  }

  /// - Parameter isMatched: no file lost its record in this visit. It is a candidate for messages that show later.
  private func save(_ settled: MailboxRecord, isMatched: Bool) throws {
    var settled = settled
    let folder = try mailbox.local.folder
    let stamp = try folder.stamp()
    let isWhole =
      isMatched && stamp.isSettled
      && (stamp.isOf(mailbox.record) || adoption.wholeStamp?.matches(stamp) == true)
    settled.newModified = isWhole ? stamp.newModified : 0
    settled.curModified = isWhole ? stamp.curModified : 0
    (settled.newInode, settled.curInode) = (stamp.newInode, stamp.curInode)
    let identity = try folder.identity()
    let hold = try holdIfReplaced(folder, identity, stamp)
    try mailbox.commit { transaction in
      if let hold { try transaction.put(hold, at: mailbox.context.started) }
      try transaction.setFolderIdentity(identity.rawValue, of: mailbox.id)
      try transaction.save(settled)
    }
    mailbox.record = settled
  }

  /// The folder is another directory than when it was last seen, which the next push could not tell any more: that
  /// messages are missing in it waits for a word (promise 4). Those that lie elsewhere, the push takes for moved.
  ///
  /// - Returns: with what is held back already; nil where nothing is to be added to that.
  private func holdIfReplaced(
    _ folder: MaildirFolder, _ identity: FolderIdentity, _ stamp: FolderStamp
  ) throws -> DeletionHold? {
    let known = try mailbox.state.folderIdentity(of: mailbox.id)
    let isReplaced =
      known.map { $0 != identity.rawValue } ?? mailbox.record.hasOtherInodes(than: stamp)
    guard isReplaced, !mailbox.context.isRehearsal else { return nil }
    let scan = try FolderScan.read(folder)
    var missing: [UID] = []
    try mailbox.state.forEachMessage(in: mailbox.id) { message in
      guard !message.isPruned, !message.traits.contains(.expunged),
        scan.find(base: message.name) == nil
      else { return }
      missing.append(message.uid)
    }
    guard !missing.isEmpty else { return nil }
    let uids = UIDSet(missing)
    guard var hold = try mailbox.state.deletionHolds().first(where: { $0.mailbox == mailbox.id })
    else {
      return DeletionHold(
        mailbox: mailbox.id, cause: .replaced, count: uids.count, total: uids.count, uids: uids)
    }
    guard let before = hold.uids, before.union(uids) != before else { return nil }
    hold.uids = before.union(uids)
    return hold
  }
}
