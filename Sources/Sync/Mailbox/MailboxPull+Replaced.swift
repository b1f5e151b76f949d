import Ledger
import MailCore
import Maildir
import State
import SyncPlan

extension MailboxPull {
  /// The folder is another directory than when it was last seen, which the next push could not tell any more: that
  /// messages are missing in it waits for a word (promise 4). Those that lie elsewhere, the push takes for moved.
  ///
  /// - Returns: with what is held back already; nil where nothing is to be added to that.
  func holdIfReplaced(_ identity: FolderIdentity, _ stamp: FolderStamp) throws -> DeletionHold? {
    let known = try context.state.folderIdentity(of: mailboxID)
    let isReplaced = known.map { $0 != identity.rawValue } ?? record.hasOtherInodes(than: stamp)
    guard isReplaced, !context.isRehearsal else { return nil }
    let scan = try FolderScan.read(local.folder)
    var missing: [UID] = []
    try context.state.forEachMessage(in: mailboxID) { message in
      guard !message.isPruned, !message.traits.contains(.expunged),
        scan.find(base: message.name) == nil
      else { return }
      missing.append(message.uid)
    }
    guard !missing.isEmpty else { return nil }
    let uids = UIDSet(missing)
    guard var hold = try context.state.deletionHolds().first(where: { $0.mailbox == mailboxID })
    else {
      return DeletionHold(
        mailbox: mailboxID, cause: .replaced, count: uids.count, total: uids.count, uids: uids)
    }
    guard let before = hold.uids, before.union(uids) != before else { return nil }
    hold.uids = before.union(uids)
    return hold
  }
}
