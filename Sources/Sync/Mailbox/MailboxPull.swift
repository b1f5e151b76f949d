import IMAPWire
import Ledger
import LocalChanges
import MailCore
import Maildir
import Remote
import State
import SyncPlan

/// Brings one mailbox in step, in two visits: the first learns what changed and takes the newest messages, the second
/// takes the rest. Each visit belongs to one connection's thread.
final class MailboxPull: @unchecked Sendable {  // handed on between threads, never used by two
  let context: AccountContext
  var record: MailboxRecord
  let mailboxID: Int64
  /// Whose mailbox the name was when the server listed it.
  let listedValidity: UIDValidity?
  /// Set anew between the visits where it was not decided at the first.
  var window: WindowPlan
  /// The first visit took what is surely inside; the window is still to be applied to the rest.
  private var awaitsWindow = false
  private(set) var outcome: MailboxOutcome
  private var opened: LocalFolder?
  /// Messages still to be downloaded.
  var remaining = UIDSet()
  /// What a push brought and this session does not show yet.
  private var unseen = UIDSet()
  /// What a push brought, and may be another message by now: nobody can tell before the next push.
  var unclear = UIDSet()
  /// What the second visit, or the next run, may rely on: set once the first visit understood the server.
  var agreedDelta: MailboxDelta?
  var matcher: FileMatcher?
  var hasTrustedListing = true
  /// How many messages the first visit takes.
  private let newestFirst: Int
  private(set) var hadFailures = false
  /// UIDs under which this run recorded failures.
  var failedHere: Set<UInt32> = []
  /// Orphans whose record goes with the next commit.
  var matchedOrphans: [Int64] = []
  /// Files that may be these messages by their header, and not by their size.
  var suspects: [UID: [Suspect]] = [:]
  /// Names, by hash, of adopted files that lie in other folders.
  var movedAway: Set<UInt64> = []
  /// Whether files were looked for that may be messages.
  var hasLookedForFiles = false
  /// The folder as it was when it held no file without a record.
  var wholeStamp: FolderStamp?

  struct Suspect {
    /// In the matcher.
    let place: FileMatcher.Place
    let digest: MessageDigest
  }
  /// Folders of other mailboxes that messages are linked from.
  private var neighbours: [Int64: LocalFolder] = [:]
  private var progress: MailboxProgress

  init(
    context: AccountContext, record: MailboxRecord, listedValidity: UIDValidity?,
    window: WindowPlan,
    newestFirst: Int
  ) throws {
    guard let id = record.id else { throw StateError.failed("a mailbox without a record") }
    self.context = context
    self.record = record
    self.listedValidity = listedValidity
    mailboxID = id
    self.window = window
    outcome = MailboxOutcome(mailbox: record.name)
    self.newestFirst = newestFirst
    progress = MailboxProgress(mailbox: record.name, messages: 0, messagesExpected: 0, bytes: 0)
  }

  /// The folder, opened when it is first needed: with many mailboxes, only those that are being visited hold open
  /// directories.
  var local: LocalFolder {
    get throws {
      if let opened { return opened }
      let folder = context.local(try context.makeFolder(of: record))
      opened = folder
      return folder
    }
  }

  private func closeFolders() {
    opened = nil
    neighbours = [:]
  }

  var target: MailboxTarget {
    MailboxTarget(
      name: record.mailboxName, rawName: record.rawName,
      uidValidity: record.uidValidity == 0 ? nil : UIDValidity(record.uidValidity))
  }

  func count(_ change: (inout MailboxOutcome) -> Void) { change(&outcome) }

  func progressed(messages: Int, bytes: Int64) {
    progress.messages += messages
    progress.bytes += bytes
    context.observer.progressed(progress, account: context.account)
  }

  func neighbour(_ mailbox: Int64) throws -> LocalFolder? {
    if let folder = neighbours[mailbox] { return folder }
    let folder = try context.folder(ofMailbox: mailbox, isShared: true)
    neighbours[mailbox] = folder
    return folder
  }

  // MARK: First visit

