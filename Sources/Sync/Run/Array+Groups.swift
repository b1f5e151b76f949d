import Ledger

extension Array {
  /// So many elements at a time, in their order.
  func pieces(of size: Int) -> [[Element]] {
    stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
  }

  /// By mailbox, in the order of their numbers; without those that have none.
  func grouped(by mailbox: (Element) -> MailboxKey?) -> [(key: MailboxKey, value: [Element])] {
    var groups: [MailboxKey: [Element]] = [:]
    for element in self {
      if let mailbox = mailbox(element) { groups[mailbox, default: []].append(element) }
    }
    return groups.sorted { $0.key < $1.key }
  }
}
