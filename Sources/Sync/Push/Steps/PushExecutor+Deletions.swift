import IMAPClient
import IMAPWire
import Ledger
import MailCore
import Maildir
import Remote
import State
import SyncPlan

extension PushExecutor {
  /// - Parameters:
  ///   - size: how many messages the folder had.
  ///   - namesakes: names, by hash, that other files had already when the tree was looked at.
  func push(
    deletions: [PushPlan.PlannedDeletion], in mailbox: Int64, of size: Int?,
    namesakes: Set<UInt64> = []
  ) throws {
    guard try mayDelete(deletions.count, in: mailbox) else { return }
    for (way, group) in Dictionary(grouping: deletions, by: \.way).sorted(by: {
      $0.key.rawValue > $1.key.rawValue
    }) {
      let records = try group.compactMap { deletion -> MessageRecord? in
        guard let record = try state.message(in: mailbox, deletion.record.uid),
          record.name == deletion.record.name, !record.isPruned
        else { return nil }
        return record
      }
      for planned in records.pieces(of: 500) {
        try context.checkInterrupt()
        let batch = try withoutStrangers(withoutThoseThatCameBack(planned, namesakes), in: mailbox)
        for record in planned where !batch.contains(where: { $0.uid == record.uid }) {
          labelPlan.keep(record, in: mailbox)
        }
        guard try !batch.isEmpty && open(mailbox) else { continue }
        try noteCarried(batch, in: mailbox, of: size ?? batch.count)
        if remote.isGmail, !gmailLabels.use(mailbox, .trash) {
          try deleteOnGmail(batch, way, in: mailbox)
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
  private func noteCarried(_ batch: [MessageRecord], in mailbox: Int64, of size: Int) throws {
    guard let record = records[mailbox] else { return }
    let uids = UIDSet(batch.map(\.uid))
    let known = try state.carriedDeletions(since: context.started - DeletionGuard.memory)
      .filter { $0.mailbox == mailbox }.reduce(UIDSet()) { $0.union($1.uids) }
    guard !uids.subtracting(known).isEmpty else { return }
    let deletions = CarriedDeletions(
      mailbox: mailbox, time: context.started, uidValidity: record.uidValidity,
      uidNext: record.uidNext == 0 ? .max : record.uidNext, size: size,
      uids: uids)
    try state.transaction {
      try $0.add(deletions, forgettingBefore: context.started - DeletionGuard.memory)
    }
    context.noteChange()
  }

  /// The tree was looked at a while ago: what a person put back meanwhile is not deleted.
  private func withoutThoseThatCameBack(_ batch: [MessageRecord], _ namesakes: Set<UInt64>) throws
    -> [MessageRecord]
  {
    let hashes = Set(batch.map { XXH3.hash($0.name) }).subtracting(namesakes)
    guard !hashes.isEmpty else { return batch }
    var present = Set<UInt64>()
    for path in try context.tree.folders(policy.layout) {
      try FolderScan.forEachFile(in: try context.openFolder(path)) { file in
        let hash = file.baseHash
        if hashes.contains(hash) { present.insert(hash) }
      }
    }
    return present.isEmpty ? batch : batch.filter { !present.contains(XXH3.hash($0.name)) }
  }

  /// Where one file of a message is back, the deletion of its others takes labels off, and no message to Trash.
  func keepThoseThatCameBack(_ plan: PushPlan) throws {
    let planned = plan.deletions.map(\.record)
    let gone = Set(try withoutThoseThatCameBack(planned, plan.namesakes).map(\.name))
    for deletion in plan.deletions where !gone.contains(deletion.record.name) {
      labelPlan.keep(deletion.record, in: deletion.mailbox)
    }
  }

  private func moveToTrash(_ batch: [MessageRecord], from mailbox: Int64) throws {
    guard let trash = try trashMailbox() else {
      context.note(
        RunProblem(
          mailbox: name(mailbox),
          problem: "There is no mailbox for trash on the server: \(batch.count) deletions wait.",
          remedy: "Make one called Trash, or set deletions = \"expunge\", and run `mirror pull`."))
      return
    }
    if trash == mailbox { return try expunge(batch, in: mailbox) }
    let transfers = batch.map { Transfer(record: $0, file: nil) }
    let outcome = try transfer(transfers, from: mailbox, to: trash)
    count(PushAction(.trash, mailbox: name(mailbox), count: outcome.done.count))
    if !outcome.done.isEmpty { try forgive(.deletions, mailbox) }
    // Gone there, too: both sides deleted it, which is agreement; the next pull writes it down.
    try noteLost(outcome.lost, mailbox, isTold: false)
    if let waiting = outcome.refused.first(where: { $0.result.leavesPending }) {
      return try leavePending(
        outcome.refused.count, .deletions, "deletions", waiting.result, mailbox)
    }
    for (uid, result) in outcome.refused { try bringBack(uid, result, in: mailbox) }
  }

  private func expunge(_ batch: [MessageRecord], in mailbox: Int64) throws {
    var left = batch
    var tries = try triesSoFar(.deletions, mailbox)
    while true {
      guard try open(mailbox) else { return }
      let (done, refusal) = try expunge(UIDSet(left.map(\.uid)), in: mailbox)
      try noteExpunged(left.filter { done.contains($0.uid) }, in: mailbox)
      left.removeAll { done.contains($0.uid) }
      if !done.isEmpty { try forgive(.deletions, mailbox) }
      guard let refusal else { return try forgetTries(.deletions, mailbox) }
      try stopIfThrottled(refusal)
      guard refusal.isWorthAnotherTry, tries < delays.count else {
        try forgetTries(.deletions, mailbox)
        if refusal.leavesPending {
          return try leavePending(left.count, .deletions, "deletions", refusal, mailbox)
        }
        for record in left { try bringBack(record.uid, refusal, in: mailbox) }
        return
      }
      try waitBeforeRetry(tries, .deletions, mailbox, refusal)
      tries += 1
    }
  }

  private func noteExpunged(_ batch: [MessageRecord], in mailbox: Int64) throws {
    guard !batch.isEmpty else { return }
    try state.transaction { transaction in
      for record in batch {
        if remote.canExpunge {
          try transaction.remove(record.uid, from: mailbox)
        } else {
          try hide(record, in: mailbox, transaction)
        }
      }
      try forgetCount(of: mailbox, transaction)
    }
    context.noteChange()
    count(PushAction(.expunge, mailbox: name(mailbox), count: batch.count))
  }

  /// Expunges exactly these messages of the open mailbox; returns those that are gone, and the refusal. Where the
  /// server cannot do that, they are marked \Deleted, which is said.
  func expunge(_ uids: UIDSet, in mailbox: Int64) throws -> (done: UIDSet, refusal: TaggedResult?) {
    // There \Deleted only takes a label off: what is to be gone goes by way of the trash.
    if remote.isGmail, !gmailLabels.use(mailbox, .trash) {
      return try discardOnGmail(uids, in: mailbox)
    }
    var done = UIDSet()
    var marked = 0
    for chunk in uids.chunks(textLength: remote.session.maximumCommandLength - 200) {
      let there = try remote.nameable(chunk)
      guard !there.isEmpty else {
        done = done.union(chunk)
        continue
      }
      let mark = try remote.run([try .uidStore(there, .add, flags: .deleted)])
      guard let answer = mark.results[0] else { throw IMAPError.sessionOver }
      guard answer.isOK else { return (done, answer) }
      marked += there.count
      guard remote.canExpunge else {
        done = done.union(chunk)
        continue
      }
      let expunged = try remote.run([.uidExpunge(chunk), .uidSearch(.uids(chunk))])
      guard let result = expunged.results[0] else { throw IMAPError.sessionOver }
      guard result.isOK else { return (done, result) }
      let still = (expunged.found[1] ?? UIDSet()).intersection(chunk)
      done = done.union(chunk.subtracting(still))
      guard still.isEmpty else { return (done, .stillThere(still.count)) }
    }
    if !remote.canExpunge, marked > 0 {
      context.note(
        RunProblem(
          mailbox: name(mailbox),
          problem:
            "This server cannot expunge single messages: \(marked) are marked \\Deleted, and stay "
            + "until somebody expunges them.", exitStatus: .done))
    }
    return (done, nil)
  }

  /// Refused for good: forgotten here, so that the next pull brings the message back.
  private func bringBack(_ uid: UID, _ result: TaggedResult, in mailbox: Int64) throws {
    try leaveToPull(uid, in: mailbox)
    context.note(
      RunProblem(
        mailbox: name(mailbox), uid: uid.rawValue,
        problem:
          "The server refuses to delete this message\(result.quoted); the next pull brings it back."
      ))
    count(PushAction(.refused, mailbox: name(mailbox), detail: "deletion"))
  }

  // MARK: Trash

  /// The mailbox for trash; it is made where the server has none.
  func trashMailbox() throws -> Int64? {
    if let trash { return trash }
    if let listing = listings.first(where: { $0.specialUse.contains(.trash) && $0.isSelectable }) {
      trash =
        try records.values.first { $0.mailboxName == listing.name }?.id ?? adopt(listing)
      return trash
    }
    // A label that a person called Trash is a label; the trash itself may be hidden from IMAP.
    if remote.isGmail { return nil }
    if let id = roles.trash.min() {
      trash = id
      return id
    }
    let listing = listings.first {
      FolderRoles.isNamed($0.name, FolderRoles.names(of: .trash)) && $0.isSelectable
    }
    // On the server, and never pulled: it need not be known here to take messages.
    if let listing {
      trash = try adopt(listing)
    } else {
      trash = try createMailbox(prefixed("Trash"), use: .trash)
    }
    return trash
  }
}
