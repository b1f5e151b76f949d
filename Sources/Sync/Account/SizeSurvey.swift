import Foundation
import IMAPWire
import MailCore
import State

/// `window = "5GB"`: the account's newest messages that fit. That needs the date and size of every message: the state
/// knows those it has records of, the others are asked for, each mailbox on whichever connection is free.
final class SizeSurvey: Sendable {
  let budget: Int64
  private let context: AccountContext
  private let mailboxes: [(listing: MailboxListing, record: MailboxRecord?)]
  private let lock = NSLock()
  nonisolated(unsafe) private var sizes: [(date: Int64, size: Int64)] = []  // behind `lock`
  nonisolated(unsafe) private var measured = MeasuredMessages()  // behind `lock`

  /// - Parameter mirrored: all of the account's, whichever of them this run visits: they share the budget.
  init(
    context: AccountContext, budget: Int64,
    mirrored: [(listing: MailboxListing, record: MailboxRecord?)]
  ) {
    self.context = context
    self.budget = budget
    mailboxes = mirrored
  }

  /// One mailbox that the server must be asked about.
  struct Share {
    let survey: SizeSurvey
    let listing: MailboxListing

    func measure(_ remote: some RemoteMailbox) throws { try survey.measure(listing, remote) }
  }

  var shares: [Share] {
    mailboxes.filter { !isKnown($0) }.map { Share(survey: self, listing: $0.listing) }
  }

  /// Once all shares are in.
  func plan() throws -> WindowPlan {
    for mailbox in mailboxes where isKnown(mailbox) {
      try context.checkInterrupt()
      if let id = mailbox.record?.id { _ = try takeKnown(id) }
    }
    return lock.withLock {
      sizes.sort { $0.date > $1.date }
      var plan = WindowPlan.newest(fitting: budget, sizes)
      plan.measured = measured
      sizes = []
      return plan
    }
  }

  private func isKnown(_ mailbox: (listing: MailboxListing, record: MailboxRecord?)) -> Bool {
    guard let record = mailbox.record, let id = record.id else { return false }
    guard record.isUnchanged(mailbox.listing.status) else { return false }
    return (try? context.state.hasUndated(in: id)) == false
  }

  /// - Returns: the UIDs whose date and size the state knows.
  private func takeKnown(_ id: Int64) throws -> UIDSet {
    var known = UIDSet()
    var found: [(date: Int64, size: Int64)] = []
    try context.state.forEachSize(in: id) { uid, date, size in
      known.insert(uid)
      found.append((date, size))
    }
    lock.withLock { sizes += found }
    return known
  }

  /// The mailbox's record is looked up now: the INBOX's first messages may have come meanwhile.
  private func measure(_ listing: MailboxListing, _ remote: some RemoteMailbox) throws {
    try context.checkInterrupt()
    let target = MailboxTarget(name: listing.name, rawName: listing.rawName, uidValidity: nil)
    let delta = try remote.open(target, asking: .everything(marksUpTo: nil))
    let record = try context.state.mailboxes().first { $0.mailboxName == listing.name }
    var rest = delta.listed ?? UIDSet()
    if let record, let id = record.id, record.uidValidity == delta.uidValidity.rawValue {
      rest = rest.subtracting(try takeKnown(id))
    }
    let probe = SizeProbe(unknownDate: context.started)
    try remote.measure(rest, into: probe)
    lock.withLock {
      measured.put(probe.measures, of: listing.name)
      sizes += probe.measures.map { ($0.date, $0.size) }
    }
  }
}

extension RemoteMailbox {
  /// Asks for dates and sizes of messages of the open mailbox.
  func measure(_ uids: UIDSet, into probe: SizeProbe) throws {
    var rest = uids
    try fetch(
      opening: nil,
      next: {
        guard !rest.isEmpty else { return nil }
        let (newest, older) = rest.splitNewest(1000)
        rest = older
        return FetchRequest(.identities, newest)
      }, into: probe)
  }
}

/// Keeps dates and sizes.
final class SizeProbe: FetchSink {
  private(set) var measures: [MeasuredMessages.Measure] = []
  private let unknownDate: Int64

  /// - Parameter unknownDate: for messages whose date the server does not tell.
  init(unknownDate: Int64) { self.unknownDate = unknownDate }

  func begins(uid: UID?, keywords: Keywords?, size: Int, isHeader: Bool) {}
  func bytes(_ bytes: UnsafeRawBufferPointer) {}
  func finished(_ message: FetchedMessage, hasBytes: Bool, wanted: FetchRequest.Wanted) {
    measures.append(
      .init(
        uid: message.uid.rawValue, date: message.internalDate ?? unknownDate,
        size: message.size ?? 0))
  }
  func spoilt(uid: UID?) {}
  func answered(_ request: FetchRequest, refusal: String?) {}
}
