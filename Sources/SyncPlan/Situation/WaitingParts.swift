import Ledger
import Maildir

/// What a stub tells of its message.
package struct PartIdentity: Hashable, Sendable {
  package var headerHash: UInt64
  /// Of the whole message, as the server counts.
  package var size: UInt64

  package init(headerHash: UInt64, size: UInt64) {
    self.headerHash = headerHash
    self.size = size
  }
}

/// Files that have but a part of a message, and cannot be sent: while they wait, the whole one stays.
struct WaitingParts {
  private var known: Set<PartIdentity>
  /// Of one that lost its first line only this is known: it may be what is left of any stub.
  private let isAny: Bool

  init(_ new: [UnknownFile], elsewhere: Set<PartIdentity>) {
    let parts = new.filter(\.isPart)
    isAny = parts.contains { !$0.digest.isStub }
    known = elsewhere
    for part in parts where part.digest.isStub {
      known.insert(PartIdentity(headerHash: part.digest.headerHash, size: part.digest.serverSize))
    }
  }

  func stand(for record: MessageRecord) -> Bool {
    if isAny, record.isStub { return true }
    guard !known.isEmpty, record.headerHash != 0, record.serverSize > 0 else { return false }
    return known.contains(
      PartIdentity(headerHash: record.headerHash, size: UInt64(record.serverSize)))
  }
}
