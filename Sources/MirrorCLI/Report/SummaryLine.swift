import CLISupport
import MailCore
import Sync
import SyncPlan

/// `personal: 12 new, 3 changed, 1 gone in 4 of 35 mailboxes, 1.2 MB, 0.8 s`
///
/// Scripts read this line: its form never changes with the figures, except that a dry run says so in front.
enum SummaryLine {
  static func text(_ summary: PullSummary) -> String {
    let mailboxes = summary.mailboxesTotal == 1 ? "mailbox" : "mailboxes"
    return summary.account + (summary.dryRun ? ": dry run" : "")
      + ": \(summary.new) new, \(summary.changed) changed, \(summary.gone) gone"
      + " in \(summary.mailboxesChanged) of \(summary.mailboxesTotal) \(mailboxes)"
      + ", \(Quantities.bytes(summary.bytes)), \(Quantities.seconds(summary.seconds))"
  }

  /// One mailbox, for `-v` and `--dry-run`: only what is not zero.
  static func text(_ outcome: MailboxOutcome, account: String) -> String {
    var parts: [String] = []
    if let name = outcome.renamedFrom { parts.append("was \(name)") }
    for (count, word) in [
      (outcome.new, "new"), (outcome.adopted, "adopted"), (outcome.changed, "changed"),
      (outcome.gone, "gone"), (outcome.pruned, "out of the window"),
    ] where count > 0 {
      parts.append("\(count) \(word)")
    }
    if outcome.bytes > 0 { parts.append(Quantities.bytes(outcome.bytes)) }
    return "\(account)/\(outcome.mailbox): \(parts.joined(separator: ", "))"
  }
}
