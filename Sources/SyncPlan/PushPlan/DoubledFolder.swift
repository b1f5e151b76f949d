import Ledger
import MailCore

/// A folder that stands for a mailbox which has another: by hand two names can be given that mean one. Nothing of it is
/// sent, since it would replace what is in the other.
package struct DoubledFolder: Sendable, Equatable {
  package var folder: FolderPath
  package var mailbox: String
  /// The mailbox's own folder.
  package var other: String

  /// - Parameter home: the mailbox that has a folder of its own.
  package init(folder: FolderPath, of home: MailboxRecord) {
    self.folder = folder
    mailbox = home.name
    // INBOX may be the account's own directory.
    other = home.folder == .account ? home.name : home.folder.text
  }

  /// How it is reported.
  package var problem: RunProblem {
    // Swift's strings are equal where the characters are, however they are put together.
    let hint = other == folder.text ? " (its accents are characters of their own, or not)" : ""
    return RunProblem(
      mailbox: mailbox,
      problem:
        "Two folders stand for one mailbox, “\(other.visible)” and “\(folder.text.visible)”\(hint): "
        + "nothing of what is in “\(folder.text.visible)” is sent.",
      remedy:
        "Rename “\(folder.text.visible)”, or move its mail to “\(other.visible)” and remove it.")
  }
}
