import Ledger
import MailCore
import Maildir
import State

/// What the folders of an account are for, as the last run heard it from the server. Takes no lock.
package enum TreeFolders {
  /// What each is for; empty where the account was never pulled.
  package static func uses(account path: String) -> [FolderPath: SpecialUse] {
    var uses: [FolderPath: SpecialUse] = [:]
    for mailbox in mailboxes(account: path) {
      uses[mailbox.folder] = mailbox.specialUse.flatMap(SpecialUse.init(rawValue:))
    }
    return uses
  }

  /// The mailbox for this use; nil where the account was never pulled, or its server names none.
  package static func mailbox(for use: SpecialUse, account path: String) -> MailboxRecord? {
    mailboxes(account: path).first { $0.specialUse == use.rawValue }
  }

  private static func mailboxes(account path: String) -> [MailboxRecord] {
    guard let tree = try? AccountTree.openExisting(path: path),
      let store = try? StateStore(
        path: tree.control.path + "/state.db", durable: false, readOnly: true)
    else { return [] }
    defer { store.shut() }
    return ((try? store.mailboxes()) ?? []).filter { !$0.isGone }
  }
}
