import Ledger
import LocalChanges
import MailCore
import Remote
import State
import SyncPlan

/// Which part of the mailbox's history is kept here: what lies outside is recorded as pruned, so that it is known and
/// neither asked for nor missed.
struct MailboxWindow {
  private let mailbox: PulledMailbox
  private let downloads: Downloads
  /// Set anew between the visits where it was not decided at the first.
  var plan: WindowPlan

  init(_ plan: WindowPlan, of mailbox: PulledMailbox, _ downloads: Downloads) {
    self.plan = plan
    self.mailbox = mailbox
    self.downloads = downloads
  }

  /// Whether dates and sizes of this mailbox's messages were asked for in this run.
  private var isMeasured: Bool { plan.measured.covers(mailbox.name) }

  /// Of the messages that are still to come, those that the window wants.
  func apply(_ remote: borrowing OpenMailbox) throws {
    downloads.remaining = try wanted(of: downloads.remaining, remote)
  }

  private func wanted(of missing: UIDSet, _ remote: borrowing OpenMailbox) throws -> UIDSet {
    guard let start = plan.start else {
      // The window was opened: what it left out is wanted now.
      return missing.union(try widened(nil)).union(try awaited())
    }
    let older = try older(than: start, missing, remote)
    let missing = missing.subtracting(older)
    guard !missing.isEmpty || (mailbox.record.windowStart ?? Int64.max) > start else {
      return older
    }
    let inside = try arrived(since: start, missing, remote)
    // What has a file here is adopted, whatever its date: it is no new message of this tree's (promise 6).
    mailbox.keepsBefore = start
    let outside = try downloads.match(missing.subtracting(inside), remote)
    let moved = try keptElsewhere(outside.absent, remote)
    mailbox.older = mailbox.older.union(moved)
    try recordPruned(outside.absent.subtracting(moved))
    return missing.intersection(inside).union(outside.unclear).union(try widened(inside))
      .union(older).union(moved)
  }

  /// Messages that a person asked for, and that another client moved or copied here: they stay, wherever they lie.
  private func keptElsewhere(_ absent: UIDSet, _ remote: borrowing OpenMailbox) throws -> UIDSet {
    // A mailbox that is looked into for the first time has no new messages.
    guard !absent.isEmpty, absent.count <= Self.mostMoved else { return UIDSet() }
    let kept = try mailbox.state.headers(withAny: .kept)
    guard !kept.isEmpty else { return UIDSet() }
    return UIDSet(
      try remote.wholeHeaders(of: absent).filter {
        kept.contains(mailbox.policy.headerHash(of: $0.header))
      }.map(\.message.uid).sorted())
  }

  /// Larger moves of old mail are not followed: their headers would have to be fetched.
  private static let mostMoved = 2000

  /// What a person asked for besides: from now on it stays, with what of it is here already.
  private func older(than start: Int64, _ missing: UIDSet, _ remote: borrowing OpenMailbox) throws
    -> UIDSet
  {
    let beyond = plan.beyond
    var found = try awaited()
    guard beyond.concerns(mailbox.name) || !found.isEmpty else { return UIDSet() }
    let pruned = try mailbox.state.uids(.pruned, in: mailbox.id)
    if let messages = beyond.messages[mailbox.name] { found = found.union(messages) }
    let since = beyond.since.flatMap { $0 < start ? $0 : nil }
    if let since { found = found.union(try remote.uids(since: since)) }
    let absent = try withoutThoseStillHere(found.intersection(missing.union(pruned)))
    if let since {
      try mailbox.commit { try $0.keep(from: since, before: start, in: mailbox.id) }
    }
    (mailbox.older, mailbox.keepsBefore) = (absent, start)
    return absent
  }

  /// What was here beyond the window, and was given up for what the server has.
  private func awaited() throws -> UIDSet { try mailbox.state.uids(.keptAway, in: mailbox.id) }

  /// Dates that were asked for already need no search.
  private func arrived(since start: Int64, _ missing: UIDSet, _ remote: borrowing OpenMailbox)
    throws
    -> UIDSet
  {
    guard isMeasured else { return try remote.uids(since: start) }
    let measured = plan.measured
    let name = mailbox.name
    var inside = missing.uids.filter { measured[$0, in: name].map { $0.date >= start } ?? true }
    try mailbox.state.forEachMessage(in: mailbox.id) { known in
      let date =
        known.internalDate != 0 ? known.internalDate : measured[known.uid, in: name]?.date ?? 0
      if known.isPruned, date >= start { inside.append(known.uid) }
    }
    return UIDSet(inside)
  }

  /// While a window by size is not decided: what is inside wherever it will begin. What the whole account's sizes put
  /// outside all the same (a budget that hardly holds the newest day) is pruned at the end of the run.
  func surelyInside(_ newest: UIDSet, _ remote: borrowing OpenMailbox) throws -> UIDSet {
    guard let budget = plan.undecidedBudget, !newest.isEmpty else { return newest }
    // A dry run tells of what stays.
    if mailbox.context.isRehearsal { return UIDSet() }
    return WindowPlan.surelyInside(
      try remote.measures(of: newest, unknownDate: mailbox.context.started), budget: budget,
      lastStart: [mailbox.record.windowStart, plan.start].compactMap(\.self).max())
  }

  private func widened(_ inside: UIDSet?) throws -> UIDSet {
    guard let before = mailbox.record.windowStart, plan.start.map({ $0 < before }) ?? true else {
      return UIDSet()
    }
    let pruned = try mailbox.state.uids(.pruned, in: mailbox.id)
    return try withoutThoseStillHere(inside.map { pruned.intersection($0) } ?? pruned)
  }

  /// A run that died between recording a message as pruned and unlinking it left its file: that is no download.
  private func withoutThoseStillHere(_ pruned: UIDSet) throws -> UIDSet {
    var here: [MessageRecord] = []
    for var record in try mailbox.state.messages(in: mailbox.id, pruned)
    where !record.name.isEmpty {
      guard try mailbox.local.file(of: record) != nil else { continue }
      record.traits.remove(.pruned)
      here.append(record)
    }
    guard !here.isEmpty else { return pruned }
    try mailbox.save(here)
    return pruned.subtracting(UIDSet(here.map(\.uid)))
  }

  private func recordPruned(_ uids: UIDSet) throws {
    guard !uids.isEmpty else { return }
    try mailbox.commit { transaction in
      for uid in uids.uids {
        var record = MessageRecord(uid: uid, name: [], agreed: MessageMarks(), traits: .pruned)
        if let measure = plan.measured[uid, in: mailbox.name] {
          record.internalDate = measure.date == 0 ? 1 : measure.date
          record.serverSize = measure.size
        }
        try transaction.put(record, in: mailbox.id)
      }
    }
  }
}
