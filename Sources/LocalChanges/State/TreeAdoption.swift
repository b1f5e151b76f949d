import Ledger
import Maildir
import State

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What is to be known of an account's state before another program's mail is put into its tree.
package enum TreeAdoption {
  /// Whether a pull knows mailboxes of this tree: what is put in from then on counts as new here.
  package static func wasPulled(_ tree: AccountTree) throws(StateError) -> Bool {
    let path = tree.control.path + "/state.db"
    guard access(path, F_OK) == 0 else {
      return access(tree.control.path + "/state.backup.db", F_OK) == 0
    }
    do throws(StateError) {
      let store = try StateStore(path: path, durable: false, readOnly: true)
      defer { store.shut() }
      return try !store.mailboxes().isEmpty
    } catch {
      if case .damaged = error { return true }
      throw error
    }
  }

  /// Has the first pull match what lies here, also where an earlier one that never got as far as the mailboxes found
  /// an empty tree. Call it under the account's lock, before anything is put in.
  package static func expectMail(in tree: AccountTree, durable: Bool) throws(StateError) {
    let path = tree.control.path + "/state.db"
    guard access(path, F_OK) == 0 else { return }
    let store = try StateStore(path: path, durable: durable)
    defer { store.shut() }
    guard try store.mailboxes().isEmpty else { return }
    try store.changeAccount { $0.adoptsNewMailboxes = true }
  }
}
