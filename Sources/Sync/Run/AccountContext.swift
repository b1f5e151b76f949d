import IMAPClient
import Ledger
import MailCore
import Maildir
import Settings
import State
import SyncPlan
import Synchronization
import Transport

/// What all mailboxes of one run share. Safe from any thread.
final class AccountContext: Sendable {
  let account: String
  let state: StateStore
  let folders: AccountFolders
  let elsewhere: FilesElsewhere
  let strays: StrayFiles
  let observer: any RunObserver
  let interrupt: Interrupt
  /// How long to wait, in seconds, before looking once more for what a server may only show late: a mailbox whose counters
  /// fell back, an APPEND or COPY that was under way.
  let patience: [Double]
  /// And how long (seconds) over several runs, before it counts as restored.
  let longestLag: Int64
  let batchLimits: BatchLimits
  /// Unix seconds at the start of the run.
  let started: Int64
  let underWay = MessagesUnderWay()
  /// The state is being made anew over a tree that holds mail.
  let adoptsNewMailboxes: Bool
  /// A person said that what the server shows no longer is gone, however much it is.
  let allowsMassDelete: Bool
  /// Outcomes say which messages are new.
  let tellsArrivals: Bool
  /// Content hashes of what earlier runs moved to Trash: there it is no news.
  let trashedBefore: Set<ContentHash>
  /// No pull has visited all mailboxes yet. Not looked up where nobody asks for arrivals.
  let isFirstPull: Bool
  /// Larger parts of messages stay on the server; nil where all come.
  let onDemand: Int64?
  private let findings = Mutex(Findings())

  /// What turns out in the course of a run.
  private struct Findings {
    var problems: [RunProblem] = []
    var tally = ProblemTally()
    var hasChangedState = false
    var unsettled: Set<MailboxKey> = []
    var missesMailboxes = false
    var leavesPush = false
    var serverCountsWrong = false
    var distrustsIdentities = false
    var viewIsPartial = false
    var viewLimits: [Int] = []
    var undelivered: [UndeliveredMessage] = []
    var server: KnownServer?
    var trashed: Set<ContentHash> = []
  }

  /// - Parameters:
  ///   - mirrored: which mailboxes are.
  ///   - isRehearsal: a dry run: the state is a copy, and nothing in the tree is touched.
  init(
    account: String, tree: AccountTree, policy: MaildirPolicy, mirrored: FolderPatterns,
    state: StateStore, observer: any RunObserver, interrupt: Interrupt, patience: [Double],
    longestLag: Int64, batchLimits: BatchLimits, started: Int64,
    isRehearsal: Bool = false, allowsMassDelete: Bool = false, tellsArrivals: Bool = false,
    trashedBefore: Set<ContentHash> = [], onDemand: Int64? = nil
  ) throws {
    self.onDemand = onDemand
    self.tellsArrivals = tellsArrivals
    self.trashedBefore = trashedBefore
    isFirstPull = try tellsArrivals && state.account().wholePull == nil
    self.allowsMassDelete = allowsMassDelete
    self.account = account
    self.state = state
    self.observer = observer
    self.interrupt = interrupt
    self.patience = patience
    self.longestLag = longestLag
    self.batchLimits = batchLimits
    self.started = started
    folders = AccountFolders(tree: tree, policy: policy, state: state, isRehearsal: isRehearsal)
    strays = StrayFiles(folders: folders, state: state, mirrored: mirrored)
    adoptsNewMailboxes = try state.account().adoptsNewMailboxes
    elsewhere = try FilesElsewhere(
      tree: tree, layout: policy.layout, state: state,
      isAdopting: adoptsNewMailboxes || state.mailboxes().contains { $0.needsAdoption })
  }

  var tree: AccountTree { folders.tree }
  var policy: MaildirPolicy { folders.policy }
  var isRehearsal: Bool { folders.isRehearsal }

  /// Mailboxes that a pull leaves out: an interrupted push had something under way there, and nobody can look.
  var unsettled: Set<MailboxKey> {
    get { findings.withLock { $0.unsettled } }
    set { findings.withLock { $0.unsettled = newValue } }
  }

