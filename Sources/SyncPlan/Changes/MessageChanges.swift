import Ledger
import MailCore
import Maildir

/// A message as the state knows it.
package struct MessageKey: Hashable, Sendable {
  package var mailbox: MailboxKey
  package var uid: UID

  package init(mailbox: MailboxKey, uid: UID) {
    self.mailbox = mailbox
    self.uid = uid
  }
}

/// A recorded message whose file is not in its folder.
package struct MissingMessage: Sendable, Equatable {
  package var mailbox: MailboxKey
  package var record: MessageRecord

  package init(mailbox: MailboxKey, record: MessageRecord) {
    self.mailbox = mailbox
    self.record = record
  }
}

/// A file that is unknown to the ledger.
package struct UnknownFile: Sendable, Equatable {
  /// Nil in a folder that is no mailbox's.
  package var mailbox: MailboxKey?
  package var folder: FolderPath
  package var file: MessageFile
  package var digest: MessageDigest
  package var marks: MessageMarks
  /// Unix seconds: the file's own time.
  package var modified: Int64
  package var size: Int64
  /// What it tells of the message of which it has, or may have, but a part.
  package var part: PartLeft?

  package init(
    mailbox: MailboxKey?, folder: FolderPath, file: MessageFile, digest: MessageDigest,
    marks: MessageMarks, modified: Int64, size: Int64, part: PartLeft? = nil
  ) {
    self.part =
      part
      ?? (digest.isStub
        ? PartLeft(headerHash: digest.headerHash, size: digest.serverSize, fileSize: size) : nil)
    self.part?.place = "\(folder.text)/\(file)"
    self.mailbox = mailbox
    self.folder = folder
    self.file = file
    self.digest = digest
    self.marks = marks
    self.modified = modified
    self.size = size
  }
}

/// A message whose flags or keywords a person changed.
package struct ChangedMarks: Sendable, Equatable {
  package var mailbox: MailboxKey
  package var record: MessageRecord
  package var local: MessageMarks
  /// Bytes of the file, where its content is the message's.
  package var size: Int64?
  /// The file, where a person moved or renamed it: then it does not lie where the record says.
  package var file: UnknownFile?

  package init(
    mailbox: MailboxKey, record: MessageRecord, local: MessageMarks, size: Int64? = nil
  ) {
    self.mailbox = mailbox
    self.record = record
    self.local = local
    self.size = size
  }

  package init(_ move: MovedMessage) {
    mailbox = move.from
    record = move.record
    local = move.file.marks
    size = move.file.size
    file = move.file
  }
}

/// A message whose file holds another text than the server's message.
package struct EditedMessage: Sendable, Equatable {
  package var mailbox: MailboxKey
  package var record: MessageRecord
  /// What is there now, in the same folder under the same base name.
  package var file: UnknownFile

  package init(mailbox: MailboxKey, record: MessageRecord, file: UnknownFile) {
    self.mailbox = mailbox
    self.record = record
    self.file = file
  }
}

/// A missing message and the file that it turned out to be.
package struct MovedMessage: Sendable, Equatable {
  package var from: MailboxKey
  package var record: MessageRecord
  package var file: UnknownFile

  package init(from: MailboxKey, record: MessageRecord, file: UnknownFile) {
    self.from = from
    self.record = record
    self.file = file
  }
}

extension SurplusFile {
  package init(_ file: UnknownFile) { self.init(file.file, file.digest) }

  /// - Parameter digest: nil where the file cannot be read.
  package init(_ file: MessageFile, _ digest: MessageDigest?) {
    self.init(nameHash: file.baseHash, contentHash: digest?.contentHash ?? .unknown)
  }
}
