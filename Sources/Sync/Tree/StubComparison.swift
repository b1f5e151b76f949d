import Ledger
import LocalChanges
import MIME
import MailCore
import Maildir
import SyncPlan

/// Compares files that have but a part of a message with the message as it is here: a person may have written into one.
struct StubComparison {
  let tree: AccountTree
  let policy: MaildirPolicy

  /// Whether the file has nothing that the message has not; false where that cannot be told.
  ///
  /// - Parameter mailbox: the message's.
  func isNoMore(_ file: UnknownFile, than message: MessageRecord, in mailbox: MailboxRecord) throws
    -> Bool
  {
    do {
      let home = LocalFolder(
        folder: try MaildirFolder.open(mailbox.folder, in: tree), policy: policy)
      guard let whole = try home.file(of: message),
        try home.folder.digest(of: whole, policy: policy).contentHash == message.contentHash
      else { return false }
      return try Self.isNoMore(
        file.file, MaildirFolder.open(file.folder, in: tree), than: whole, home.folder)
    } catch let error as MaildirError where !error.stopsRun {
      return false  // It went away, or cannot be read.
    }
  }

  static func isNoMore(
    _ stub: MessageFile, _ place: MaildirFolder, than whole: MessageFile, _ home: MaildirFolder
  ) throws -> Bool {
    var part = MessageBuffer()
    var all = MessageBuffer()
    guard try part.read(stub, in: place) != nil, try all.read(whole, in: home) != nil else {
      return false
    }
    return StubContent.isNoMore(part.bytes, than: all.bytes)
  }
}