  /// Learns what changed, brings flags and keywords, notes what the server expunged, and takes the newest messages.
  func visit(_ remote: RemoteMailbox) throws {
    context.observer.entered(.headers, account: context.account)
    defer { closeFolders() }
    try takeStandIn()
    try followRewrites()
    var known = try knownMessages()
    let delta = try opened(remote, asking: question(remote, known), known)
    if try record.hasChangedHands(
      listed: listedValidity, opened: delta.uidValidity, among: context.state.mailboxes)
    {
      throw SyncError.changedHands(record.mailboxName)
    }
    let isRestored = try isBehind(delta, known)
    if isRestored { noteRestored() }
    if isRestored || record.uidValidity != 0 && delta.uidValidity.rawValue != record.uidValidity {
      try renumber(to: delta.uidValidity)
      known = KnownMessages(recorded: UIDSet())
    }
    record.uidValidity = delta.uidValidity.rawValue
    if let mailboxID = delta.mailboxID { record.mailboxID = mailboxID }
    if record.needsAdoption { known.recorded = try forgetMissingFiles(known.recorded) }
    known = try withoutStrangers(known, shown: delta.listed ?? delta.new, remote)
    let before = try takeOutOfView(&known, remote)
    var plan = try settle(
      PullPlanner.plan(known: known, delta: delta, viewIsPartial: remote.showsPartOnly), known,
      delta, remote)
    try keepOutOfView(&plan, before: before, vanished: delta.vanished)
    try bringMarks(delta.marks, except: plan.expunged)
    try noteExpunged(plan.expunged)
    agreedDelta = delta
    awaitsWindow = window.undecidedBudget != nil
    remaining = plan.missing
    unseen = plan.unseen
    try tellOfUnseen(unseen)
    try prepareMatching()
    if !awaitsWindow { try applyWindow(remote) }
    progress.messagesExpected = remaining.count
    let (newest, _) = remaining.splitNewest(newestFirst)
    try download(try surelyInside(newest, remote), remote, opening: nil)
    if isDone { try complete() }
  }

  /// Takes what the first visit left, and settles the mailbox.
  func revisit(_ remote: RemoteMailbox) throws {
    defer { closeFolders() }
    var isOpen = false
    if awaitsWindow {
      isOpen = try open(
        remote, unless: window.start == nil || isMeasured && matcher == nil)
      try applyWindow(remote)
      progress.messagesExpected = progress.messages + remaining.count
      awaitsWindow = false
    }
    if !remaining.isEmpty { try download(remaining, remote, opening: isOpen ? nil : target) }
    try complete()
  }

  var isDone: Bool { remaining.isEmpty && !awaitsWindow }

  // MARK: Asking

  private func knownMessages() throws -> KnownMessages {
    let failed = try context.state.failures().filter { $0.mailbox == mailboxID && $0.uid != 0 }
    hadFailures = !failed.isEmpty
    let recorded = try context.state.uids(.known, in: mailboxID)
    let beyond = record.forwardCursor &+ 1
    return KnownMessages(
      recorded: recorded, failed: UIDSet(failed.map { UID($0.uid) }),
      pushed: beyond == 0 ? UIDSet() : recorded.intersection(UIDSet(beyond...UInt32.max)))
  }

  private func question(_ remote: RemoteMailbox, _ known: KnownMessages) -> DeltaQuestion {
    record.needsAdoption
      ? .everything(marksUpTo: known.recorded.last) : .best(record, known, remote)
  }

  /// Where the sums do not agree, asks again for all UIDs before anything is believed (promise 3).
  private func settle(
    _ first: PullPlan, _ known: KnownMessages, _ delta: MailboxDelta, _ remote: RemoteMailbox
  ) throws -> PullPlan {
    var plan = first
    for _ in 0..<2 where plan.doubt != nil {
      let listing = try remote.listAll()
      plan = PullPlanner.plan(
        known: known, listed: listing.uids, exists: listing.exists, uidNext: delta.uidNext,
        vanished: delta.vanished, viewIsPartial: remote.showsPartOnly)
    }
    if case .listingIncomplete(let missing) = plan.doubt {
      hasTrustedListing = false
      context.note(
        RunProblem(
          SyncError.listingIncomplete(record.mailboxName, missing: missing), mailbox: record.name))
    }
    return plan
  }

