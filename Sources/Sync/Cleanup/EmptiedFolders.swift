import Ledger
import LocalChanges
import MailCore
import Maildir
import Settings
import State
import SyncPlan

/// Folders of mailboxes that another client emptied and removed while the state was away: all that lies there was pulled from a
/// mailbox called so, and the server has it in other mailboxes. They are recorded as what they would be had the state been
/// there, folders of mailboxes that are gone: a push makes no mailboxes of them.
struct EmptiedFolders {
  let context: AccountContext
  /// Which mailboxes are mirrored.
  let folders: FolderPatterns

  func record() throws {
    guard context.adoptsNewMailboxes, !context.isRehearsal,
      try context.hasLookedIntoAll(of: folders)
    else { return }
    let records = try context.state.mailboxes()
    let known = Set(records.map(\.folder))
    let naming = try FolderNaming(
      tree: context.tree, policy: context.policy, folders: folders,
      mailboxes: records.filter { !$0.isGone }, state: context.state)
    let delimiter = records.lazy.compactMap(\.delimiter).first
    for path in try context.folders.all() where !known.contains(path) {
      guard let name = naming.name(path) else { continue }
      try context.sparing(path.text) {
        let mailbox = MailboxName(name, delimiter: delimiter?.first)
        let files = try movedAway(from: mailbox, at: path)
        guard !files.isEmpty else { return }
        try context.write { transaction in
          let record = try transaction.addMailbox(
            name: name, rawName: ModifiedUTF7.encode(name), delimiter: delimiter,
            folder: path
          ) { $0.isGone = true }
          try transaction.setSurplus(files, of: record.id)
        }
        context.note(RunProblem(PullNotice.movedOnServer(files.count), mailbox: name))
      }
    }
  }

  /// All files of the folder; none where one of them has come from elsewhere, or is here alone.
  private func movedAway(from mailbox: MailboxName, at path: FolderPath) throws -> [SurplusFile] {
    let local = try context.folders.local(at: path)
    let otherPlace = OtherPlace(context)
    var files: [SurplusFile] = []
    if mailbox.isInbox { return files }
    for file in try local.folder.files() {
      guard BirthName(base: file.base)?.isBorn(in: mailbox) == true,
        let digest = try local.digest(of: file),
        try otherPlace.holds(digest, besides: nil, countsStubs: true)
      else { return [] }
      files.append(SurplusFile(file, digest))
    }
    return files
  }
}
