import Foundation
import IMAPClient
import IMAPWire
import Ledger
import MailCore
import Maildir
import Remote
import Settings
import State
import SyncPlan

/// Carries a plan out, step by step: what a crash could repeat or lose is recorded before it begins, and what the
/// server confirmed is committed before anything follows from it. Confined to the connection's thread.
final class PushExecutor {
  let context: AccountContext
  let remote: PushRemote
  let settings: SyncSettings
  var listings: [MailboxListing]
  /// Waits before a refused change is tried again.
  let delays: [Double]
  let advice: SentCopyAdvice
  private(set) var records: [Int64: MailboxRecord] = [:]
  /// Left alone for the rest of the run, the reason told.
  private var skipped: Set<Int64> = []
  /// Nothing was done since the mailboxes were listed.
  var isListFresh = true
  /// A flight is under way: where the connection ends now, that may be why.
  var isFlying = false
  /// What came of changes that left unseen, together with those of other mailboxes.
  var flown: [Int64: (outcome: StoreOutcome, losers: UIDSet)] = [:]
  /// Steps of this run: what they are about was just seen.
  var begunHere: Set<UInt32> = []
  /// Targets that were found to be what the state knows.
  var soundTargets: Set<Int64> = []
  /// What was given up is tried again.
  var triesAgain = false
  /// For a pull: nothing is changed on the server, and mailboxes that are not those the state knows are left to it.
  var onlyLooks = false
  /// Folders that were to be renamed or made: each is asked for, and its trouble told, once in a run. And beginnings of
  /// names that wait for one of them.
  var triedFolders: Set<FolderPath> = []
  var waitingFolders: [String] = []
  /// Of targets whose steps could not be looked after: what came instead of a look.
  var undecided: [Int64: RunProblem] = [:]
  /// Targets that were looked into, and showed what they have.
  var decided: Set<Int64> = []
  /// What came last instead of a look into a mailbox.
  private(set) var trouble: RunProblem?
  /// A mailbox that is being opened: a refusal is about it.
  var opening: Int64?
  /// Not those that the state knows: their UIDs tell nothing.
  private(set) var strange: [Int64: RunProblem] = [:]
  /// Mailboxes whose counters went backwards when they were listed, and those that turned out so when they were opened.
  private(set) var suspects: [Int64] = []
  var restored: Set<Int64> = []
  /// Flags that each opened mailbox cannot keep.
  var unkeepable: [Int64: MessageFlags] = [:]
  /// What this account may do in mailboxes that were asked about; nil where all may be tried.
  var knownRights: [Int64: MailboxRights?] = [:]
  var trash: Int64?
  /// Gmail: which messages go for good.
  var labelPlan = LabelPlan(PushPlan(), [MailboxRecord]())
  var knownLabels: (count: Int, labels: GmailLabels)?
  /// New files of the plan that is carried out.
  private(set) var plannedUploads: [PushPlan.PlannedUpload] = []
  var actions: [PushAction] = []
  var bytesSent: Int64 = 0

  init(
    context: AccountContext, remote: PushRemote, settings: SyncSettings,
    listings: [MailboxListing], delays: [Double], advice: SentCopyAdvice
  ) throws {
    self.context = context
    self.remote = remote
    self.settings = settings
    self.listings = listings
    self.delays = delays
    self.advice = advice
    try readRecords()
    labelPlan = LabelPlan(PushPlan(), records.values)
    suspects = Self.suspects(records, listings, settings.folders).sorted(by: order)
  }

  func readRecords() throws {
    records = [:]
    for record in try context.state.mailboxes() {
      if let id = record.id { records[id] = record }
    }
  }

  var state: StateStore { context.state }
  var policy: MaildirPolicy { context.policy }

  func name(_ mailbox: Int64) -> String { records[mailbox]?.name ?? "?" }

  func count(_ action: PushAction) { actions.append(action) }

  func save(_ record: inout MailboxRecord) throws {
    try state.save(&record)
    context.noteChange()
    if let id = record.id { records[id] = record }
  }

  /// The server has more there than the state knows by now: the next pull looks at all of it, whatever the counters say.
  func listAgain(_ mailbox: Int64) throws {
    guard var record = records[mailbox], !record.isDirty else { return }
    record.isDirty = true
    try save(&record)
  }

  /// Messages came or went by this push: what the last pull counted holds no longer. The next one looks, and be it that
  /// the server shows just what it showed then, since it was restored from a backup.
  func forgetCount(of mailbox: Int64, _ transaction: StateTransaction) throws {
    try transaction.setFactIfNone(
      Fact.pushed(to: mailbox), String(Int64(Date().timeIntervalSince1970)))
    guard var record = records[mailbox], record.exists != MailboxRecord.uncounted else { return }
    record.exists = MailboxRecord.uncounted
    try transaction.save(&record)
    remember(record)
  }

