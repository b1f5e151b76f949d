import MailCore
import Maildir
import State

/// Mailboxes that may have folders.
extension PushSurvey {
  /// All but those that are gone from the server and whose folders went as well: where new mail lies in one of such a
  /// name, it is a person's own, and becomes a mailbox.
  static func claimants(
    _ mailboxes: [MailboxRecord], _ tree: AccountTree, _ state: StateStore
  ) throws -> [MailboxRecord] {
    try mailboxes.filter { try !$0.isGone || isLeft($0, tree, state) }
  }

  /// Whether the folder that a mailbox had is there: empty, or with a file that the server had, too.
  private static func isLeft(
    _ record: MailboxRecord, _ tree: AccountTree, _ state: StateStore
  ) throws -> Bool {
    let path = try record.folderPath()
    guard let id = record.id, try MaildirFolder.exists(path, in: tree) else { return false }
    var names = Set<UInt64>()
    try state.forEachName(in: id) { _, name in names.insert(XXH3.hash(name)) }
    var (isEmpty, isFound) = (true, false)
    try FolderScan.forEachFile(in: MaildirFolder.open(path, in: tree)) { file in
      isEmpty = false
      if !isFound { isFound = names.contains(file.baseHash) }
    }
    return isEmpty || isFound
  }
}
