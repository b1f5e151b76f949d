import Foundation
import IMAPWire
import Ledger
import MailCore
import Remote
import State
import SyncPlan

/// `window = "5GB"`: the account's newest messages that fit. That needs the date and size of every message: the state
/// knows those it has records of, the others are asked for, each mailbox on whichever connection is free.
final class SizeSurvey: Sendable {
  let budget: Int64
  /// The window, but for the budget.
  private let days: WindowPlan
  private let context: AccountContext
  private let mailboxes: [(listing: MailboxListing, record: MailboxRecord?)]
  /// Those of which the state knows everything, as of the beginning: a mailbox must not count twice.
  private let known: Set<MailboxName>
  private let lock = NSLock()
  nonisolated(unsafe) private var failed: Set<MailboxName> = []  // behind `lock`
  nonisolated(unsafe) private var sizes: [(date: Int64, size: Int64)] = []  // behind `lock`
  nonisolated(unsafe) private var measured = MeasuredMessages()  // behind `lock`

  /// - Parameter mirrored: all of the account's, whichever of them this run visits: they share the budget.
  init(
    context: AccountContext, budget: Int64, within days: WindowPlan,
    mirrored: [(listing: MailboxListing, record: MailboxRecord?)]
  ) {
    self.context = context
    self.budget = budget
    self.days = days
    mailboxes = mirrored
    known = Set(
      mirrored.filter { Self.isKnown($0.listing, $0.record, context) }.map(\.listing.name))
    let leftOut = context.unsettled
    failed = Set(
      mirrored.filter { $0.record.map { leftOut.contains($0.id) } == true }.map(\.listing.name))
  }

  /// One mailbox that the server must be asked about.
  struct Share {
    let survey: SizeSurvey
    let listing: MailboxListing

    func measure(_ remote: borrowing OpenMailbox) throws { try survey.measure(listing, remote) }
    /// The mailbox could not be asked: what the state knows of it must do.
    func failed() { survey.lock.withLock { _ = survey.failed.insert(listing.name) } }
  }

  var shares: [Share] {
    let settled = lock.withLock { known.union(failed) }
    return mailboxes.filter { !settled.contains($0.listing.name) }
      .map { Share(survey: self, listing: $0.listing) }
  }

  /// Once all shares are in, or failed.
  func plan() throws -> WindowPlan {
    let failed = lock.withLock { self.failed }
    for (listing, record) in mailboxes
    where known.contains(listing.name) || failed.contains(listing.name) {
      try context.checkInterrupt()
      guard let id = record?.id else { continue }
      let found = try knownSizes(id)
      lock.withLock { sizes += found.map { ($0.date, $0.size) } }
    }
    let narrowest = try lastStart(without: failed)
    return lock.withLock {
      sizes.sort { $0.date > $1.date }
      var plan = WindowPlan.newest(fitting: budget, sizes).notBefore(narrowest)
        .notBefore(days.start)
      plan.beyond = days.beyond
      plan.measured = measured
      sizes = []
      return plan
    }
  }

  /// Where a mailbox failed that did not fail before, the sum is too small: the window had better not grow by what the
  /// next run would take back. Nil where nothing stands against it.
  private func lastStart(without failed: Set<MailboxName>) throws -> Int64? {
    guard !failed.isEmpty else { return nil }
    let failing = Set(try context.state.failures().filter { $0.uid == nil }.map(\.mailbox))
    let isPassing = mailboxes.contains { listing, record in
      failed.contains(listing.name) && record.map { !failing.contains($0.id) } ?? true
    }
    guard isPassing else { return nil }
    return mailboxes.filter { !failed.contains($0.listing.name) }.compactMap(\.record?.windowStart)
      .min()
  }

  private static func isKnown(
    _ listing: MailboxListing, _ record: MailboxRecord?, _ context: AccountContext
  ) -> Bool {
    guard let record, record.isUnchanged(listing.status) else { return false }
    return (try? context.state.hasUndated(in: record.id)) == false
  }

  private func knownSizes(_ id: MailboxKey) throws -> [(uid: UID, date: Int64, size: Int64)] {
    var found: [(uid: UID, date: Int64, size: Int64)] = []
    try context.state.forEachSize(in: id) { found.append(($0, $1, $2)) }
    return found
  }

  /// The mailbox's record is looked up now: the INBOX's first messages may have come meanwhile.
  private func measure(_ listing: MailboxListing, _ remote: borrowing OpenMailbox) throws {
    try context.checkInterrupt()
    let delta = try remote.delta(asking: .everything(marksUpTo: nil))
    let record = try context.state.mailboxes().first { $0.mailboxName == listing.name }
    let listed = delta.listed ?? UIDSet()
    let mailbox = record?.uidValidity == delta.uidValidity.rawValue ? record?.id : nil
    let known = try mailbox.map(knownSizes)?.filter { listed.contains($0.uid) } ?? []
    let measures = try remote.measures(
      of: listed.subtracting(UIDSet(known.map(\.uid))), unknownDate: context.started)
    if let mailbox { try keep(measures, of: mailbox) }
    // All at once: a connection that is lost on the way leaves nothing, and another begins anew.
    lock.withLock {
      measured.put(measures, of: listing.name)
      sizes += known.map { ($0.date, $0.size) }
      sizes += measures.map { ($0.date, $0.size) }
    }
  }

  /// Of what a window by days left out, neither date nor size was known: from now on they are.
  private func keep(_ measures: [MeasuredMessages.Measure], of mailbox: MailboxKey) throws {
    guard try context.state.hasUndated(in: mailbox) else { return }
    try context.state.transaction { transaction in
      for one in measures {
        try transaction.fillIn(date: one.date, size: one.size, of: UID(one.uid), in: mailbox)
      }
    }
    context.noteChange()
  }
}
