import Ledger
import MailCore
import Maildir
import SyncPlan

/// One folder held against its mailbox's records.
package struct FolderFindings: Sendable {
  package var mailbox: MailboxKey
  package var folder: FolderPath
  package var marks: [ChangedMarks] = []
  package var missing: [MessageRecord] = []
  package var edited: [EditedMessage] = []
  /// Under their names, with more or less of the message than the ledger says.
  package var otherForms: [MovedMessage] = []
  package var unknown: [MessageFile] = []
  /// Messages that ought to have a file here.
  package var expected = 0
  /// Taken before the folder was read; nil where nothing was read.
  package var stamp: FolderStamp?
  /// Every file's size and time were compared.
  package var isCompared = false
  /// Which directories it is; nil where nothing was read.
  package var identity: FolderIdentity?
  /// Wall clock in nanoseconds before anything was read.
  package var began: Int64 = 0

  package init(mailbox: MailboxKey, folder: FolderPath) {
    self.mailbox = mailbox
    self.folder = folder
  }

  package var isQuiet: Bool {
    marks.isEmpty && missing.isEmpty && edited.isEmpty && otherForms.isEmpty && unknown.isEmpty
  }
}
