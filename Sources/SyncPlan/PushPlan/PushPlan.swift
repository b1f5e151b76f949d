import Ledger
import MailCore
import Maildir

/// What a push does, in the order in which it does it.
package struct PushPlan: Sendable {
  package var renames: [FolderRename] = []
  package var creations: [FolderCreation] = []
  /// Folders that the server makes no mailbox of, and was asked often enough.
  package var refusedCreations: [FolderCreation] = []
  /// Folders that stand for a mailbox which has another.
  package var doubled: [DoubledFolder] = []
  /// New mail that no push sends, where it lies.
  package var unsent: [UnsentMail] = []
  /// Flags and keywords; of a message that is moved, before it is.
  package var marks: [ChangedMarks] = []
  package var moves: [PlannedMove] = []
  package var uploads: [PlannedUpload] = []
  package var deletions: [PlannedDeletion] = []
  /// How many messages the folders had of which some are deleted.
  package var sizes: [MailboxKey: Int] = [:]

  /// New base names in the same folder: written to the ledger, nothing for the server.
  package var renamedFiles: [MovedMessage] = []
  /// Messages whose files another machine let go of, since the window leaves them out: written to the ledger.
  package var leftBehind: [MissingMessage] = []
  /// Files that repeat a message of their own folder: never sent.
  package var surplus: [UnknownFile] = []
  /// Files that repeat one of `uploads`.
  package var twins: [UnknownFile] = []
  /// Names, by hash, of deleted messages that other files have.
  package var namesakes: Set<NameHash> = []
  /// Deletions that wait for `--allow-mass-delete`.
  package var held: [HeldDeletions] = []
  /// What the next runs have to know of these, and of what cannot be judged now, by mailbox.
  package var holds: [DeletionHold] = []
  /// New files that are not sent because of the window: among what waits.
  package var outsideWindow: [OutsideWindow] = []
  /// Messages edited in place that are no drafts: servers cannot change a message.
  package var edits: [EditedMessage] = []
  /// What waits for something else, with the reason.
  package var waiting: [WaitingChanges] = []

  package init() {}

  /// Nothing for the server, nothing for the state.
  package var isEmpty: Bool {
    isQuiet && renamedFiles.isEmpty && surplus.isEmpty && leftBehind.isEmpty
  }

  /// Nothing for the server.
  package var isQuiet: Bool {
    renames.isEmpty && creations.isEmpty && marks.isEmpty && moves.isEmpty && uploads.isEmpty
      && deletions.isEmpty
  }

  package struct FolderRename: Sendable, Equatable {
    package var mailbox: MailboxKey
    package var folder: FolderPath
    package var name: String

    package init(mailbox: MailboxKey, folder: FolderPath, name: String) {
      self.mailbox = mailbox
      self.folder = folder
      self.name = name
    }
  }

  package struct FolderCreation: Sendable, Equatable {
    package var folder: FolderPath
    package var name: String

    package init(folder: FolderPath, name: String) {
      self.folder = folder
      self.name = name
    }
  }

  package struct PlannedMove: Sendable, Equatable {
    package var from: MailboxKey
    /// Nil for a folder that is still to become a mailbox.
    package var to: MailboxKey?
    package var record: MessageRecord
    package var file: UnknownFile

    package init(from: MailboxKey, to: MailboxKey? = nil, record: MessageRecord, file: UnknownFile)
    {
      self.from = from
      self.to = to
      self.record = record
      self.file = file
    }
  }

  package struct PlannedUpload: Sendable, Equatable {
    package var mailbox: MailboxKey
    package var file: UnknownFile
    /// The draft that this one replaces.
    package var replaces: MessageRecord?
    /// The same message in another mailbox: the server copies it.
    package var source: MessageKey?
    /// It repeats a message that is moved out of this mailbox: not sent while that one is still there.
    package var followsMove = false

    package init(
      mailbox: MailboxKey, file: UnknownFile, replaces: MessageRecord? = nil,
      source: MessageKey? = nil,
      followsMove: Bool = false
    ) {
      self.mailbox = mailbox
      self.file = file
      self.replaces = replaces
      self.source = source
      self.followsMove = followsMove
    }
  }

  package struct PlannedDeletion: Sendable, Equatable {
    package enum Way: String, Sendable, Codable {
      case trash, expunge
      /// Gmail: only out of this mailbox; others have the message.
      case unlabel
    }
    package var mailbox: MailboxKey
    package var record: MessageRecord
    package var way: Way

    package init(mailbox: MailboxKey, record: MessageRecord, way: Way) {
      self.mailbox = mailbox
      self.record = record
      self.way = way
    }
  }

  package struct HeldDeletions: Sendable, Equatable {
    package enum Reason: Sendable, Equatable {
      /// More than 20 messages, and half of the folder.
      case halfOfFolder(expected: Int)
      /// More than 200 in the run.
      case tooMany(total: Int)
      /// With what pushes of the last day deleted, more than 20 and half of what the folder had before.
      case halfInDay(count: Int, expected: Int)
      /// With those, more than 200.
      case tooManyInDay(total: Int)
      /// No folder has any of its messages left.
      case nothingLeft(total: Int)
      /// The folder itself is not there.
      case folderGone
      /// Other directories are in the folder's place: a copy, perhaps an older one.
      case folderReplaced
      /// This could not be read, and may be one of them.
      case unreadable(String)
      /// This holds mail, and can be no mailbox's folder: they may have been moved there.
      case hidden(String)
      /// An earlier run held them back, and the person has not confirmed them since.
      case earlier(DeletionHold)
    }
    package var mailbox: MailboxKey
    package var uids: UIDSet
    package var reason: Reason
    package var count: Int { uids.count }

    init(_ messages: [MissingMessage], in mailbox: MailboxKey, _ reason: Reason) {
      self.mailbox = mailbox
      uids = UIDSet(messages.map(\.record.uid))
      self.reason = reason
    }
  }

  /// A new file that is a message which the window leaves out, or holds another text of one.
  package struct OutsideWindow: Sendable, Equatable {
    package var mailbox: MailboxKey
    package var file: UnknownFile
    package var content: Content

    /// What is known of the message tells whether the file is it.
    package enum Content: Sendable {
      case same
      /// It exists only here.
      case another
      /// No pull has seen the message whole: the file may be the only one of its text.
      case unproven
    }

    package init(mailbox: MailboxKey, file: UnknownFile, content: Content) {
      self.mailbox = mailbox
      self.file = file
      self.content = content
    }
  }

  package struct WaitingChanges: Sendable, Equatable {
    package enum Reason: Sendable, Equatable {
      /// A pull was interrupted, or has to match the folder first.
      case pullFirst
      /// The mailbox takes no changes.
      case readOnly
      /// Moved to a folder that is not mirrored.
      case notMirrored(FolderPath)
      /// Moved out of the folder of one that is not mirrored any more.
      case leftOut
      /// Moved to the folder of a mailbox that the server no longer has.
      case goneMailbox(FolderPath)
      /// In a folder whose new name the server refuses.
      case nameRefused(FolderPath)
      /// Sent, and not found on the server yet.
      case underWay
      /// Known to lie in a folder whose disk seems not to be mounted, and found in another one.
      case unmounted
      /// This folder could not be looked into: what is new may have been moved out of it.
      case unread(String)
      /// Done to messages that the server does not show at present.
      case outOfView
      /// Files that may be messages which the server has and does not show, and that are not where a pull found them.
      case hidden
      /// New files of which parts are missing, and whose message is not known.
      case stub
      /// Deletions of messages of which this file, which waits, has but a part.
      case partIsLeft(String)
      /// Deletions of messages one of which this file, which waits, may be: it only looks as if it lacked parts.
      case likeIsLeft(String)
      /// Deletions of messages of which a part may lie here, which could not be looked into.
      case partMayBeLeft(String)
      /// Missing since a revert that was cut off.
      case setAside
      /// New files that are messages which the window leaves out.
      case outsideWindow
      /// New files that hold another text of such a message.
      case textOutsideWindow
      /// New files of which it cannot be said whether they are such a message.
      case unprovenOutsideWindow
    }
    package var mailbox: MailboxKey
    package var count: Int
    package var reason: Reason

    package init(mailbox: MailboxKey, count: Int, reason: Reason) {
      self.mailbox = mailbox
      self.count = count
      self.reason = reason
    }
  }
}

extension PushPlan.FolderCreation {
  /// What a refusal of it is called in the state.
  package var subject: RefusalSubject { .create(name) }
}

extension PushPlan.FolderRename {
  /// What a refusal of it is called in the state.
  package var subject: RefusalSubject { .rename(name) }
}
