import Foundation
import Ledger
import MailCore
import Maildir
import State
import SyncPlan

/// What is known of an account's tree to those who work in it without a run: who queues mail, and who sends it.
package struct TreePast: Sendable {
  private let root: String
  private let path: String
  private let witness: TreeWitness

  /// - Parameters:
  ///   - root: the tree's root, absolute.
  ///   - account: its directory's name.
  package init(
    root: String, account: String,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    self.root = root
    path = root + "/" + account
    witness = TreeWitness(accountPath: path, environment: environment)
  }

  /// - Throws: `SyncError.treeVanished` where the tree lies on a disk that is not mounted now.
  package func checkMount() throws { try witness.checkMount(path: path, root: root) }

  /// Whether a tree that runs have kept lies no longer in its place: what is put there now is seen by none.
  package var isMoved: Bool { witness.knowsRuns && access(path, F_OK) != 0 }

  /// To be called by those who made the tree without a run, so that ``checkMount()`` can tell from then on.
  package func remember() { witness.begin(accountPath: path, root: root) }

  /// Whether the tree was restored, moved or copied since a run knew it, so that what it has queued may have been sent
  /// meanwhile: by its state and its witness, or because a run that has adopted it since left word of it. Takes no lock.
  package var wasRestored: Bool {
    guard let tree = try? AccountTree.openExisting(path: path) else { return false }
    if access(RestoreMark.path(tree), F_OK) == 0 { return true }
    let state = tree.control.path + "/state.db"
    guard access(state, F_OK) == 0 else {
      return access(tree.control.path + "/state.backup.db", F_OK) == 0
    }
    do throws(StateError) {
      let store = try StateStore(path: state, durable: false, readOnly: true)
      defer { store.shut() }
      let opening = StateOpening(tree: tree, witness: witness, durable: false)
      if try opening.isUnbegun(store) { return false }
      return try opening.mismatch(store) != nil
    } catch {
      if case .damaged = error { return true }
      return false
    }
  }

  /// All that was queued is parked now.
  package func noted() {
    guard let tree = try? AccountTree.openExisting(path: path) else { return }
    unlink(RestoreMark.path(tree))
  }
}
