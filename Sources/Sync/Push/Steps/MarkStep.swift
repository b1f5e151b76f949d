import IMAPWire
import Ledger
import MailCore
import Remote
import SyncPlan

/// Flags and keywords of messages that stay where they are.
struct MarkStep: PushPart {
  let desk: PushDesk
  let flight: MarkFlight
  private var store: MarkStore { MarkStore(desk: desk) }
  private var check: UIDCheck { UIDCheck(desk: desk) }

  /// Flags and keywords of one mailbox, in as few commands as there are different changes.
  ///
  /// - Parameter areNew: this run has just brought the messages there.
  func push(_ all: [ChangedMarks], in mailbox: MailboxKey, areNew: Bool = false) throws {
    guard try !all.isEmpty && mailboxes.opens(mailbox) else { return }
    let changes = areNew ? all : try withoutOthers(all, in: mailbox)
    try mailboxes.with(mailbox) { try push(changes, in: mailbox, $0) }
  }

  private func push(
    _ changes: [ChangedMarks], in mailbox: MailboxKey, _ open: borrowing OpenMailbox
  ) throws {
    var deltas: [UID: MarkDelta] = [:]
    for change in changes {
      let delta = try keepable(MarkDelta(change), mailbox, open.facts)
      if !delta.isEmpty { deltas[change.record.uid] = delta }
    }
    guard !deltas.isEmpty else { return }
    let since = unchangedSince(mailbox, open.facts)
    var told = try toldOfAll(deltas, flight.takeOutcome(mailbox), open)
    var lost: [UID] = []
    defer { try? refusals.putLost(lost, mailbox, isTold: false) }
    let attempt = try refusals.retrying(.marks, mailbox) {
      let outcome = try told ?? store.store(deltas, since: since, open)
      told = nil
      // What another client moved or expunged takes its marks along on the next pull.
      for uid in deltas.keys where !outcome.present.contains(uid) {
        deltas[uid] = nil
        lost.append(uid)
      }
      try leaveOut(outcome.unkept, of: &deltas, mailbox)
      let done = deltas.filter { outcome.refused[$0.key] == nil }
      try store.commit(changes, done, in: mailbox)
      if !done.isEmpty { try refusals.forgive(.marks, mailbox) }
      for uid in done.keys { deltas[uid] = nil }
      guard let gravest = outcome.gravest, !deltas.isEmpty else { return .done }
      try gravest.stopIfThrottled()
      return .refused(gravest)
    }
    guard case .refused(let gravest) = attempt else { return }
    if gravest.leavesPending {
      try rights.leavePending(deltas.count, .marks, gravest, mailbox)
    } else if deltas.count > 1 {
      // One of them may be what the server refuses.
      try pushSingly(changes, deltas, since: since, in: mailbox, open)
    } else {
      try setBack(changes, deltas, gravest, in: mailbox)
    }
  }

  private func withoutOthers(_ changes: [ChangedMarks], in mailbox: MailboxKey) throws
    -> [ChangedMarks]
  {
    let isUnstable = session.quirks.contains(.unstableUIDs)
    return try check.without(changes, \.record, unconfirmedOnly: !isUnstable, in: mailbox) {
      change in
      if let file = change.file { return try files.header(of: file) }
      return try context.folders.local(ofMailbox: mailbox)?
        .header(of: change.record.name, lastFlags: change.local.flags)
    }
  }

  /// A flight's outcome, if it tells that each of these was refused, is gone, or was changed by another client before,
  /// which is merged now: then it counts as the first try.
  private func toldOfAll(
    _ deltas: [UID: MarkDelta], _ flown: MarkFlight.Outcome?, _ open: borrowing OpenMailbox
  ) throws -> StoreOutcome? {
    guard let (outcome, losers) = flown else { return nil }
    let isTold = deltas.keys.allSatisfy {
      outcome.refused[$0] != nil || losers.contains($0) || !outcome.present.contains($0)
    }
    return isTold ? try store.merge(deltas, losers, into: outcome, open) : nil
  }

