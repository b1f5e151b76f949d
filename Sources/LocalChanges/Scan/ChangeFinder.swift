import Foundation
import Ledger
import MailCore
import Maildir
import State
import SyncPlan

/// Scans an account's tree against its state: what a push has to carry out. Changes nothing in either.
package struct ChangeFinder {
  let tree: AccountTree
  let policy: MaildirPolicy
  let state: StateStore
  /// Mailboxes to look at: on the server as far as is known, with a folder that the state can be held against.
  let mailboxes: [MailboxRecord]
  /// The folders of all mailboxes, looked at or not.
  let homes: [FolderPath]
  /// Also compare every file's size and time where the directory did not change.
  let comparesAll: Bool
  let checkInterrupt: () throws -> Void

  /// In-place edits leave no other trace: a look at every file at least once a day.
  private static let compareEvery: Int64 = 24 * 3600
  private static let tries = 4

  package init(
    tree: AccountTree, policy: MaildirPolicy, state: StateStore, mailboxes: [MailboxRecord],
    homes: [FolderPath] = [], comparesAll: Bool = false,
    checkInterrupt: @escaping () throws -> Void = {}
  ) {
    self.tree = tree
    self.policy = policy
    self.state = state
    self.mailboxes = mailboxes
    self.homes = homes
    self.comparesAll = comparesAll
    self.checkInterrupt = checkInterrupt
  }

  /// Repeats a scan that raced with a mail reader. Where readers never rest, what was found stands, and nothing is
  /// concluded from what was not (DESIGN promise 4).
  package func find() throws -> TreeChanges {
    var tried = 1
    while true {
      try checkInterrupt()
      let isLast = tried == Self.tries
      do {
        let pass = try ScanPass(self, skipsRaced: isLast)
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

  /// Whether the folder is as it was when nothing in it was pending.
  func isPassedOver(_ folder: MaildirFolder, _ scan: PushScan?, now: Int64) throws -> Bool {
    guard !comparesAll, let scan, scan.newModified != 0,
      now / 1_000_000_000 - scan.compared < Self.compareEvery
    else { return false }
    let earlier = FolderStamp(
      newModified: scan.newModified, curModified: scan.curModified, newInode: scan.newInode,
      curInode: scan.curInode, isNewSettled: true, isCurSettled: true)
    return try folder.stamp().provesUnchanged(since: earlier)
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
