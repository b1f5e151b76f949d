import Ledger
import MailCore

/// Tells which expunged messages' files are being unlinked, in the state from before the first of them goes until their
/// records go. Where a run finds it, an earlier one was cut off in between: it may have unlinked these, and what looks
/// like them was put back since.
package struct UnlinkingMark {
  private let fact: String
  /// What an earlier run left.
  package private(set) var doubtful: UIDSet

  /// - Parameter expunged: the mailbox's; of others nothing is doubtful any more.
  package init(_ state: StateStore, mailbox: Int64, expunged: UIDSet) throws(StateError) {
    fact = Fact.unlinking(in: mailbox)
    let left = try state.fact(fact).flatMap { UIDSet(stored: $0) } ?? UIDSet()
    doubtful = left.intersection(expunged)
  }

  package func set(_ uids: UIDSet, in state: StateStore) throws(StateError) {
    guard !uids.isEmpty else { return }
    try state.setFact(fact, doubtful.union(uids).description)
  }

  /// Their records go.
  package mutating func settle(_ uids: UIDSet, _ transaction: StateTransaction) throws {
    doubtful = doubtful.subtracting(uids)
    if doubtful.isEmpty {
      try transaction.removeFact(fact)
    } else {
      try transaction.setFact(fact, doubtful.description)
    }
  }
}
