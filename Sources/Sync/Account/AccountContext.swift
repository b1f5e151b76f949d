import Foundation
import MailCore
import Maildir
import State
import Transport

/// What all mailboxes of one run share. Safe from any thread.
final class AccountContext: Sendable {
  let account: String
  let tree: AccountTree
  let policy: MaildirPolicy
  let state: StateStore
  let observer: any RunObserver
  let interrupt: Interrupt
  /// The tree does not match the state (a restore, a lost state): what is missing is downloaded, nothing counts as
  /// deleted.
  let isAdopting: Bool
  /// Unix seconds at the start of the run.
  let started: Int64
  let underWay = MessagesUnderWay()
  /// While adopting: all files of the account by base name.
  let elsewhere: TreeNames
  private let lock = NSLock()
  nonisolated(unsafe) private var problems: [RunProblem] = []  // behind `lock`
  nonisolated(unsafe) private var changedState = false  // behind `lock`
  nonisolated(unsafe) private var wrongSizes = false  // behind `lock`

  init(
    account: String, tree: AccountTree, policy: MaildirPolicy, state: StateStore,
    observer: any RunObserver, interrupt: Interrupt, isAdopting: Bool, started: Int64
  ) throws {
    self.account = account
    self.tree = tree
    self.policy = policy
    self.state = state
    self.observer = observer
    self.interrupt = interrupt
    self.isAdopting = isAdopting
    self.started = started
    elsewhere = isAdopting ? try TreeNames(tree: tree, layout: policy.layout) : TreeNames()
  }

  /// The server announces sizes that are not the messages': they prove nothing.
  var serverCountsWrong: Bool {
    get { lock.withLock { wrongSizes } }
    set { lock.withLock { wrongSizes = newValue } }
  }

  func note(_ problem: RunProblem) {
    lock.withLock { problems.append(problem) }
    observer.noticed(problem, account: account)
  }

  func takeProblems() -> [RunProblem] {
    lock.withLock {
      defer { problems = [] }
      return problems
    }
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

  /// Waits until nobody has it in hand, at most `seconds`.
  func wait(for identity: String, seconds: Double) {
    let limit = Date(timeIntervalSinceNow: seconds)
    condition.withLock {
      while identities.contains(identity), condition.wait(until: limit) {}
    }
  }
}
