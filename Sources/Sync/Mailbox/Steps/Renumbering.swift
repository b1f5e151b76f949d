import Ledger
import MailCore
import State
import SyncPlan

/// UIDVALIDITY changed, or the mailbox came back from a backup: its UIDs are free again, or other messages', and every
/// record is an orphan until its message is found under a new UID.
struct Renumbering {
  let mailbox: PulledMailbox

  func orphanAll(validity: UIDValidity) throws {
    var renumbered = mailbox.record
    renumbered.earlierNumbers = 0
    if validity.rawValue == renumbered.uidValidity {
      try mailbox.keepNames()
      renumbered.earlierNumbers = max(
        mailbox.record.earlierNumbers, renumbered.forwardCursor, max(1, renumbered.uidNext) - 1)
    }
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
    try mailbox.commit { transaction in
      try transaction.orphanAll(of: mailbox.id)
      try transaction.setUnlinking(UIDSet(), in: mailbox.id)
      for step in underWay { try transaction.putOrphan(step.record, of: mailbox.id) }
      // Files that match nothing are looked for by the next push.
      try transaction.removeScan(of: mailbox.id)
      try transaction.save(renumbered)
    }
    mailbox.record = renumbered
  }

  /// Files on their way to this mailbox, since a push that was interrupted.
  private func stepsUnderWay() throws -> [PushStep] {
    try mailbox.state.pushSteps().filter {
      $0.target == mailbox.id && !$0.isCopied && $0.stage != .copy
        && $0.source?.mailbox != mailbox.id && !$0.record.name.isEmpty
    }
  }

  /// Orphans that matched nothing: the server lost them, or never showed them under its new numbers. That is no proof
  /// of an expunge, so their files stay, and are sent again by the next push. Those that were out of view before, or are older
  /// than all that a view of the newest shows, may still be there: their files are not sent, and are found again by their
  /// headers once they are shown. Another client may have moved them, which shows when every mailbox was looked into.
  ///
  /// - Parameters:
  ///   - record: the mailbox as the server shows it now.
  ///   - end: by what matched, orphans with a lower key may be beyond the view; nil where any may be.
  func forgetOrphans(
    of record: MailboxRecord, endOfView end: Int64?, unless failures: MessageFailures
  ) throws {
    let orphans = try mailbox.state.orphans(in: mailbox.id)
    guard !orphans.isEmpty else { return }
    // One that failed just now may be an orphan's: both wait for the next run.
    guard try failures.recorded().isEmpty else { return try mark(orphans, as: record, end) }
    // What a push has under way, here or from here, is looked for by itself.
    let underWay = Set(
      try mailbox.state.pushSteps().filter {
        $0.target == mailbox.id || $0.source?.mailbox == mailbox.id
      }.map(\.record.headerHash))
    let (hidden, shown) = try split(orphans.filter { !$0.isLeaving }, as: record, end)
    let lost = shown.filter { !underWay.contains($0.headerHash) }
    let undecided = try lost.compactMap {
      try mailbox.state.orphan($0.key, in: mailbox.id).flatMap(UndecidedFile.init(of:))
    }
    let kept = try hidden.compactMap { try unsentFile(of: $0) }
    try mailbox.commit { transaction in
      try transaction.removeOrphans(of: mailbox.id)
      for file in kept { try transaction.addSurplusOutOfView(file, to: mailbox.id) }
      for file in undecided { try transaction.addUndecided(file, to: mailbox.id) }
    }
    if !lost.isEmpty { mailbox.report(PullNotice.lostByRenumbering(lost.count)) }
    if !kept.isEmpty { mailbox.report(PullNotice.hiddenByRenumbering(kept.count)) }
  }

  /// What is beyond the view by this visit's finds is so for the next one, too, which finds fewer.
  private func mark(
    _ orphans: [StateStore.Orphan], as record: MailboxRecord, _ end: Int64?
  ) throws {
    guard let end, try PartialView(of: record, mailbox.context) != nil,
      orphans.contains(where: { $0.key < end && !$0.isOutOfView && !$0.isLeaving })
    else { return }
    try mailbox.commit { try $0.setOrphansOutOfView(below: end, of: mailbox.id) }
  }

  /// - Returns: those that the server may only not show, and the others.
  private func split(
    _ orphans: [StateStore.Orphan], as record: MailboxRecord, _ end: Int64?
  ) throws -> (hidden: [StateStore.Orphan], shown: [StateStore.Orphan]) {
    let view = try PartialView(of: record, mailbox.context)
    var (hidden, shown): ([StateStore.Orphan], [StateStore.Orphan]) = ([], [])
    for orphan in orphans {
      let isBeyond =
        try orphan.isOutOfView
        || view.map { view in
          guard let end, orphan.key >= end else { return true }
          return try mailbox.state.orphan(orphan.key, in: mailbox.id).map(view.leavesOut) ?? false
        } ?? false
      if isBeyond { hidden.append(orphan) } else { shown.append(orphan) }
    }
    return (hidden, shown)
  }

  /// What the next push knows the file by; nil where it is here no longer, or a person edited it: that is sent.
  private func unsentFile(of orphan: StateStore.Orphan) throws -> SurplusFile? {
    guard let record = try mailbox.state.orphan(orphan.key, in: mailbox.id), !record.name.isEmpty,
      let file = try mailbox.local.scanned().find(base: record.name)?.file(base: record.name),
      let digest = try mailbox.local.digest(of: file),
      record.contentHash == .unknown || record.contentHash == digest.contentHash
    else { return nil }
    return SurplusFile(file, digest)
  }
}
