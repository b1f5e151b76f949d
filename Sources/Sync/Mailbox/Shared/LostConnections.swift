import MailCore

/// Over what the connection was lost while one mailbox was pulled, from one attempt of a run to the next. That may happen at
/// any time; where it happens twice at the same place, the server trips over the mailbox, or over one of its messages.
struct LostConnections {
  /// Bodies that were asked for and have not come.
  struct Awaited {
    /// That which was to come next.
    var next: UID
    var uids: UIDSet
  }

  /// The message that was to come next the last time; nil where none was.
  private var place: UID?
  /// How often it was lost there.
  private var count = 0
  /// It may be lost over one of them: they are fetched last, each by itself.
  var suspects = UIDSet()
  /// Those over which it was lost by themselves: left out.
  private(set) var messages = UIDSet()
  /// Why the whole mailbox is to be left out, if it is.
  private(set) var overMailbox: (any Error)?

  /// - Returns: how many losses will not come again, because what they were over is left out from now on.
  mutating func lost(over awaited: Awaited?, because error: any Error) -> Int {
    let isAlone = awaited.map { $0.uids.count == 1 && suspects.contains($0.next) } ?? false
    count = isAlone || count > 0 && place == awaited?.next ? count + 1 : 1
    place = awaited?.next
    if let awaited, isAlone {
      messages.insert(awaited.next)
      suspects = suspects.subtracting(messages)
      defer { count = 0 }
      return count
    }
    guard count == 2 else { return 0 }
    if let awaited {
      suspects = suspects.union(awaited.uids)
      return 0
    }
    overMailbox = error
    return count
  }
}
