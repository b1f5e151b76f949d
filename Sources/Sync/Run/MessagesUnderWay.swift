import Foundation
import Transport

/// Messages that some connection is downloading, by their identity across mailboxes, so that no other downloads
/// them too.
final class MessagesUnderWay: Sendable {
  private let condition = NSCondition()
  nonisolated(unsafe) private var identities: Set<String> = []  // guarded by `condition`

  /// False when another connection has it in hand.
  func claim(_ identity: String) -> Bool {
    condition.withLock { identities.insert(identity).inserted }
  }

  func release(_ released: some Sequence<String>) {
    condition.withLock {
      identities.subtract(released)
      condition.broadcast()
    }
  }

  /// Waits until nobody has it in hand, at most `seconds`, and not beyond an interrupt.
  func wait(for identity: String, seconds: Double, interrupt: Interrupt) {
    let limit = Date(timeIntervalSinceNow: seconds)
    condition.withLock {
      while identities.contains(identity), !interrupt.isTriggered, Date() < limit {
        _ = condition.wait(until: Date(timeIntervalSinceNow: 0.1))
      }
    }
  }
}
