import Ledger
import MailCore

/// Tells which expunged messages' files are being unlinked, in the state from before the first of them goes until their
/// records go. Where a run finds it, an earlier one was cut off in between: it may have unlinked these, and what looks
/// like them was put back since.
package struct UnlinkingMark {
  private let mailbox: MailboxKey
  /// What an earlier run left.
  package private(set) var doubtful: UIDSet

  /// - Parameter expunged: the mailbox's; of others nothing is doubtful any more.
  package init(_ state: StateStore, mailbox: MailboxKey, expunged: UIDSet) throws(StateError) {
    self.mailbox = mailbox
    doubtful = try state.unlinking(in: mailbox).intersection(expunged)
  }

  package func set(_ uids: UIDSet, in state: StateStore) throws(StateError) {
    guard !uids.isEmpty else { return }
    try state.transaction { try $0.setUnlinking(doubtful.union(uids), in: mailbox) }
  }

  /// Their records go.
  package mutating func settle(_ uids: UIDSet, _ transaction: StateTransaction) throws {
    doubtful = doubtful.subtracting(uids)
    try transaction.setUnlinking(doubtful, in: mailbox)
  }
}
