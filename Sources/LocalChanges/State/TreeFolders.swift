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
    guard let tree = try? AccountTree.openExisting(path: path),
      let store = try? StateStore(
        path: tree.control.path + "/state.db", durable: false, readOnly: true)
    else { return nil }
    defer { store.shut() }
    return try? store.mailboxes().first { $0.specialUse == use && !$0.isGone }?.folder
  }
}