  private func pushSingly(
    _ changes: [ChangedMarks], _ deltas: [UID: MarkDelta], since: ModSequence?,
    in mailbox: MailboxKey, _ open: borrowing OpenMailbox
  ) throws {
    for change in changes {
      guard let delta = deltas[change.record.uid] else { continue }
      try context.checkInterrupt()
      let single = [change.record.uid: delta]
      let outcome = try store.store(single, since: since, open)
      var done = single
      try leaveOut(outcome.unkept, of: &done, mailbox)
      if let refusal = outcome.gravest {
        try refusal.stopIfThrottled()
        if refusal.leavesPending {
          try rights.leavePending(1, .marks, refusal, mailbox)
        } else {
          try setBack([change], single, refusal, in: mailbox)
        }
      } else if outcome.present.contains(change.record.uid) {
        try store.commit([change], done, in: mailbox)
      }
    }
  }

  /// HIGHESTMODSEQ as of the last pull, where the server keeps it and the mailbox has it.
  private func unchangedSince(_ mailbox: MailboxKey, _ facts: SelectedMailbox) -> ModSequence? {
    guard session.capabilities.contains(.condstore), facts.highestModSeq != nil,
      let last = known.records[mailbox]?.highestModSeq, last > 0
    else { return nil }
    return ModSequence(UInt64(last))
  }

  /// Leaves out what this mailbox cannot keep, and says so once.
  private func keepable(_ delta: MarkDelta, _ mailbox: MailboxKey, _ facts: SelectedMailbox) throws
    -> MarkDelta
  {
    // On Gmail a mailbox's name is no keyword to be taken off, either.
    let named = known.labels != nil ? delta.removed.keywords : .none
    let marks = mailboxes.unkeepable(delta.added.keywords.union(named), mailbox, facts)
    let kept = delta.without(marks)
    guard kept != delta else { return delta }
    let told = try state.pushRefusals()
    for (subject, words) in marks.named(in: delta).refusals
    where !told.contains(where: { $0.mailbox == mailbox && $0.subject == subject }) {
      try refusals.refuse(mailbox, subject, "not kept by the server")
      tell(
        mailbox, "The server cannot keep \(words) in this mailbox: it stays on this side only.",
        exitStatus: .done)
    }
    return kept
  }

  private func leaveOut(
    _ unkept: Keywords, of deltas: inout [UID: MarkDelta], _ mailbox: MailboxKey
  )
    throws
  {
    guard !unkept.isEmpty else { return }
    let marks = try leaveOut(unkept, mailbox)
    deltas = deltas.mapValues { $0.without(marks) }.filter { !$0.value.isEmpty }
  }

  /// Refused for good: the file shows the server's state again, and the person is told.
  private func setBack(
    _ changes: [ChangedMarks], _ deltas: [UID: MarkDelta], _ result: TaggedResult,
    in mailbox: MailboxKey
  ) throws {
    for change in changes {
      guard let refused = deltas[change.record.uid],
        let record = try state.message(in: mailbox, change.record.uid)
      else { continue }
      if let folder = try context.folders.local(ofMailbox: mailbox) {
        try folder.withFile(record.name, lastFlags: change.local.flags) { file in
          var kept = record
          let local = try folder.marks(of: file, record)
          // Only what was asked for and refused: what the server cannot keep at all stays, and a change of the last
          // second waits for its own push.
          let wanted = refused.inverse.applied(to: local)
          if wanted != local { try folder.apply(wanted, over: local, to: file, &kept) }
          try folder.sync()
          try write { try $0.put(kept, in: mailbox) }
        }
      }
      tell(
        mailbox, uid: record.uid.rawValue,
        "The server refuses \(refused.description)\(result.quoted); "
          + "the message here is set back to the server's state.")
      count(.refused, mailbox, detail: refused.description)
    }
  }
}

extension ChangedMarks {
  /// The file's marks are to be those of the message that was made of it.
  init(_ record: MessageRecord, as upload: PushPlan.PlannedUpload) {
    self.init(
      mailbox: upload.mailbox, record: record, local: upload.file.marks, size: upload.file.size)
  }
}
