import Ledger
import MailCore
import Settings

/// What a push plan is made from, besides what was done in the tree.
package struct PushSituation {
  /// Every mailbox that the state knows.
  package var mailboxes: [MailboxRecord]
  package var deletions: DeletionPolicy
  package var allowsMassDelete: Bool
  /// What arrived before this moment leaves the tree by itself (Unix seconds); nil without a window of days.
  package var windowStart: Int64?
  /// The mailbox that a folder of no mailbox would become; nil where none may.
  package var nameOfNewFolder: (FolderPath) -> String?
  /// By the server's list, where this run has one; else by what the last one left in the state.
  package var roles: FolderRoles?
  /// Whether anything lies where a mailbox has its folder.
  package var hasFolder: (MailboxRecord) -> Bool = { _ in true }
  /// Mailboxes that refused changes too often to be asked again.
  package var closed: Set<MailboxKey>
  /// Single kinds of change that they refused.
  package var denied: [MailboxKey: Set<RefusalSubject>] = [:]
  /// Messages that the server no longer had when they were asked for: a pull has to look first.
  package var lost: Set<MessageKey> = []
  /// Files that seem to lack parts of their messages, in the account's folders and elsewhere below the tree's root.
  package var unsent = UnsentParts()
  /// Deletions that earlier runs held back.
  package var holds: [DeletionHold] = []
  /// And those that pushes carried out within ``DeletionGuard/memory``.
  package var carried: [CarriedDeletions] = []
  /// Messages, and base names of files, that an unfinished step is about.
  package var busy: Set<MessageKey> = []
  package var busyNames: Set<[UInt8]> = []
  /// Contents that an unfinished step is about: the file may have another name by now, and lie elsewhere.
  package var busyContents: Set<ContentHash> = []
  package var busyUploads: [UploadUnderWay] = []
  /// Contents of messages that the server has no longer where they were, and of which a pull has not found out yet whether
  /// it moved them.
  package var awaited: Set<ContentHash> = []
  /// All Mail and the like that an earlier configuration mirrored, and that no pull looks into any more: a file that goes
  /// there is no deletion.
  package var unmirrored: Set<MailboxKey> = []
  /// Contents of files that are held back, since the server may have their messages and not show them.
  package var hidden: Set<ContentHash> = []
  /// Mailboxes that a pull left half way, or has to match first: any file may be a message of theirs.
  package var unsettled: Set<MailboxKey> = []
  /// The state of a tree that holds mail is being made anew.
  package var isAdopting = false
  /// Files and messages may yet be matched otherwise.
  var awaitsPull: Bool { !unsettled.isEmpty || isAdopting }
  package var unkeepable: [MailboxKey: UnkeepableMarks]

  package init(
    mailboxes: [MailboxRecord], deletions: DeletionPolicy = .trash, allowsMassDelete: Bool = false,
    closed: Set<MailboxKey> = [], unkeepable: [MailboxKey: UnkeepableMarks] = [:],
    nameOfNewFolder: @escaping (FolderPath) -> String? = { _ in nil }
  ) {
    self.mailboxes = mailboxes
    self.deletions = deletions
    self.allowsMassDelete = allowsMassDelete
    self.closed = closed
    self.unkeepable = unkeepable
    self.nameOfNewFolder = nameOfNewFolder
  }

  func record(_ mailbox: MailboxKey) -> MailboxRecord? { mailboxes.first { $0.id == mailbox } }

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
      !$0.isGone && $0.name == name && $0.folder != folder && hasFolder($0)
    }
  }
}
