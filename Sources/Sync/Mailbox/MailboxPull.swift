import Ledger
import LocalChanges
import MailCore
import Maildir
import Remote
import State
import SyncPlan

/// Brings one mailbox in step, in two visits: the first learns what changed and brings the newest messages, the second
/// brings the rest. While the tree is matched anew there may be a third (``StrayMessages``). Of many new mailboxes, which
/// each cost a round trip, the first visit only looks, and the newest messages come at a visit of their own. Each visit
/// belongs to one connection's thread.
final class MailboxPull: @unchecked Sendable {  // handed on between threads, never used by two
  let mailbox: PulledMailbox
  var window: MailboxWindow
  /// Whose mailbox the name was when the server listed it.
  struct Listed {
    var uidValidity: UIDValidity?
    var mailboxID: String?
  }
  private let listed: Listed
  /// The list was not asked for in this run: whose name it is has to show when it is opened.
  private let isHinted: Bool
  /// How many messages the first visit brings.
  private let newestFirst: Int
  private let failures: MessageFailures
  private let adoption: Adoption
  let downloads: Downloads
  private var pushed: PushedMessages
  private var doubts: ServerDoubts
  private var secondLook: SecondLook?
  private var strays: StrayMessages
  private var oldestBefore: UID?
  /// What the second visit, or the next run, may rely on: set once the first visit understood the server.
  private var delta: MailboxDelta?
  private var losses: LostConnections
  /// The connection went on to the next mailbox before the newest messages were asked for.
  private(set) var onlyLooked = false
  /// The first visit brought what is surely inside; the window is still to be applied to the rest.
  private var awaitsWindow = false

  init(
    _ record: MailboxRecord, in context: AccountContext, listed: Listed,
    window: WindowPlan, isHinted: Bool = false, losses: LostConnections = LostConnections()
  ) throws {
    self.losses = losses
    self.isHinted = isHinted
    mailbox = try PulledMailbox(record, in: context)
    self.listed = listed
    newestFirst = record.isInbox ? 30 : 20
    failures = MessageFailures(mailbox)
    adoption = Adoption(mailbox)
    downloads = Downloads(mailbox, adoption, failures)
    self.window = MailboxWindow(window, of: mailbox, downloads)
    pushed = PushedMessages(mailbox)
    doubts = ServerDoubts(mailbox, listedID: listed.mailboxID)
    strays = StrayMessages(mailbox)
  }

  /// The connection was lost while this was at work.
  ///
  /// - Returns: how many losses will not come again.
  func lost(because error: any Error) -> Int {
    losses.lost(over: downloads.awaited, because: error)
  }

  /// Why it is to be left out: the connection was lost over it more than once.
  var reasonToSkip: SyncError? {
    losses.overMailbox.map { .connectionEnds(mailbox.name, reason: RunProblem($0).problem) }
  }

  /// After the connection was lost: it starts over from what the state holds.
  func renewed() throws -> MailboxPull {
    let record = try mailbox.state.mailbox(mailbox.id) ?? mailbox.record
    return try MailboxPull(
      record, in: mailbox.context, listed: listed, window: window.plan, losses: losses)
  }

  /// Learns what changed, brings flags and keywords, records what the server expunged, and brings the newest messages.
  func visit(_ remote: borrowing OpenMailbox) throws {
    mailbox.entered(.headers)
    defer { mailbox.closeFolder() }
    let tree = RestoredTree(mailbox: mailbox)
    try tree.findFolder()
    try followRewrites()
    var known = try knownMessages()
    oldestBefore = known.recorded.first
    var (delta, restored) = try doubts.open(
      remote, asking: question(known, remote), known, isLast: mayOnlyLook)
    try NumberedByClock(mailbox: mailbox).check(delta, remote)
    try checkOwner(delta)
    try followValidity(delta, restored, &known)
    try mailbox.keepEarlierNames()
    strays.add(try tree.forgetMissingFiles(in: &known, listed: delta.listed))
    try pushed.forgetReplaced(in: &known, shown: delta.listed ?? delta.new, remote)
    var outOfView = try OutOfView(mailbox, &known, remote)
    if doubts.isUnderNewID { outOfView.add(to: &known, all: delta.listed) }
    outOfView.leaveOut(of: &delta)
    secondLook = try SecondLook(mailbox, &known, remote)
    var plan = try doubts.plan(known, delta, remote)
    try outOfView.keep(in: &plan, vanished: delta.vanished)
    // What the mailbox lacks under another id is written down now.
    if plan.doubt == nil { try mailbox.saveID(delta.mailboxID) }
    try secondLook?.record(plan)
    try RemoteMarks(mailbox: mailbox).bring(delta.marks, except: plan.expunged)
    try ExpungedMessages(mailbox: mailbox).record(plan.expunged)
    self.delta = delta
    awaitsWindow = window.plan.undecidedBudget != nil
    downloads.remaining = plan.missing
    try leaveOutLost()
    try pushed.wait(for: plan.unseen)
    try lookForFiles()
    if !awaitsWindow { try applyWindow(remote) }
    mailbox.expect(downloads.remaining.count)
    onlyLooked = !isDone && !remote.isOpen
    if onlyLooked { return downloads.foresee(remote) }
    try bringNewest(remote)
  }