  /// What mailboxes are for by this run's list. Nothing is expunged for good, and no draft replaced, on an older one's
  /// word.
  var roles: FolderRoles {
    let isSilent =
      !remote.session.hasListedUses && listings.allSatisfy { $0.specialUse.isEmpty }
    return FolderRoles(
      records.values, listed: listings, isSilent: isSilent, hasLabels: remote.isGmail)
  }

  /// - Returns: whether mailboxes are for something else than the state knew.
  func takeRoles() throws -> Bool {
    guard try context.takeRoles(listings, from: remote.session) else { return false }
    try readRecords()
    return true
  }

  func remember(_ record: MailboxRecord) {
    if let id = record.id { records[id] = record }
  }

  // MARK: The plan

  /// Everything but folders, which come first and change what the rest is about.
  func carryOut(_ work: SavedCopies) throws {
    let plan = work.plan
    try Self.noteLocally(plan, context)
    if remote.isGmail { labelPlan = LabelPlan(plan, records.values) }
    let marks = try pushTogether(plan.marks)
    isListFresh = false
    let places = Set(marks.map(\.mailbox)).union(plan.moves.map(\.from))
    for mailbox in places.sorted(by: order) {
      try context.checkInterrupt()
      try sparing(mailbox) {
        try push(marks: marks.filter { $0.mailbox == mailbox }, in: mailbox)
        try push(moves: plan.moves.filter { $0.from == mailbox }, from: mailbox)
      }
    }
    plannedUploads = plan.uploads
    let targets = plan.uploads.map(\.mailbox) + work.copies.map(\.upload.mailbox)
    for mailbox in Set(targets).sorted(by: order) {
      try sparing(mailbox) {
        var uploads = plan.uploads.filter { $0.mailbox == mailbox }
        uploads += try settle(
          work.copies.filter { $0.upload.mailbox == mailbox }, in: mailbox, others: work.queueIDs)
        guard try !uploads.isEmpty && mayReceive(uploads.count, mailbox) else { return }
        uploads = try withoutUnseen(withoutRepeats(uploads, in: mailbox), in: mailbox)
        uploads = try lettered(uploads)
        uploads = try withMarks(ofReplaced: uploads, in: mailbox)
        try push(uploads: copyKnown(uploads, to: mailbox), to: mailbox)
        if remote.isGmail { try labelOnGmail(uploads, in: mailbox) }
      }
    }
    try noteTwins(plan.twins)
    try finishCopies()
    if remote.isGmail { try keepThoseThatCameBack(plan) }
    let deletions = try withoutThoseOfRestored(plan.deletions)
    for mailbox in Set(deletions.map(\.mailbox)).sorted(by: order) {
      try context.checkInterrupt()
      try sparing(mailbox) {
        try push(
          deletions: deletions.filter { $0.mailbox == mailbox }, in: mailbox,
          of: plan.sizes[mailbox], namesakes: plan.namesakes)
      }
    }
    try finishCopies()
  }

  /// INBOX first, the others by name.
  func order(_ a: Int64, _ b: Int64) -> Bool {
    guard let one = records[a], let other = records[b] else { return a < b }
    return one.mailboxName.order < other.mailboxName.order
  }

  /// What fails in one mailbox is told, and the others go on.
  func sparing(_ mailbox: Int64, _ work: () throws -> Void) throws {
    guard !skipped.contains(mailbox) else { return }
    do {
      try work()
    } catch {
      guard case .mailbox = RunFailure(error) else { throw error }
      let problem = RunProblem(error, mailbox: name(opening ?? mailbox))
      (opening, trouble) = (nil, problem)
      if !onlyLooks { context.note(problem) }
    }
    if !remote.session.isUsable { throw IMAPError.sessionOver }
  }

  func skip(_ mailbox: Int64, _ problem: RunProblem) {
    if skipped.insert(mailbox).inserted, !onlyLooks { context.note(problem) }
  }

  /// The server does not list it under the name that the state knows.
  func skip(vanished record: MailboxRecord, _ mailbox: Int64) {
    let problem = RunProblem.vanished(record.name)
    skip(mailbox, problem)
    trouble = problem
  }

  /// What the work met instead of a look, if it did.
  func troubled(_ work: () throws -> Void) throws -> RunProblem? {
    trouble = nil
    try work()
    return trouble
  }

  func skip(strange mailbox: Int64, _ objection: RunProblem) {
    strange[mailbox] = objection
    skip(mailbox, objection)
  }

  func isSkipped(_ mailbox: Int64) -> Bool { skipped.contains(mailbox) }
}
