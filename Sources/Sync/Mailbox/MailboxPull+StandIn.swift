import Ledger
import MailCore
import Maildir
import Settings
import State
import SyncPlan

extension MailboxPull {
  /// In a tree that is matched anew a mailbox may have a folder that a pull would not give it: one that a person named,
  /// and a push made a mailbox of, or one whose name another system spells in its own way. What lies there is matched,
  /// not downloaded again.
  func takeStandIn() throws {
    guard record.needsAdoption, !record.mailboxName.isInbox,
      try !context.folders.holds(record.folderPath())
    else { return }
    let taken = Set(try context.state.mailboxes().map { try $0.folderPath() })
    let layout = Maildir.FolderLayout(
      style: context.policy.layout, traits: try context.tree.traits())
    let prefix = try NamePrefix(context.state)
    let standIn = try context.tree.readableFolders(context.policy.layout).folders.first { path in
      // One that was spelled out is whole as it is; of others the accents may be put together otherwise.
      let name = layout.mailbox(at: path, delimiter: record.delimiter?.first)
      let names = [name, name.map(prefix.full)].compactMap(\.self)
      return try (names + names.filter { !$0.isSpelled }.map(\.reading)).contains(
        record.mailboxName)
        && !taken.contains(path)
        && context.folders.holds(path)
    }
    guard let standIn else { return }
    record.folder = standIn.text
    try context.state.save(&record)
    context.noteChange()
  }
}
