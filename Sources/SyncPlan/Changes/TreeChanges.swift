import Ledger
import MailCore
import Maildir

/// Everything done in the tree since the last agreement, as a scan found it.
package struct TreeChanges: Sendable {
  package var marks: [ChangedMarks] = []
  /// To another folder, by whatever name.
  package var moved: [MovedMessage] = []
  /// A new base name in the same folder: nothing that the server need know.
  package var renamed: [MovedMessage] = []
  package var edited: [EditedMessage] = []
  /// In no folder of the account.
  package var gone: [MissingMessage] = []
  /// Unknown to the ledger, to be sent.
  package var new: [UnknownFile] = []
  /// Repeats a message of its own folder.
  package var surplus: [UnknownFile] = []
  /// New, and the equal of another new one of its folder, which is sent for both.
  package var twins: [UnknownFile] = []
  /// Names, by hash, of `gone` messages that other files have.
  package var namesakes: Set<NameHash> = []
  /// Files that are unknown to the ledger and cannot be read: any of them may be a message that seems to be gone.
  package var unreadable: [String] = []
  /// Folders that could not be looked into: what seems to be gone or new may have been moved from or to there.
  package var unreadFolders: [String] = []
  /// Directories that hold mail and have names that are no UTF-8.
  package var unnamedFolders: [String] = []
  /// Directories that are no folder of the layout, where some of `gone` may lie.
  package var hidingPlaces: [String] = []
  /// Whole Maildirs that are no mailbox's.
  package var newFolders: [FolderPath] = []
  /// Folders that are another mailbox's under a new name.
  package var renamedFolders: [RenamedFolder] = []
  /// Mailboxes whose folder is not there any more.
  package var goneFolders: [MailboxKey] = []
  /// Which directories folders are, where that is not what the state has.
  package var newIdentities: [MailboxKey: FolderIdentity] = [:]
  /// Mailboxes whose folders are other directories than when the state last saw them.
  package var replacedFolders: Set<MailboxKey> = []
  /// Mailboxes whose folder is an empty directory: it looks as if a disk is not mounted there.
  package var unmountedFolders: [MailboxKey] = []
  /// How many of their messages lie in other folders, moved there or copied.
  package var unmountedElsewhere: [MailboxKey: Int] = [:]
  /// Mailboxes of which `gone` tells all.
  package var looked: Set<MailboxKey> = []
  /// Messages that ought to have a file, for each mailbox that was read.
  package var expected: [MailboxKey: Int] = [:]
  /// Of all that was synced nothing is left, in no folder: as if this were another tree.
  package var isEmptied = false
  /// Readers were at work all the time: nothing is concluded from what was not found.
  package var isRaced = false
  /// Folders without anything pending, to be passed over next time.
  package var scans: [PushScan] = []
  /// Folders where something waits, and that an earlier scan would pass over: a file was written in place.
  package var outdatedScans: Set<MailboxKey> = []

  package init() {}

  package struct RenamedFolder: Sendable, Hashable {
    package var mailbox: MailboxKey
    package var folder: FolderPath

    package init(mailbox: MailboxKey, folder: FolderPath) {
      self.mailbox = mailbox
      self.folder = folder
    }
  }

  package var isEmpty: Bool {
    marks.isEmpty && moved.isEmpty && renamed.isEmpty && edited.isEmpty && gone.isEmpty
      && new.isEmpty && surplus.isEmpty && newFolders.isEmpty && renamedFolders.isEmpty
      && goneFolders.isEmpty && unmountedFolders.isEmpty
  }
}
