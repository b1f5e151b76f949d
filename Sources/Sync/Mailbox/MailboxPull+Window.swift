import Ledger
import MailCore
import Remote
import State
import SyncPlan

extension MailboxPull {
  func applyWindow(_ remote: RemoteMailbox) throws {
    remaining = try keepWindow(remaining, remote)
    // A window that was opened wants what no first look was for.
    try prepareMatching()
  }

  /// Of the messages that are not here, those that the window wants; the others are recorded as pruned, so that they
  /// are known and neither asked for nor missed.
  private func keepWindow(_ missing: UIDSet, _ remote: RemoteMailbox) throws -> UIDSet {
    guard let start = window.start else {
      // The window was opened: what it left out is wanted now.
      return missing.union(try widened(nil, remote))
    }
    guard !missing.isEmpty || (record.windowStart ?? Int64.max) > start else { return missing }
    let inside = try arrived(since: start, missing, remote)
    // What has a file here is adopted, whatever its date: it is no new message of this tree's (promise 6).
    let outside = try match(missing.subtracting(inside), remote)
    try recordPruned(outside.absent)
    return missing.intersection(inside).union(outside.unclear).union(try widened(inside, remote))
  }

  /// Dates that were asked for already need no search.
  private func arrived(since start: Int64, _ missing: UIDSet, _ remote: RemoteMailbox) throws
    -> UIDSet
  {
    guard isMeasured else { return try remote.arrived(since: start) }
    let name = record.mailboxName
    var inside: [UID] = []
    for uid in missing.uids where window.measured[uid, in: name].map({ $0.date >= start }) ?? true {
      inside.append(uid)
    }
    try context.state.forEachMessage(in: mailboxID) { known in
      let date =
        known.internalDate != 0
        ? known.internalDate : window.measured[known.uid, in: name]?.date ?? 0
      if known.isPruned, date >= start { inside.append(known.uid) }
    }
    return UIDSet(inside)
  }

  /// Whether dates and sizes of this mailbox's messages were asked for in this run.
  var isMeasured: Bool { window.measured.covers(record.mailboxName) }

  /// While a window by size is not decided: what is inside wherever it will begin. What the whole account's sizes put
  /// outside all the same (a budget that hardly holds the newest day) is pruned at the end of the run.
  func surelyInside(_ newest: UIDSet, _ remote: RemoteMailbox) throws -> UIDSet {
    guard let budget = window.undecidedBudget, !newest.isEmpty else { return newest }
    // A dry run tells of what stays.
    if context.isRehearsal { return UIDSet() }
    let probe = SizeProbe(unknownDate: context.started)
    try remote.measure(newest, into: probe)
    return WindowPlan.surelyInside(
      probe.measures, budget: budget, lastStart: record.windowStart)
  }

  /// - Returns: whether the mailbox is open now.
  func open(_ remote: RemoteMailbox, unless isNeedless: Bool) throws -> Bool {
    guard !isNeedless else { return false }
    try remote.fetch(
      opening: target, next: { nil }, into: SizeProbe(unknownDate: context.started))
    return true
  }

  private func widened(_ inside: UIDSet?, _ remote: RemoteMailbox) throws -> UIDSet {
    guard let before = record.windowStart, window.start.map({ $0 < before }) ?? true else {
      return UIDSet()
    }
    let pruned = try context.state.uids(.pruned, in: mailboxID)
    return try withoutThoseStillHere(inside.map { pruned.intersection($0) } ?? pruned)
  }

  /// A run that died between recording a message as pruned and unlinking it left its file: that is no download.
  private func withoutThoseStillHere(_ pruned: UIDSet) throws -> UIDSet {
    var here: [MessageRecord] = []
    for range in pruned.ranges {
      for var record in try context.state.messages(in: mailboxID, range) where !record.name.isEmpty
      {
        guard try local.locate(record.name, lastFlags: record.agreed.flags) != nil else { continue }
        record.traits.remove(.pruned)
        here.append(record)
      }
    }
    guard !here.isEmpty else { return pruned }
    try context.state.transaction { transaction in
      for record in here { try transaction.put(record, in: mailboxID) }
    }
    context.noteChange()
    return pruned.subtracting(UIDSet(here.map(\.uid)))
  }

  private func recordPruned(_ uids: UIDSet) throws {
    guard !uids.isEmpty else { return }
    try context.state.transaction { transaction in
      for uid in uids.uids {
        var record = MessageRecord(uid: uid, name: [], agreed: MessageMarks(), traits: .pruned)
        if let measure = window.measured[record.uid, in: self.record.mailboxName] {
          record.internalDate = measure.date == 0 ? 1 : measure.date
          record.serverSize = measure.size
        }
        try transaction.put(record, in: mailboxID)
      }
    }
    context.noteChange()
  }
}