  /// What the first visit left where it only looked.
  func bringNewest(_ remote: borrowing OpenMailbox) throws {
    defer { mailbox.closeFolder() }
    try downloads.download(try window.surelyInside(newestToCome, remote), remote)
    try end(remote)
  }

  var newestToCome: UIDSet {
    downloads.remaining.subtracting(losses.suspects).splitNewest(newestFirst).newest
  }

  /// Brings what the first visit left.
  func revisit(_ remote: borrowing OpenMailbox) throws {
    defer { mailbox.closeFolder() }
    if awaitsOthers { return try bringStrays(remote) }
    if awaitsWindow {
      awaitsWindow = false
      try bringInside(remote)
    }
    try bringRest(remote)
    try end(remote)
  }

  private func bringRest(_ remote: borrowing OpenMailbox) throws {
    let suspects = losses.suspects.intersection(downloads.remaining)
    try downloads.download(
      downloads.remaining.subtracting(suspects), remote, isLast: suspects.isEmpty)
    for uid in downloads.remaining.uids {
      try downloads.download(UIDSet([uid]), remote, isLast: false)
    }
  }

  /// What may have its file in another folder, when all mailboxes were matched with their own.
  private func bringStrays(_ remote: borrowing OpenMailbox) throws {
    let outcome = try strays.resolve()
    downloads.remaining = outcome.missing
    try adoption.prepare(for: downloads.remaining)
    try adoption.add(outcome.files)
    try bringInside(remote)
    try leaveOutLost()
    try bringRest(remote)
    guard outcome.undecided == 0 else {
      return mailbox.report(PullNotice.awaitsOthers(outcome.undecided))
    }
    try complete(remote)
  }

  private func bringInside(_ remote: borrowing OpenMailbox) throws {
    try applyWindow(remote)
    mailbox.expect(mailbox.progress.messages + downloads.remaining.count)
  }

  private func end(_ remote: borrowing OpenMailbox) throws {
    if awaitsOthers {
      if doubts.hasTrustedListing {
        try failures.forgetEarlier(besides: strays.messages)
        strays.awaitOthers()
      } else {
        strays.letGo()
      }
    }
    if isDone { try complete(remote) }
  }

  /// The first command of a visit, where that is known before: of a mailbox that no pull has seen.
  var opening: Opening? {
    guard mailbox.record.uidValidity == 0, reasonToSkip == nil else { return nil }
    return .look(MailboxTarget(mailbox.record), .everything(marksUpTo: nil))
  }

  /// Nothing but that is to be asked at the first visit, if the newest messages may wait.
  var mayOnlyLook: Bool {
    opening != nil && !mailbox.record.isInbox && !mailbox.record.needsAdoption
      && window.plan.start == nil && window.plan.undecidedBudget == nil
      && mailbox.stubLimit == nil && !mailbox.context.isRehearsal
  }

  /// The same of the visit for the newest messages.
  var openingForNewest: Opening? { asking(for: newestToCome) }

  /// The same of the second visit.
  var reopening: Opening? {
    awaitsWindow ? nil : asking(for: downloads.remaining.subtracting(losses.suspects))
  }

