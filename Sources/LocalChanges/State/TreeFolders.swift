import Ledger
import Maildir
import State

/// The folders of an account by what they are for, as the last run heard it from the server.
package enum TreeFolders {
  /// Below the account's directory; nil where the account was never pulled, or its server names no such mailbox.
  /// Takes no lock.
  ///
  /// - Parameter use: `sent`, `drafts` …
  package static func path(of use: String, account path: String) -> String? {
    mailbox(of: use, account: path)?.folder
  }

  /// The mailbox's name, as ``path(of:account:)`` finds its folder.
  package static func name(of use: String, account path: String) -> String? {
    mailbox(of: use, account: path)?.name
  }

  private static func mailbox(of use: String, account path: String) -> MailboxRecord? {
    guard let tree = try? AccountTree.openExisting(path: path),
      let store = try? StateStore(
        path: tree.control.path + "/state.db", durable: false, readOnly: true)
    else { return nil }
    defer { store.shut() }
    return try? store.mailboxes().first { $0.specialUse == use && !$0.isGone }
  }
}
