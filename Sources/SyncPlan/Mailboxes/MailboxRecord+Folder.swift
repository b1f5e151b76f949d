import Ledger
import MailCore
import Maildir

extension MailboxRecord {
  /// Between the levels of its name.
  package var separator: String { delimiter ?? "/" }

  /// The mailboxes below it, by name: those that the server has below it.
  package func below(among mailboxes: some Sequence<MailboxRecord>) -> [MailboxRecord] {
    let prefix = rawName + separator.utf8
    // One that is only foreseen has no raw name yet.
    return mailboxes.filter {
      $0.name.isBelow(name, separator)
        && (rawName.isEmpty || $0.rawName.isEmpty || $0.rawName.starts(with: prefix))
    }.sorted { $0.name < $1.name }
  }

  /// For a state in which an earlier program kept nothing else of a folder's directories.
  package func hasOtherInodes(than stamp: FolderStamp) -> Bool {
    curInode != 0 && (curInode != stamp.curInode || newInode != stamp.newInode)
  }
}

extension MailboxRecord {
  /// Made by a push, and not pulled yet.
  package var isNew: Bool { uidValidity == 0 && backwardCursor == 0 && !isGone && !needsAdoption }
  /// It is on the server as far as is known, and a pull has held the ledger against it: its UIDs mean messages.
  package var isMatched: Bool { !isGone && !needsAdoption && uidValidity != 0 }
  /// No pull left it half way: every file that the server sent has its record.
  package var isSettled: Bool { keepsNothing || !isDirty && !needsAdoption }
  package var isInbox: Bool { mailboxName.isInbox }
  /// By the server's mark. People and servers empty these; on Gmail, what lies there lies in no other mailbox.
  package var isTrashOrJunk: Bool {
    specialUse == SpecialUse.trash.rawValue || specialUse == SpecialUse.junk.rawValue
  }
}

extension Sequence<MailboxRecord> {
  package var byKey: [MailboxKey: MailboxRecord] {
    Dictionary(map { ($0.id, $0) }, uniquingKeysWith: { $1 })
  }
}

extension FolderStamp {
  /// The one that the record holds.
  package func isOf(_ record: MailboxRecord) -> Bool {
    newModified == record.newModified && curModified == record.curModified
      && newInode == record.newInode && curInode == record.curInode
  }
}
