import Ledger

/// Files that have, or may have, but a part of a message, and what could not be looked into for such files: in the
/// account's folders, and elsewhere below the tree's root.
///
/// They are not sent. So whatever message one of them is, or may be left of, stays on its server while they lie there,
/// whether or not the ledger knows that it ever was a stub: this is the one place where that is decided.
package struct UnsentParts: Sendable, Equatable {
  package var parts: [PartLeft] = []
  /// For people.
  package var unread: [String] = []

  package init(parts: [PartLeft] = [], unread: [String] = []) {
    self.parts = parts
    self.unread = unread
  }

  /// What a deletion of the message waits for; nil where it need not wait.
  package func reason(toKeep message: MessageRecord) -> PushPlan.WaitingChanges.Reason? {
    if let part = parts.first(where: { $0.mayBeLeft(of: message) }) {
      return .partIsLeft(part.place)
    }
    if let file = parts.first(where: { $0.isWhole(message) }) { return .likeIsLeft(file.place) }
    // Ordinary mail waits for no disk.
    guard message.hasBeenStub, let unread = unread.first else { return nil }
    return .partMayBeLeft(unread)
  }
}
