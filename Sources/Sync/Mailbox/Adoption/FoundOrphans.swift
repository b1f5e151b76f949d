import MailCore

/// Records without a number whose messages were found in this visit, under which numbers.
struct FoundOrphans {
  /// They ascend with the numbers that the messages had.
  private var keys: [UID: Int64] = [:]

  mutating func add(_ key: Int64, as uid: UID) { keys[uid] = key }

  /// Records with a lower key may lie beyond a view of the newest. That is all of them where a server that was filled
  /// anew has its messages in another order. Nil where too few were found to tell of an order.
  var endOfView: Int64? {
    guard keys.count > 1 else { return nil }
    let inOrder = keys.sorted { $0.key < $1.key }.map(\.value)
    let isKept = zip(inOrder, inOrder.dropFirst()).allSatisfy { $0 < $1 }
    return isKept ? inOrder.first : .max
  }
}
