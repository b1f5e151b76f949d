import Ledger

/// What lies below the tree's root and outside of the account, as far as it concerns messages of which parts are missing.
package struct PartsBeside: Sendable, Equatable {
  package var parts: [PartLeft] = []
  /// For people: what could not be looked into.
  package var unread: [String] = []

  package init(parts: [PartLeft] = [], unread: [String] = []) {
    self.parts = parts
    self.unread = unread
  }
}

/// Files that have but a part of a message, and cannot be sent: while they wait, the whole one stays.
struct WaitingParts {
  private let parts: [PartLeft]
  /// What lies there may be such a file.
  private let unread: String?

  init(_ new: [UnknownFile], beside: PartsBeside) {
    parts = new.compactMap(\.part) + beside.parts
    unread = beside.unread.first
  }

  /// Where one lies that may be what is left of the message.
  func place(of record: MessageRecord) -> String? {
    parts.first { $0.stands(for: record) }?.place
  }

  func placeUnread(for record: MessageRecord) -> String? { record.hasBeenStub ? unread : nil }
}
