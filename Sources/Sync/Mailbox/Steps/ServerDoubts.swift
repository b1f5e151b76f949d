import IMAPWire
import Ledger
import MailCore
import Remote
import State
import SyncPlan

/// Whether to believe what a session shows of a mailbox: it may lag behind another one, the server may have been restored
/// from a backup, and its sums may not agree.
struct ServerDoubts {
  let mailbox: PulledMailbox
  /// No deletion follows from a list that was not believed.
  private(set) var hasTrustedListing = true
  /// The mailbox has another MAILBOXID than before, and the same messages.
  private(set) var isUnderNewID = false

  /// The MAILBOXID in the server's list, where it tells one there.
  private let listedID: String?

  init(_ mailbox: PulledMailbox, listedID: String?) {
    self.mailbox = mailbox
    self.listedID = listedID
  }

  /// Opens the mailbox; again, after a while, where its counters are behind what another session showed before.
  ///
  /// - Parameter isLast: for now nothing else is to be asked for in the mailbox.
  /// - Returns: with why the numbers of before mean nothing any more: they have been behind for so long that the server was
  ///   restored from a backup, or they are those of other messages, or of another mailbox. Nil where they hold.
  /// - Throws: ``SyncError/serverBehind(_:)`` until then.
  mutating func open(
    _ remote: borrowing OpenMailbox, asking question: DeltaQuestion, _ known: KnownMessages,
    isLast: Bool
  ) throws -> (delta: MailboxDelta, restored: PullNotice?) {
    let numbers = KnownNumbers(
      context: mailbox.context, mailbox: mailbox.record,
      uids: known.recorded.subtracting(known.pushed))
    let probe = try numbers.probe()
    var question = question
    func ask(isLast: Bool) throws -> MailboxDelta {
      var delta = try remote.delta(
        asking: question, marksOf: known.recorded, probing: probe?.uid, isLast: isLast)
      delta.mailboxID = delta.mailboxID ?? listedID
      return delta
    }
    var delta = try ask(isLast: isLast)
    var likeness = Likeness.same
    if hasAnotherID(delta) {
      // What changed since then is no answer where “then” was another mailbox.
      question = .everything(marksUpTo: known.recorded.last)
      delta = try ask(isLast: false)
      likeness = try self.likeness(delta, known, remote)
      isUnderNewID = likeness == .same
    }
    if likeness == .another { return (delta, .anotherMailbox) }
    for seconds in mailbox.context.patience where try isBehind(delta, known) {
      guard mailbox.context.interrupt.wait(seconds: seconds) else { throw SyncError.interrupted }
      delta = try ask(isLast: false)
    }
    let isRestored = try isRestored(isBehind: isBehind(delta, known))
    if likeness == .unclear { return (delta, .anotherMailbox) }
    if isRestored { return (delta, .countersWentBack) }
    guard let probe, delta.uidValidity.rawValue == mailbox.record.uidValidity,
      try numbers.meanOthers(probe, size: delta.probedSize, mailbox.local, remote)
    else { return (delta, nil) }
    return (delta, .numbersReused)
  }

  private enum Likeness { case same, another, unclear }

  private func hasAnotherID(_ delta: MailboxDelta) -> Bool {
    guard delta.uidValidity.rawValue == mailbox.record.uidValidity,
      let id = mailbox.record.mailboxID, let shown = delta.mailboxID
    else { return false }
    return id != shown
  }

  /// A mailbox has another MAILBOXID than before where its server was moved to another machine, or it is another one. Some
  /// servers tell the id only of a mailbox that is open, and give one UIDVALIDITY to all that were made in one second (Cyrus
  /// 3.6). The numbers count for what they did only where each message of a sample is what it was.
  ///
  /// - Parameter delta: with all that the mailbox has.
  private func likeness(
    _ delta: MailboxDelta, _ known: KnownMessages, _ remote: borrowing OpenMailbox
  ) throws -> Likeness {
    guard !known.recorded.isEmpty else { return .same }
    let listing = MailboxListing(name: mailbox.name, rawName: mailbox.record.rawName)
    let sample = try MailboxIdentity(context: mailbox.context, listing: listing, delta)
      .compare(with: mailbox.record, remote)
    if sample.compared.isEmpty { return .unclear }
    return sample.equal == sample.compared ? .same : sample.equal.isEmpty ? .another : .unclear
  }

  /// A replica that lags catches up, and what was taken for lost on it would be there twice. A server that was restored
  /// stays where it is.
  private func isRestored(isBehind: Bool) throws -> Bool {
    let now = mailbox.context.started
    // A clock that was ahead is no reason to wait longer.
    let since = mailbox.record.behindSince.flatMap { $0 > now ? nil : $0 }
    guard isBehind else {
      if mailbox.record.behindSince != nil {
        mailbox.record.behindSince = nil
        try mailbox.saveRecord()
      }
      return false
    }
    guard now - (since ?? now) < mailbox.context.longestLag else { return true }
    if since == nil {
      mailbox.record.behindSince = now
      try mailbox.saveRecord()
    }
    throw SyncError.serverBehind(mailbox.name)
  }

  /// Behind what a pull saw, or what the server told a push.
  private func isBehind(_ delta: MailboxDelta, _ known: KnownMessages) throws -> Bool {
    guard mailbox.record.uidValidity == delta.uidValidity.rawValue else { return false }
    if mailbox.record.wentBackwards(uidNext: delta.uidNext, delta.highestModSeq) { return true }
    let shown = delta.listed ?? delta.new
    guard !known.unseen(uidNext: delta.uidNext, shown: shown).isEmpty else { return false }
    return try PushedMessages(mailbox).areOverdue()
  }

  /// Where the sums do not agree, asks again for all UIDs before anything is believed (promise 3).
  mutating func plan(
    _ known: KnownMessages, _ delta: MailboxDelta, _ remote: borrowing OpenMailbox
  ) throws -> PullPlan {
    var plan = PullPlanner.plan(known: known, delta: delta, viewIsPartial: remote.showsPartOnly)
    for _ in 0..<2 where plan.doubt != nil {
      let listing = try remote.listAll()
      plan = PullPlanner.plan(
        known: known, listed: listing.uids, exists: listing.exists, uidNext: delta.uidNext,
        vanished: delta.vanished, viewIsPartial: remote.showsPartOnly)
    }
    if case .listingIncomplete(let missing) = plan.doubt {
      hasTrustedListing = false
      mailbox.report(SyncError.listingIncomplete(mailbox.name, missing: missing))
    }
    return plan
  }
}
