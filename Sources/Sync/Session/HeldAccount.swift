import Foundation
import LocalChanges
import Maildir
import Remote
import State
import SyncPlan

/// The account as long as this process has it to itself: its tree, its lock, and its state once a run has opened that.
final class HeldAccount {
  private let run: AccountRun
  private var open: Open?

  private struct Open {
    let tree: AccountTree
    let lock: RunLock
    /// Set once the tree was found to be writable.
    var state: StateStore?
  }

  init(_ run: AccountRun) { self.run = run }

  /// Lets other processes have it.
  func release() {
    open?.state?.shut()
    open = nil
  }

  /// A pull makes what is missing of the tree; a push has nothing to do where none has been.
  func lock(_ kind: RunKind, since: String, isWholePull: Bool) throws
    -> (AccountTree, RunLock)
  {
    let witness = run.witness
    try witness.checkMount(path: run.path, root: run.root)
    if kind != .pull {
      try witness.checkTree(path: run.path)
      guard FileManager.default.fileExists(atPath: run.path + "/.mirror") else {
        throw PushError.neverPulled
      }
    }
    if let open {
      open.lock.noteBeginning(program: program(kind), since: since, isWholePull: isWholePull)
      return (open.tree, open.lock)
    }
    let tree =
      kind == .pull
      ? try AccountTree.open(path: run.path, create: true)
      : try AccountTree.openExisting(path: run.path)
    let lock = try turn(at: tree, kind, since: since, isWholePull: isWholePull)
    open = Open(tree: tree, lock: lock)
    return (tree, lock)
  }

  private func program(_ kind: RunKind) -> String {
    run.factory.kept == nil ? kind.program : kind.programOfWatch
  }

  /// The lock. A watch lets the account go after each of its runs, so beside one, and for one, a run waits for its turn.
  /// Of two runs that people or timers began, the second does not wait: it would do once more what the first does.
  private func turn(
    at tree: AccountTree, _ kind: RunKind, since: String, isWholePull: Bool
  ) throws -> RunLock {
    let end = ContinuousClock.now + Self.patience
    while true {
      do {
        return try tree.lock(program: program(kind), since: since, isWholePull: isWholePull)
      } catch {
        guard case .locked = error, ContinuousClock.now < end, run.witness.isWatched else {
          throw error
        }
        guard run.interrupt.wait(seconds: 0.05) else { throw SyncError.interrupted }
      }
    }
  }

  private static let patience = Duration.seconds(30)

  /// The state, opened or made anew where it is not open yet, and what is to be told of that.
  func state(in tree: AccountTree) throws -> (StateStore, notices: [RunProblem]) {
    if let state = open?.state { return (state, []) }
    let opened = try StateOpening(
      tree: tree, witness: run.witness, durable: run.account.sync.fsync
    ).open()
    open?.state = opened.store
    run.opened(opened.store)
    return (opened.store, opened.notices)
  }
}
