import Ledger
import MailCore
import Maildir

/// A folder that stands for a mailbox which has another: by hand two names can be given that mean one. Nothing of it is
/// sent, since it would take the other's place.
package struct DoubledFolder: Sendable, Equatable {
  package var folder: FolderPath
  package var mailbox: String
  /// The mailbox's own folder.
  package var other: String

  init(folder: FolderPath, of home: MailboxRecord) {
    self.folder = folder
    mailbox = home.name
    // INBOX may be the account's own directory.
    other = home.folder.isEmpty ? home.name : home.folder
  }

  var problem: RunProblem {
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

extension PushPlanner {
  /// The mailbox that a folder of none is to become; nil where it may not, or where another folder stands for it.
  func mailboxToBe(_ folder: FolderPath) -> String? {
    guard let name = nameOfNewFolder(folder), !MailboxName(name, delimiter: nil).isInbox,
      home(of: name, besides: folder) == nil
    else { return nil }
    return name
  }

  func doubled(_ folder: FolderPath) -> DoubledFolder? {
    guard let name = nameOfNewFolder(folder), let home = home(of: name, besides: folder) else {
      return nil
    }
    return DoubledFolder(folder: folder, of: home)
  }

  /// The mailbox of this name, where another folder is its own.
  private func home(of name: String, besides folder: FolderPath) -> MailboxRecord? {
    mailboxes.first {
      !$0.isGone && $0.name == name && FolderPath(text: $0.folder) != folder && hasFolder($0)
    }
  }
}
