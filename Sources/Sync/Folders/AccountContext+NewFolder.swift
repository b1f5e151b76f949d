import Ledger
import MailCore
import Maildir
import State
import SyncPlan

extension AccountContext {
  /// Opens a mailbox's folder, and makes what is missing of it.
  func makeFolder(of record: MailboxRecord) throws -> MaildirFolder {
    let path = record.folder
    if try !folders.holds(path) && state.holdsFiles(record.id) {
      if try tree.isBare(path) {
        throw SyncError.folderVanished(record.mailboxName, path: tree.path + "/" + path.text)
      }
      if !record.needsAdoption && !isRehearsal { try holdDeletions(of: record.id) }
    }
    if isRehearsal {
      return try folders.holds(path) ? folders.open(path) : MaildirFolder.absent(path, in: tree)
    }
    return try folders.make(of: record)
  }

  /// The folder is gone and is about to be made anew, which no push could see: that its messages are gone waits for a
  /// word (promise 4).
  private func holdDeletions(of id: MailboxKey) throws {
    let uids = try state.uids(.withFiles, in: id)
    let hold = DeletionHold(
      mailbox: id, cause: .folder, count: uids.count, total: uids.count,
      uids: uids.isEmpty ? nil : uids)
    let before = try state.deletionHolds().first { $0.mailbox == id }
    guard before.map({ $0.uids != nil && $0.uids != hold.uids }) ?? true else { return }
    try state.transaction { try $0.put(hold, at: started) }
    noteChange()
  }
}
