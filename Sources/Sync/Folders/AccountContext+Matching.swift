import MailCore
import Maildir
import State

extension AccountContext {
  /// Whether a mailbox of which the state never knew has to be matched with what lies in its folder before anything of that
  /// is sent: the state is being made anew, or files there are older than the state, since a pull brought them from this
  /// very mailbox. An empty mailbox tells nothing of them: its messages may have been moved to another one.
  func mustBeMatched(_ name: MailboxName, at path: FolderPath) throws -> Bool {
    if adoptsNewMailboxes { return true }
    guard try folders.holds(path) else { return false }
    var holdsItsOwn = false
    try FolderScan.forEachFile(in: folders.open(path)) { file in
      guard !holdsItsOwn else { return }
      holdsItsOwn = BirthName(base: file.base)?.isBorn(in: name) == true
    }
    return holdsItsOwn
  }
}
