import Ledger
import MailCore
import Maildir
import State

/// What is scanned, and how.
struct ScanScope {
  let tree: AccountTree
  let policy: MaildirPolicy
  let state: StateStore
  /// Mailboxes to look at: on the server as far as is known, with a folder that the state can be held against.
  let mailboxes: [MailboxRecord]
  /// The folders of all mailboxes, looked at or not.
  let homes: [FolderPath]
  /// Also compare every file's size and time where the directory did not change.
  let comparesAll: Bool
  /// Folders where files may have been written anew; nil: all.
  let compared: Set<FolderPath>?
  let checkInterrupt: () throws -> Void

  /// In-place edits leave no other trace: a look at every file at least once a day.
  private static let compareEvery: Int64 = 24 * 3600

  /// Whether the folder is as it was when nothing in it was pending.
  func isPassedOver(_ folder: MaildirFolder, _ scan: PushScan?, now: Int64) throws -> Bool {
    guard !comparesAll, compared?.contains(folder.path) == false, let scan, scan.newModified != 0,
      now / 1_000_000_000 - scan.compared < Self.compareEvery
    else { return false }
    return try folder.stamp().provesUnchanged(since: FolderStamp(scan))
  }
}

extension FolderStamp {
  /// Of the folder when it was scanned.
  init(_ scan: PushScan) {
    self.init(
      newModified: scan.newModified, curModified: scan.curModified, newInode: scan.newInode,
      curInode: scan.curInode, isNewSettled: true, isCurSettled: true)
  }
}
