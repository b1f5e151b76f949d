import CLISupport
import MailCore
import Sync
import SyncPlan

/// What a push did, or would do, in words.
///
/// `personal: 12 marked, 3 moved, 1 sent, 2 deleted, 0 waiting, 0 folders, 1.2 kB, 0.8 s`: scripts read this line, so
/// its form never changes with the figures.
enum PushText {
  static func text(_ summary: PushSummary) -> String {
    summary.account + (summary.dryRun ? ": dry run" : "")
      + ": \(summary.marked) marked, \(summary.moved) moved, \(summary.uploaded) sent"
      + ", \(summary.deleted) deleted, \(summary.pending) waiting"
      + ", \(Quantities.count(summary.folders, "folder"))"
      + ", \(Quantities.bytes(summary.bytes)), \(Quantities.seconds(summary.seconds))"
  }

  /// One line of `-v` and `--dry-run`.
  static func text(_ action: PushAction, account: String) -> String {
    "\(account)/\(action.mailbox): \(words(action))"
  }

  private static func words(_ action: PushAction) -> String {
    let messages = Quantities.count(action.count, "message")
    let detail = action.detail ?? ""
    return switch action.kind {
    case .rename: "rename to \(detail)"
    case .create: "make this mailbox"
    case .mark: "\(detail) on \(messages)"
    case .move: "move \(messages) to \(detail)"
    case .copy: "copy \(messages) to \(detail)"
    case .unlabel: "take \(messages) out; other folders keep them"
    case .upload: "send \(messages)"
    case .replace: "replace \(Quantities.count(action.count, "draft")) by what was edited"
    case .trash: "move \(messages) to the trash"
    case .expunge: "expunge \(messages)"
    case .held: "leave \(Quantities.count(action.count, "deletion")) alone: \(detail)"
    case .waiting: "leave \(Quantities.count(action.count, "change")) for later: \(detail)"
    case .refused: "refused by the server: \(detail) of \(messages)"
    case .edited: "leave \(Quantities.count(action.count, "edited message")) here: no draft"
    }
  }
}