  // MARK: Settling

  /// Records that the mailbox is in step, so that the next run can pass it over.
  func complete() throws {
    guard let delta = agreedDelta, remaining.isEmpty else { return }
    // Where the server was not believed, everything is asked for again, and what waits for a match goes on waiting.
    guard hasTrustedListing else { return }
    try forgetFailures()
    try forgetLost()
    if record.needsAdoption { try noteSurplus() }
    var settled = record
    settled.isDirty = false
    settled.needsAdoption = false
    // What the session does not show yet stays beyond the cursor, until one does.
    let highest =
      try context.state.uids(.known, in: mailboxID).subtracting(unseen).last?.rawValue ?? 0
    settled.uidNext = delta.uidNext != 0 ? delta.uidNext : highest &+ 1
    settled.forwardCursor = max(highest, settled.uidNext == 0 ? 0 : settled.uidNext - 1)
    if let first = unclear.first {
      settled.forwardCursor = min(settled.forwardCursor, first.rawValue - 1)
    }
    settled.backwardCursor = 1
    settled.exists = unseen.isEmpty ? delta.exists : MailboxRecord.uncounted
    settled.highestModSeq = Int64(clamping: delta.highestModSeq.rawValue)
    settled.windowStart = window.start
    try forgetOrphans()
    if unseen.isEmpty { try forgetPush() }
    // A new stamp alone is no reason to write (promise 10).
    guard settled != record else { return }
    let stamp = try local.folder.stamp()
    let isWhole =
      stamp.isSettled && (stamp.isOf(record) || wholeStamp?.matches(stamp) == true)
    settled.newModified = isWhole ? stamp.newModified : 0
    settled.curModified = isWhole ? stamp.curModified : 0
    (settled.newInode, settled.curInode) = (stamp.newInode, stamp.curInode)
    let identity = try local.folder.identity()
    let hold = try holdIfReplaced(identity, stamp)
    try context.state.transaction { transaction in
      if let hold { try transaction.put(hold, at: context.started) }
      try transaction.setFolderIdentity(identity.rawValue, of: mailboxID)
      try transaction.save(&settled)
    }
    context.noteChange()
    record = settled
  }

  /// Every message that is not here was tried again: what did not fail in this run is here, gone, or not wanted any more.
  private func forgetFailures() throws {
    let isForgotten = try context.state.failures().contains {
      $0.mailbox == mailboxID && !failedHere.contains($0.uid)
    }
    guard isForgotten else { return }
    try context.state.keepFailures(failedHere, of: mailboxID)
    context.noteChange()
  }

  /// What a push found gone from the server is known by now, one way or the other.
  private func forgetLost() throws {
    let isWaiting = try context.state.pushRefusals().contains {
      $0.mailbox == mailboxID && $0.isLost
    }
    guard isWaiting else { return }
    try context.state.transaction { try $0.removeRefusals(ofMessagesIn: mailboxID, onlyLost: true) }
    context.noteChange()
  }

  /// Durable before the first file of a batch gets its name: a crash between that and the commit leaves files that
  /// the next run must look for.
  func markDirty() throws {
    guard !record.isDirty else { return }
    record.isDirty = true
    try context.state.save(&record)
    context.noteChange()
  }
}

extension DeltaQuestion {
  /// The cheapest question that what is known allows, and the server understands.
  static func best(_ record: MailboxRecord, _ known: KnownMessages, _ remote: RemoteMailbox)
    -> DeltaQuestion
  {
    let modSeq = ModSequence(UInt64(max(0, record.highestModSeq)))
    guard record.uidValidity != 0, modSeq != .none, let last = known.recorded.last else {
      return .everything(marksUpTo: known.recorded.last)
    }
    if remote.understandsQuickResync {
      let isWhole = record.hasWholeHistory && !record.isDirty && known.failed.isEmpty
      return .quickResync(
        UIDValidity(record.uidValidity), modSeq, newFrom: UID(max(1, record.forwardCursor &+ 1)),
        listsAll: !isWhole)
    }
    if remote.understandsChangedSince { return .changedSince(modSeq, marksUpTo: last) }
    return .everything(marksUpTo: last)
  }
}
