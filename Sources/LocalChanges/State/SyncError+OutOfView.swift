import Ledger
import MailCore
import Settings
import State
import SyncPlan

extension SyncError {
  /// What there is to tell of the mailboxes that the account mirrors, by name.
  package static func outOfView(
    in state: StateStore, folders: FolderPatterns
  ) throws -> [(mailbox: MailboxRecord, error: SyncError)] {
    let counts = try state.outOfView()
    guard !counts.isEmpty else { return [] }
    return try state.mailboxes().compactMap { record in
      let id = record.id
      guard let count = counts[id], !record.isGone,
        folders.matches(record.mailboxName)
      else { return nil }
      let all = try state.messageCount(.withFiles, in: id)
      return (record, .outOfView(record.mailboxName, count: count, of: all))
    }
  }
}
