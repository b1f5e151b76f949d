import Ledger
import Settings
import State
import SyncPlan

extension AccountContext {
  /// Whether this run has seen every message of the account, as far as the server shows them. What was not looked into
  /// proves nothing, and what failed may be the message that is missed, as long as it is awaited.
  ///
  /// - Parameters:
  ///   - folders: which mailboxes are mirrored.
  ///   - butClosed: those that could not be opened for so long that they are not awaited any more do not count.
  func hasLookedIntoAll(of folders: FolderPatterns, butClosed: Bool = false) throws -> Bool {
    let mirrored = try state.mailboxes().filter {
      !$0.isGone && MailboxCatalogue.isMirrored($0, folders)
    }
    let ids = Set(mirrored.map(\.id))
    let failures = try state.failures().filter { ids.contains($0.mailbox) }
    let closed = butClosed ? Set(failures.compactMap(\.closedMailbox)) : []
    let isMatching = mirrored.contains { $0.needsAdoption && !closed.contains($0.id) }
    return !missesMailboxes && !isMatching && !failures.contains(where: \.isAwaited)
  }
}
