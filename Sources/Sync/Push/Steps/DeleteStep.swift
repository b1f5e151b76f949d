import IMAPWire
import Ledger
import MailCore
import Maildir
import SyncPlan

/// Messages that were deleted here: by way of the trash, or for good.
struct DeleteStep: PushPart {
  let desk: PushDesk
  let transfers: TransferStep
  let trash: TrashMailbox
  /// Nil where mailboxes are no labels.
  let labelled: LabelDeleteStep?

  /// - Parameters:
  ///   - size: how many messages the folder had.
  ///   - namesakes: names, by hash, that other files had already when the tree was looked at.
  func push(
    _ deletions: [PushPlan.PlannedDeletion], in mailbox: MailboxKey, of size: Int?,
    namesakes: Set<NameHash> = []
  ) throws {
    guard try rights.mayDelete(deletions.count, in: mailbox) else { return }
    for (way, group) in Dictionary(grouping: deletions, by: \.way).sorted(by: {
      $0.key.rawValue > $1.key.rawValue
    }) {
      let present = try group.compactMap { deletion -> MessageRecord? in
        guard let record = try state.message(in: mailbox, deletion.record.uid),
          record.name == deletion.record.name, !record.isPruned
        else { return nil }
        return record
      }
      for planned in present.pieces(of: 500) {
        try context.checkInterrupt()
        let batch = try UIDCheck(desk: desk).withoutOthers(
          withoutThoseThatCameBack(planned, namesakes), in: mailbox)
        for record in planned where !batch.contains(where: { $0.uid == record.uid }) {
          labelled?.labels.homes.keep(record, in: mailbox)
        }
        guard try !batch.isEmpty && mailboxes.opens(mailbox) else { continue }
        try keepCount(batch, in: mailbox, of: size ?? batch.count)
        if let labelled, !known.gmailLabels.use(mailbox, .trash) {
          try labelled.push(batch, way, in: mailbox)
          continue
        }
        switch way {
        case .trash, .unlabel: try moveToTrash(batch, from: mailbox)
        case .expunge: try expunge(batch, in: mailbox)
        }
      }
    }
  }

  /// Before it is asked for: whatever becomes of this run, the next ones count it along.
  private func keepCount(_ batch: [MessageRecord], in mailbox: MailboxKey, of size: Int) throws {
    guard let record = known.records[mailbox] else { return }
    let uids = UIDSet(batch.map(\.uid))
    let known = try state.carriedDeletions(since: context.started - DeletionGuard.memory)
      .filter { $0.mailbox == mailbox }.reduce(UIDSet()) { $0.union($1.uids) }
    guard !uids.subtracting(known).isEmpty else { return }
    let deletions = CarriedDeletions(
      mailbox: mailbox, time: context.started, uidValidity: record.uidValidity,
      uidNext: record.uidNext == 0 ? .max : record.uidNext, size: size, uids: uids)
    try write { try $0.add(deletions, forgettingBefore: context.started - DeletionGuard.memory) }
  }

  /// The tree was looked at a while ago: what a person put back meanwhile is not deleted.
  private func withoutThoseThatCameBack(_ batch: [MessageRecord], _ namesakes: Set<NameHash>) throws
    -> [MessageRecord]
  {
    let hashes = Set(batch.map { NameHash(of: $0.name) }).subtracting(namesakes)
    guard !hashes.isEmpty else { return batch }
    var present = Set<NameHash>()
    for path in try context.tree.folders(policy.layout) {
      try FolderScan.forEachFile(in: try context.folders.open(path)) { file in
        let hash = file.baseHash
        if hashes.contains(hash) { present.insert(hash) }
      }
    }
    return present.isEmpty ? batch : batch.filter { !present.contains(NameHash(of: $0.name)) }
  }

  /// Where one file of a message is back, the deletion of its others takes labels off, and no message to Trash.
  func keepThoseThatCameBack(_ plan: PushPlan) throws {
    guard let labelled else { return }
    let planned = plan.deletions.map(\.record)
    let gone = Set(try withoutThoseThatCameBack(planned, plan.namesakes).map(\.name))
    for deletion in plan.deletions where !gone.contains(deletion.record.name) {
      labelled.labels.homes.keep(deletion.record, in: deletion.mailbox)
    }
  }

  private func moveToTrash(_ batch: [MessageRecord], from mailbox: MailboxKey) throws {
    guard let trash = try trash.mailbox() else {
      tell(
        mailbox, "There is no mailbox for trash on the server: \(batch.count) deletions wait.",
        remedy: "Make one called Trash, or set deletions = \"expunge\", and run `mirror pull`.")
      return
    }
    if trash == mailbox { return try expunge(batch, in: mailbox) }
    let outcome = try transfers.transfer(
      batch.map { Transfer(record: $0, file: nil) }, from: mailbox, to: trash)
    count(.trash, mailbox, count: outcome.done.count)
    if !outcome.done.isEmpty { try refusals.forgive(.deletions, mailbox) }
    // Gone there, too: both sides deleted it, which is agreement; the next pull writes it down.
    try refusals.putLost(outcome.lost, mailbox, isTold: false)
    if try rights.leavePending(outcome, .deletions, mailbox) { return }
    try bringBack(outcome.refused, in: mailbox)
  }

  private func expunge(_ batch: [MessageRecord], in mailbox: MailboxKey) throws {
    var left = batch
    let attempt = try refusals.retrying(.deletions, mailbox) {
      let uids = UIDSet(left.map(\.uid))
      let expunger = Expunger(desk: desk)
      guard
        let (done, refusal) = try mailboxes.with(
          mailbox, { try expunger.remove(uids, in: mailbox, $0) })
      else { return .impossible }
      try commit(left.filter { done.contains($0.uid) }, in: mailbox)
      left.removeAll { done.contains($0.uid) }
      if !done.isEmpty { try refusals.forgive(.deletions, mailbox) }
      guard let refusal else { return .done }
      try refusal.stopIfThrottled()
      return .refused(refusal)
    }
    guard case .refused(let refusal) = attempt else { return }
    if refusal.leavesPending {
      return try rights.leavePending(left.count, .deletions, refusal, mailbox)
    }
    try bringBack(left.map { ($0.uid, refusal) }, in: mailbox)
  }

  private func commit(_ batch: [MessageRecord], in mailbox: MailboxKey) throws {
    guard !batch.isEmpty else { return }
    try write { transaction in
      for record in batch {
        if remote.canExpunge {
          try transaction.remove(record.uid, from: mailbox)
        } else {
          try transaction.hide(record, in: mailbox)
        }
      }
      try known.forgetCount(of: mailbox, transaction)
    }
    count(.expunge, mailbox, count: batch.count)
  }
}
