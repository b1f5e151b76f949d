import GRDB
import Ledger

/// Journals of folders and mailboxes that get other names. There is one entry at a time, or none.
extension StateStore {
  /// The rename that a push is asking the server for, or was when it was cut off.
  package func renameUnderWay() throws(StateError) -> MailboxRename? {
    let changes = try read { try MailboxRename.Change.order(sql: "rowid").fetchAll($0) }
    return changes.isEmpty ? nil : MailboxRename(changes: changes)
  }

  /// The folder that is about to be moved after its mailbox.
  package func relocationUnderWay() throws(StateError) -> FolderRelocation? {
    try read { db in
      var relocation = try FolderRelocation.fetchOne(db)
      relocation?.companions = try FolderRelocation.Companion.order(sql: "rowid").fetchAll(db)
      return relocation
    }
  }
}

extension StateTransaction {
  /// - Parameter rename: nil where it is done, or the server did not do it.
  package func setRename(_ rename: MailboxRename?) throws {
    try MailboxRename.Change.deleteAll(db)
    for change in rename?.changes ?? [] { try change.insert(db) }
  }

  /// - Parameter relocation: nil where it is done, or cannot be.
  package func setRelocation(_ relocation: FolderRelocation?) throws {
    try FolderRelocation.deleteAll(db)
    try FolderRelocation.Companion.deleteAll(db)
    try relocation?.insert(db)
    for companion in relocation?.companions ?? [] { try companion.insert(db) }
  }
}