  private func asking(for messages: UIDSet) -> Opening? {
    guard reasonToSkip == nil, let request = downloads.firstRequest(for: messages) else {
      return nil
    }
    return .messages(MailboxTarget(mailbox.record), request)
  }

  var isDone: Bool { isMatchedAtHome && strays.isEmpty }
  /// Nothing is left to be done before all others were matched with their own folders.
  var awaitsOthers: Bool { isMatchedAtHome && !strays.isEmpty }
  private var isMatchedAtHome: Bool { downloads.remaining.isEmpty && !awaitsWindow }

  private func lookForFiles() throws {
    try adoption.prepare(for: downloads.remaining)
    strays.hold(&downloads.remaining, adoption.strays)
  }

  private func applyWindow(_ remote: borrowing OpenMailbox) throws {
    try window.apply(remote)
    // A window that was opened wants what no first look was for.
    try lookForFiles()
  }

  /// Messages over which the connection was lost fail, as others do that the server does not hand out.
  private func leaveOutLost() throws {
    losses.suspects = losses.suspects.union(failures.cut).subtracting(losses.messages)
    let lost = downloads.remaining.intersection(losses.messages)
    guard !lost.isEmpty else { return }
    downloads.remaining = downloads.remaining.subtracting(lost)
    try failures.record(cut: lost)
  }

  private func complete(_ remote: borrowing OpenMailbox) throws {
    if adoption.hasFoundStubs || mailbox.record.needsAdoption {
      try FoundStubs(mailbox: mailbox).compare(remote)
    }
    // Where the server was not believed, everything is asked for again, and what waits for a match goes on waiting.
    guard let delta, downloads.remaining.isEmpty, doubts.hasTrustedListing else { return }
    try Completion(
      mailbox: mailbox, adoption: adoption, failures: failures, pushed: pushed,
      awaitsSecondLook: secondLook?.awaited.isEmpty == false, oldestBefore: oldestBefore
    ).record(delta, windowStart: window.plan.start)
  }

  // MARK: The first visit's beginning

  /// A push would find them by itself; a pull that comes first must not mistake them.
  private func followRewrites() throws {
    guard case .header = mailbox.policy.keywords, mailbox.record.uidValidity != 0,
      try mailbox.mayHoldUnknownFiles()
    else { return }
    let renamed = try RewrittenFiles(
      local: mailbox.local, state: mailbox.state, mailbox: mailbox.id
    ).records()
    if !renamed.isEmpty { try mailbox.save(renamed) }
  }

  private func knownMessages() throws -> KnownMessages {
    let failed = try failures.recorded()
    let recorded = try mailbox.state.uids(.known, in: mailbox.id)
    let beyond = mailbox.record.forwardCursor &+ 1
    return KnownMessages(
      recorded: recorded, failed: failed,
      pushed: beyond == 0 ? UIDSet() : recorded.intersection(UIDSet(beyond...UInt32.max)))
  }

  private func question(_ known: KnownMessages, _ remote: borrowing OpenMailbox) -> DeltaQuestion {
    mailbox.record.needsAdoption
      ? .everything(marksUpTo: known.recorded.last) : .best(mailbox.record, known, remote)
  }

  private func checkOwner(_ delta: MailboxDelta) throws {
    if isHinted, let known = mailbox.record.mailboxID, let shown = delta.mailboxID, known != shown {
      throw SyncError.changedHands(mailbox.name)
    }
    if try mailbox.record.hasChangedHands(
      listed: listed.uidValidity, opened: delta.uidValidity, among: mailbox.state.mailboxes)
    {
      throw SyncError.changedHands(mailbox.name)
    }
  }

  /// The UIDs that a server gave out before it was restored or filled anew, or under another UIDVALIDITY, mean nothing.
  private func followValidity(
    _ delta: MailboxDelta, _ restored: PullNotice?, _ known: inout KnownMessages
  ) throws {
    if let restored {
      mailbox.report(restored)
      mailbox.record.behindSince = nil
    }
    let validity = mailbox.record.uidValidity
    if restored != nil || validity != 0 && delta.uidValidity.rawValue != validity {
      try Renumbering(mailbox: mailbox).orphanAll(validity: delta.uidValidity)
      known = KnownMessages(recorded: UIDSet())
    }
    mailbox.record.uidValidity = delta.uidValidity.rawValue
  }
}
