import Ledger
import SyncPlan

/// Over which mailboxes the connection was lost, from one attempt of a push to the next. Where that happens twice, the
/// server trips over the mailbox, or over what is done to it.
final class CutMailboxes {
  private var losses: [MailboxKey: [any Error]] = [:]
  private var told: Set<MailboxKey> = []

  func lost(over mailbox: MailboxKey, because error: any Error) {
    losses[mailbox, default: []].append(error)
  }

  /// Those that are left out from now on, and why.
  var leftOut: [MailboxKey: any Error] {
    losses.compactMapValues { $0.count < 2 ? nil : $0.last }
  }

  /// Whether nobody was told yet that it is left out.
  func isNews(_ mailbox: MailboxKey) -> Bool { told.insert(mailbox).inserted }
}
