import Foundation
import Ledger
import MailCore
import Maildir
import State
import SyncPlan

/// Scans an account's tree against its state: what a push has to carry out. Changes nothing in either.
package struct ChangeFinder {
  private let scope: ScanScope
  private static let tries = 4

  /// - Parameters:
  ///   - mailboxes: those to look at: on the server as far as is known, with a folder that the state can be held against.
  ///   - homes: the folders of all mailboxes, looked at or not.
  ///   - comparesAll: also compare every file's size and time where the directory did not change.
  ///   - compared: the folders in which to do so all the same; nil: all.
  package init(
    tree: AccountTree, policy: MaildirPolicy, state: StateStore, mailboxes: [MailboxRecord],
    homes: [FolderPath] = [], comparesAll: Bool = false, compared: Set<FolderPath>? = [],
    checkInterrupt: @escaping () throws -> Void = {}
  ) {
    scope = ScanScope(
      tree: tree, policy: policy, state: state, mailboxes: mailboxes, homes: homes,
      comparesAll: comparesAll, compared: compared, checkInterrupt: checkInterrupt)
  }

  /// Repeats a scan that raced with a mail reader. Where readers never rest, what was found stands, and nothing is
  /// concluded from what was not (promise 4).
  package func find() throws -> TreeChanges {
    var tried = 1
    while true {
      try scope.checkInterrupt()
      let isLast = tried == Self.tries
      do {
        let pass = try ScanPass(scope, skipsRaced: isLast)
        var changes = try pass.changes()
        let isRaced = try pass.isRaced(changes)
        if !isRaced { return changes }
        if isLast {
          changes.distrust()
          return changes
        }
      } catch is FolderComparison.Raced where !isLast {
        // again
      }
      usleep(20_000 * UInt32(tried))
      tried += 1
    }
  }
}

extension TreeChanges {
  /// Keeps only what was seen: nothing that follows from a file's absence, and no upload of what may be a move.
  mutating func distrust() {
    isRaced = true
    gone = []
    moved = []
    renamed = []
    renamedFolders = []
    goneFolders = []
    newIdentities = [:]
    isEmptied = false
    looked = []
    new = []
    twins = []
    scans = []
  }
}
