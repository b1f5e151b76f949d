import Ledger
import Maildir

extension FolderRelocation {
  /// The mailbox after it; nil where the state is another than that it was written to.
  package func applied(to mailboxes: [MailboxRecord]) -> MailboxRecord? {
    guard var record = mailboxes.first(where: { $0.id == mailbox }),
      FolderPath(text: old).map(record.lies) == true,
      !mailboxes.contains(where: { $0.id != mailbox && $0.name == name })
    else { return nil }
    record.name = name
    record.rawName = rawName
    record.delimiter = delimiter
    record.isGone = isGone
    record.folder = new
    return record
  }

  /// Where a companion's folder lies after the move; nil where the paths are none.
  package func place(of companion: Companion) -> FolderPath? {
    guard let home = FolderPath(text: companion.home), let old = FolderPath(text: old),
      let new = FolderPath(text: new)
    else { return nil }
    return FolderPath(
      components: new.components + home.components.dropFirst(old.components.count))
  }
}
