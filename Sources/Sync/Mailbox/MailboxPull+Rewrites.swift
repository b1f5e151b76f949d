import Ledger
import LocalChanges
import Maildir
import State

extension MailboxPull {
  /// A push would find them by itself; a pull that comes first must not mistake them.
  func followRewrites() throws {
    guard case .header = context.policy.keywords, record.uidValidity != 0,
      try mayHoldUnknownFiles()
    else { return }
    let renamed = try RewrittenFiles(local: local, state: context.state, mailbox: mailboxID)
      .records()
    guard !renamed.isEmpty else { return }
    try context.state.transaction { transaction in
      for record in renamed { try transaction.put(record, in: mailboxID) }
    }
    context.noteChange()
  }
}