  /// Not every mailbox was visited: a message that is gone from one may be in another that this run does not know of.
  var missesMailboxes: Bool {
    get { findings.withLock { $0.missesMailboxes || !$0.unsettled.isEmpty } }
    set { findings.withLock { $0.missesMailboxes = newValue } }
  }

  /// Messages stay here that the server has lost: a push sends them.
  var leavesPush: Bool {
    get { findings.withLock { $0.leavesPush } }
    set { findings.withLock { $0.leavesPush = newValue } }
  }

  /// The server announces sizes that are not the messages': they prove nothing.
  var serverCountsWrong: Bool {
    get { findings.withLock { $0.serverCountsWrong } }
    set { findings.withLock { $0.serverCountsWrong = newValue } }
  }

  /// The server gave one identity (EMAILID, X-GM-MSGID) to messages that differ: in this run it proves nothing.
  var distrustsIdentities: Bool { findings.withLock { $0.distrustsIdentities } }

  /// - Returns: whether it was trusted before.
  func distrustIdentities() -> Bool {
    findings.withLock { findings in
      defer { findings.distrustsIdentities = true }
      return !findings.distrustsIdentities
    }
  }

  /// The server is known to show only the newest messages of a mailbox.
  var viewIsPartial: Bool {
    get { findings.withLock { $0.viewIsPartial } }
    set { findings.withLock { $0.viewIsPartial = newValue } }
  }

  /// Of so many messages the server may show only the newest of a mailbox.
  var viewLimits: [Int] {
    get { findings.withLock { $0.viewLimits } }
    set { findings.withLock { $0.viewLimits = newValue } }
  }

  /// Messages that the server has, and that could not be fetched in this run.
  var undelivered: [UndeliveredMessage] { findings.withLock { $0.undelivered } }
  func noteUndelivered(_ messages: [UndeliveredMessage]) {
    findings.withLock { $0.undelivered += messages }
  }

  /// Who answered in this run.
  var server: KnownServer? {
    get { findings.withLock { $0.server } }
    set { findings.withLock { $0.server = newValue } }
  }

  /// Content hashes of messages that were deleted here, and went to Trash in this run.
  var trashed: Set<ContentHash> { findings.withLock { $0.trashed } }

  /// Of these, those that were deleted here: they have no file any more.
  func noteTrashed(_ transfers: some Sequence<PushStep>) {
    let deleted = transfers.filter { $0.record.name.isEmpty && $0.record.contentHash != .unknown }
    findings.withLock { $0.trashed.formUnion(deleted.map(\.record.contentHash)) }
  }

  /// Called with every commit: a run that never called it leaves no trace behind.
  func noteChange() { findings.withLock { $0.hasChangedState = true } }
  var hasChangedState: Bool { findings.withLock { $0.hasChangedState } }

  /// All of it is on disk when this returns, or none; and the run is one that changed the state.
  func write(_ changes: (StateTransaction) throws -> Void) throws(StateError) {
    try state.transaction(changes)
    noteChange()
  }

  /// Of one mailbox: in Drafts everything comes whole.
  func stubLimit(in mailbox: MailboxKey) throws -> Int64? {
    guard let onDemand else { return nil }
    let drafts = FolderRoles(try state.mailboxes()).drafts
    return drafts.contains(mailbox) ? nil : onDemand
  }

  // MARK: Problems

  func note(_ problem: RunProblem) {
    let isTold = findings.withLock {
      guard $0.tally.admits(problem) else { return false }
      $0.problems.append(problem)
      return true
    }
    if isTold { observer.noticed(problem, account: account) }
  }

  /// At the end: with a line for each kind that there was too much of.
  func takeProblems() -> [RunProblem] {
    let (told, rest) = findings.withLock { findings in
      defer { findings.problems = [] }
      return (findings.problems, findings.tally.takeRest())
    }
    for problem in rest { observer.noticed(problem, account: account) }
    return told + rest
  }

  /// Work on one mailbox or folder: what fails there is told, and the others go on.
  ///
  /// - Throws: only what concerns the whole run.
  func sparing(_ mailbox: String, _ work: () throws -> Void) throws {
    do {
      try work()
    } catch {
      guard case .mailbox = RunFailure(error) else { throw error }
      note(RunProblem(error, mailbox: mailbox))
    }
  }

  func checkInterrupt() throws(SyncError) {
    if interrupt.isTriggered { throw .interrupted }
  }
}
