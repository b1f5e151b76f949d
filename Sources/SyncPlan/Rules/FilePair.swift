import Maildir

/// A missing message, and a file with its content.
struct FilePair {
  let message: MissingMessage
  let file: UnknownFile

  var isInSameFolder: Bool { message.mailbox == file.mailbox }
  var hasSameName: Bool { message.record.name == file.file.base }
  var isRewritten: Bool {
    RewrittenName(message.record.name).stem == RewrittenName(file.file.base).stem
  }
}
