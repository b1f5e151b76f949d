import Ledger
import MailCore
import Maildir
import State

/// What the server of an account says that its folders are for, as the last run heard it.
package enum FolderUses {
  /// By the folder's path below the account's directory; empty where the account was never pulled. Takes no lock.
  package static func of(account path: String) -> [String: SpecialUse] {
    guard let tree = try? AccountTree.openExisting(path: path),
      let store = try? StateStore(
        path: tree.control.path + "/state.db", durable: false, readOnly: true)
    else { return [:] }
    defer { store.shut() }
    var uses: [String: SpecialUse] = [:]
    for mailbox in (try? store.mailboxes()) ?? [] where !mailbox.isGone {
      uses[mailbox.folder] = mailbox.specialUse.flatMap(SpecialUse.init(rawValue:))
    }
    return uses
  }
}
