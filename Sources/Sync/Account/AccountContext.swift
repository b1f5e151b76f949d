import Foundation
import IMAPClient
import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan
import Transport

/// What all mailboxes of one run share. Safe from any thread.
final class AccountContext: Sendable {
  let account: String
  let tree: AccountTree
  let policy: MaildirPolicy
  let state: StateStore
  let observer: any RunObserver
  let interrupt: Interrupt
  /// Unix seconds at the start of the run.
  let started: Int64
  let underWay = MessagesUnderWay()
  /// The state is being made anew over a tree that holds mail.
  let adoptsNewMailboxes: Bool
  /// A dry run: the state is a copy, and nothing in the tree is touched.
  let isRehearsal: Bool
  /// A person said that what the server shows no longer is gone, however much it is.
  let allowsMassDelete: Bool
  /// Some mailbox is matched anew with the tree.
  let isAdopting: Bool
  /// While adopting: all files of the account by base name.
  let elsewhere: TreeNames
  private let lock = NSLock()
  nonisolated(unsafe) private var problems: [RunProblem] = []  // guarded by `lock`
  nonisolated(unsafe) private var tally = ProblemTally()  // guarded by `lock`
  nonisolated(unsafe) private var changedState = false  // guarded by `lock`
  nonisolated(unsafe) private var wrongSizes = false  // guarded by `lock`
  nonisolated(unsafe) private var wrongIdentities = false  // guarded by `lock`
  nonisolated(unsafe) private var partialView = false  // guarded by `lock`
  nonisolated(unsafe) private var leftOut: Set<Int64> = []  // guarded by `lock`
  nonisolated(unsafe) private var missed = false  // guarded by `lock`
  nonisolated(unsafe) private var metServer: KnownServer?  // guarded by `lock`
  nonisolated(unsafe) private var renamedFolders = ForeseenFolders()  // guarded by `lock`
  private let carriedLock = NSLock()
  nonisolated(unsafe) private var carried: CarriedFiles?  // guarded by `carriedLock`

  init(
    account: String, tree: AccountTree, policy: MaildirPolicy, state: StateStore,
    observer: any RunObserver, interrupt: Interrupt, started: Int64, isRehearsal: Bool = false,
    allowsMassDelete: Bool = false
  ) throws {
    self.isRehearsal = isRehearsal
    self.allowsMassDelete = allowsMassDelete
    self.account = account
    self.tree = tree
    self.policy = policy
    self.state = state
    self.observer = observer
    self.interrupt = interrupt
    self.started = started
    let adoptsNew = try state.fact(Fact.adoptsNewMailboxes) != nil
    let adopts = try adoptsNew || state.mailboxes().contains { $0.needsAdoption }
    isAdopting = adopts
    elsewhere = adopts ? try TreeNames(tree: tree, layout: policy.layout) : TreeNames()
    adoptsNewMailboxes = adoptsNew
  }

  /// Mailboxes that a pull leaves out: an interrupted push had something under way there, and nobody can look.
  var unsettled: Set<Int64> {
    get { lock.withLock { leftOut } }
    set { lock.withLock { leftOut = newValue } }
  }

  /// Not every mailbox was visited: a message that is gone from one may be in another that this run does not know of.
  var missesMailboxes: Bool {
    get { lock.withLock { missed || !leftOut.isEmpty } }
    set { lock.withLock { missed = newValue } }
  }

  /// The server announces sizes that are not the messages': they prove nothing.
  var serverCountsWrong: Bool {
    get { lock.withLock { wrongSizes } }
    set { lock.withLock { wrongSizes = newValue } }
  }

  /// The server gave one identity (EMAILID, X-GM-MSGID) to messages that differ: in this run it proves nothing.
  var distrustsIdentities: Bool { lock.withLock { wrongIdentities } }

  /// - Returns: whether it was trusted before.
  func distrustIdentities() -> Bool {
    lock.withLock {
      defer { wrongIdentities = true }
      return !wrongIdentities
    }
  }

  /// The server is known to show only the newest messages of a mailbox.
  var viewIsPartial: Bool {
    get { lock.withLock { partialView } }
    set { lock.withLock { partialView = newValue } }
  }

  /// Who answered in this run.
  var server: KnownServer? {
    get { lock.withLock { metServer } }
    set { lock.withLock { metServer = newValue } }
  }

  var foreseen: ForeseenFolders { lock.withLock { renamedFolders } }

  func foreseeing(_ change: (inout ForeseenFolders) -> Void) {
    lock.withLock { change(&renamedFolders) }
  }

  /// Nil where no new messages had to be matched.
  var carriedIfRead: CarriedFiles? { carriedLock.withLock { carried } }

  /// Read when new messages are first to be matched.
  func carriedFiles() throws -> CarriedFiles {
    try carriedLock.withLock {
      if let carried { return carried }
      let read = try CarriedFiles(tree: tree, layout: policy.layout, state: state)
      carried = read
      return read
    }
  }

  func note(_ problem: RunProblem) {
    let isTold = lock.withLock {
      guard tally.admits(problem) else { return false }
      problems.append(problem)
      return true
    }
    if isTold { observer.noticed(problem, account: account) }
  }

  /// At the end: with a line for each kind that there was too much of.
  func takeProblems() -> [RunProblem] {
    let (told, rest) = lock.withLock {
      defer { problems = [] }
      return (problems, tally.takeRest())
    }
    for problem in rest { observer.noticed(problem, account: account) }
    return told + rest
  }

  /// Called with every commit: a run that never called it leaves no trace behind.
  func noteChange() { lock.withLock { changedState = true } }
  var hasChangedState: Bool { lock.withLock { changedState } }

  func checkInterrupt() throws(SyncError) {
    if interrupt.isTriggered { throw .interrupted }
  }
}

/// Messages that some connection is downloading, by their identity across mailboxes, so that no other downloads
/// them too.
final class MessagesUnderWay: Sendable {
  private let condition = NSCondition()
  nonisolated(unsafe) private var identities: Set<String> = []  // behind `condition`

  /// False when another connection has it in hand.
  func claim(_ identity: String) -> Bool {
    condition.withLock { identities.insert(identity).inserted }
  }

  func release(_ released: some Sequence<String>) {
    condition.withLock {
      identities.subtract(released)
      condition.broadcast()
    }
  }

  /// Waits until nobody has it in hand, at most `seconds`, and not beyond an interrupt.
  func wait(for identity: String, seconds: Double, interrupt: Interrupt) {
    let limit = Date(timeIntervalSinceNow: seconds)
    condition.withLock {
      while identities.contains(identity), !interrupt.isTriggered, Date() < limit {
        _ = condition.wait(until: Date(timeIntervalSinceNow: 0.1))
      }
    }
  }
}
