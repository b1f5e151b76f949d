import MailCore
import State

/// Tells which expunged messages' files are being unlinked, in the state from before the first of them goes until their
/// records go. Where a run finds it, an earlier one was cut off in between: it may have unlinked these, and what looks
/// like them was put back since.
struct UnlinkingMark {
  private let fact: String
  /// What an earlier run left.
  let doubtful: UIDSet

  init(_ state: StateStore, mailbox: Int64) throws(StateError) {
    fact = Fact.unlinking(in: mailbox)
    doubtful = try state.fact(fact).flatMap { UIDSet(stored: $0) } ?? UIDSet()
  }

  func set(_ uids: UIDSet, in state: StateStore) throws(StateError) {
    guard !uids.isEmpty else { return }
    try state.setFact(fact, doubtful.union(uids).description)
  }

  func remove(_ transaction: StateTransaction) throws { try transaction.removeFact(fact) }
}
