import MailCore

/// A mailbox's new name and all that comes with it: the server renames the mailboxes below with it, and their folders
/// move accordingly.
///
/// In the journal from before a push asks for it until the state has the new names, or the server refused.
package struct MailboxRename: Equatable, Sendable {
  package struct Change: Codable, Equatable, Sendable {
    package var mailbox: MailboxKey
    package var name: String
    /// Where its folder belongs from now on.
    package var folder: FolderPath
    /// The person left it at its old place.
    package var isToMove = false
    /// Which directory lies there, where it is to move: its `cur`'s inode.
    package var inode: Int64?

    package init(mailbox: MailboxKey, name: String, folder: FolderPath) {
      self.mailbox = mailbox
      self.name = name
      self.folder = folder
    }
  }

  /// The mailbox itself, then those below it.
  package var changes: [Change]

  package init(changes: [Change]) { self.changes = changes }
}
