import MailCore
import Maildir
import State

/// Mailboxes that may have folders.
extension PushSurvey {
  /// All but those that are gone from the server and whose folders went as well: where new mail lies in one of such a
  /// name, it is a person's own, and becomes a mailbox.
  static func claimants(
    _ mailboxes: [MailboxRecord], _ tree: AccountTree, _ state: StateStore, _ policy: MaildirPolicy
  ) throws -> [MailboxRecord] {
    try mailboxes.filter { record in
      guard record.isGone, let id = record.id else { return true }
      do {
        return try isLeft(record.folderPath(), of: id, tree, state, policy)
      } catch let error as MaildirError where !error.stopsRun {
        return true  // What cannot be read may be what the server had.
      }
    }
  }

  /// Whether a folder lies there that is empty, or holds a message that the server had, too.
  private static func isLeft(
    _ path: FolderPath, of mailbox: Int64, _ tree: AccountTree, _ state: StateStore,
    _ policy: MaildirPolicy
  ) throws -> Bool {
    guard try MaildirFolder.exists(path, in: tree) else { return false }
    let folder = try MaildirFolder.open(path, in: tree)
    var files: [MessageFile] = []
    try FolderScan.forEachFile(in: folder) { files.append($0) }
    if try files.isEmpty || !state.surplus(in: mailbox).isEmpty { return true }
    guard try state.holdsFiles(mailbox) else { return false }
    var names = Set<[UInt8]>()
    try state.forEachName(in: mailbox) { _, name in
      names.insert(RewrittenName.original(of: Array(name)))
    }
    if files.contains(where: { names.contains(RewrittenName.original(of: $0.base)) }) {
      return true
    }
    return try files.contains { file in
      guard let found = try UnknownFile.read(file, in: folder, mailbox: mailbox, policy: policy)
      else { return false }
      return try !state.contents(in: mailbox, among: [found.digest.contentHash]).isEmpty
    }
  }
}
