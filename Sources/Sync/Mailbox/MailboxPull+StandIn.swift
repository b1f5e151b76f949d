import MailCore
import Maildir
import State

extension MailboxPull {
  /// A mailbox whose record is new in a tree that holds mail may have a folder that a pull would not give it: one that a
  /// person named, and a push made a mailbox of. What lies there is matched, not downloaded again.
  func takeStandIn() throws {
    guard record.needsAdoption, record.uidValidity == 0, !record.mailboxName.isInbox,
      try !context.holdsFolder(record.folderPath())
    else { return }
    let taken = Set(
      try context.state.mailboxes().filter { $0.id != mailboxID }.map(\.folder))
    let layout = Maildir.FolderLayout(
      style: context.policy.layout, traits: try context.tree.traits())
    let standIn = try context.tree.readableFolders(context.policy.layout).folders.first { path in
      let name = layout.mailbox(at: path, delimiter: record.delimiter?.first)
      return try name == record.mailboxName && !taken.contains(path.text)
        && context.holdsFolder(path)
    }
    guard let standIn else { return }
    record.folder = standIn.text
    try context.state.save(&record)
    context.noteChange()
  }
}
