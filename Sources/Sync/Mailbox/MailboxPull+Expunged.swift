import Ledger
import MailCore
import Maildir
import State
import SyncPlan

extension MailboxPull {
  /// Records durably what the server expunged. The files go at the end of the run, when what was moved on the server
  /// has arrived at its new place.
  func noteExpunged(_ expunged: UIDSet) throws {
    var rest = expunged
    while !rest.isEmpty {
      let (some, others) = rest.splitNewest(1000)
      try note(some)
      rest = others
    }
  }

  private func note(_ expunged: UIDSet) throws {
    var kept: [MessageRecord] = []
    for range in expunged.ranges {
      kept += try context.state.messages(in: mailboxID, range)
    }
    let keepsFiles = record.needsAdoption
    try context.state.transaction { transaction in
      for var record in kept {
        if keepsFiles || record.name.isEmpty {
          try transaction.remove(record.uid, from: mailboxID)
        } else {
          record.traits.insert(.expunged)
          try transaction.put(record, in: mailboxID)
        }
      }
    }
    context.noteChange()
    if keepsFiles { try reportKept(kept) }
  }

  /// A tree that came back from a backup keeps what the server no longer has.
  private func reportKept(_ records: [MessageRecord]) throws {
    var present = 0
    for record in records where !record.isPruned {
      if try local.locate(record.name, lastFlags: record.agreed.flags) != nil { present += 1 }
    }
    guard present > 0 else { return }
    context.note(
      RunProblem(
        mailbox: record.name,
        problem:
          "\(present) messages are here that the server no longer has; they stay as local messages.",
        exitStatus: .done))
  }

  /// The UIDs that it gave out since are free again, or other messages': all are matched anew.
  func noteRestored() {
    context.note(
      RunProblem(
        mailbox: record.name,
        problem:
          "The server's counters went backwards: it looks as if this mailbox was restored from an old backup. "
          + "Nothing is deleted here; the messages are matched anew.", exitStatus: .done))
  }

  /// UIDVALIDITY changed: every record becomes an orphan that waits for its message's new UID.
  func renumber(to validity: UIDValidity) throws {
    var renumbered = record
    renumbered.uidValidity = validity.rawValue
    renumbered.uidNext = 0
    renumbered.exists = 0
    renumbered.highestModSeq = 0
    renumbered.forwardCursor = 0
    renumbered.settledCursor = 0
    renumbered.backwardCursor = 0
    renumbered.isDirty = true
    // Were they carried out, their messages lie among the renumbered ones, whatever a person did to the files since.
    let underWay = try stepsUnderWay()
    try context.state.transaction { transaction in
      try transaction.orphanAll(of: mailboxID)
      try transaction.removeFact(Fact.unlinking(in: mailboxID))
      for step in underWay { try transaction.putOrphan(step.record, of: mailboxID) }
      // Files that match nothing are looked for by the next push.
      try transaction.removeScan(of: mailboxID)
      try transaction.save(&renumbered)
    }
    context.noteChange()
    record = renumbered
  }

  /// Files on their way to this mailbox, since a push that was interrupted.
  private func stepsUnderWay() throws -> [PushStep] {
    try context.state.pushSteps().filter {
      $0.target == mailboxID && $0.kind != .copied && $0.kind != .copy && $0.source != mailboxID
        && !$0.record.name.isEmpty
    }
  }

  /// After a restore: records whose file is in no folder of the account are forgotten, so that it is downloaded.
  func forgetMissingFiles(_ recorded: UIDSet) throws -> UIDSet {
    guard !recorded.isEmpty else { return recorded }
    let scan = try local.scanned()
    var missing: [UID] = []
    try context.state.forEachMessage(in: mailboxID) { record in
      guard !record.isPruned, scan.find(base: record.name) == nil,
        !context.elsewhere.contains(record.name)
      else { return }
      missing.append(record.uid)
    }
    guard !missing.isEmpty else { return recorded }
    try context.state.transaction { transaction in
      for uid in missing { try transaction.remove(uid, from: mailboxID) }
    }
    context.noteChange()
    return recorded.subtracting(UIDSet(missing))
  }

  /// Orphans that matched nothing: the server lost them, or never showed them under its new numbers. That is no proof
  /// of an expunge, so their files stay.
  func forgetOrphans() throws {
    let orphans = try context.state.orphans(in: mailboxID)
    // One that failed just now may be an orphan's: both wait for the next run.
    let hasFailures = try context.state.failures().contains {
      $0.mailbox == mailboxID && $0.uid != 0
    }
    guard !orphans.isEmpty, !hasFailures else { return }
    // What a push has under way, here or from here, is looked for by itself.
    let underWay = Set(
      try context.state.pushSteps().filter { $0.target == mailboxID || $0.source == mailboxID }
        .map(\.record.headerHash))
    let lost = orphans.count { !$0.isLeaving && !underWay.contains($0.headerHash) }
    try context.state.transaction { try $0.removeOrphans(of: mailboxID) }
    context.noteChange()
    guard lost > 0 else { return }
    context.note(
      RunProblem(
        mailbox: record.name,
        problem:
          "The server renumbered this mailbox, and \(lost) messages were not found in it again; "
          + "they stay here, and the next push sends them.", exitStatus: .done))
  }
}
