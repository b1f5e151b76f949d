import MailCore
import Maildir

/// What the person asked of a push.
///
/// The whole tree is scanned, also where a hint says which folder changed: a file that is gone from one folder may be in
/// any other, and the guards of deletions count over all. Folders whose directories did not change are passed over.
package struct PushOptions: Sendable {
  package var dryRun: Bool
  package var allowsMassDelete: Bool
  /// Look at every file, and try again what was given up.
  package var full: Bool
  /// What is left for a later push, whatever else goes.
  package var leaving: Set<LaterChange>
  /// Folders where every file is compared though the directory did not change: a file may have been written anew, which
  /// leaves no other trace. Nil: all.
  package var compared: Set<FolderPath>?
  /// Files that are sent though the server may have their messages and not show them: absolute paths, with all symbolic
  /// links followed.
  package var sending: Set<String>

  package init(
    dryRun: Bool = false, allowsMassDelete: Bool = false, full: Bool = false,
    leaving: Set<LaterChange> = [], compared: Set<FolderPath>? = [], sending: Set<String> = []
  ) {
    self.sending = sending
    self.leaving = leaving
    self.compared = compared
    self.dryRun = dryRun
    self.allowsMassDelete = allowsMassDelete
    self.full = full
  }
}
