import Foundation
import MailCore
import SyncPlan

/// When to connect again after a connection was lost on the way: three times, after 5, 15 and 45 s (DESIGN section 5).
///
/// Connections lost together count once: they wait for the same moment.
package final class RetrySchedule: Sendable {
  private let lock = NSLock()
  nonisolated(unsafe) private var delays: [Double]  // under `lock`
  nonisolated(unsafe) private var resume = Date.distantPast  // under `lock`

  package init(environment: [String: String]) { delays = Self.delays(environment) }

  /// Seconds before each new attempt. `MIRROR_RETRY_SECONDS` shortens the waits for tests.
  package static func delays(
    _ environment: [String: String], otherwise usual: [Double] = [5, 15, 45]
  ) -> [Double] {
    let given = environment["MIRROR_RETRY_SECONDS"]?.split(separator: ",").compactMap { Double($0) }
    return given ?? usual
  }

  /// Seconds to wait before the next attempt; nil when there is none left.
  ///
  /// - Parameter lostAt: when the connection that was lost had been made.
  package func next(connectedAt: Date) -> Double? {
    lock.withLock {
      let now = Date()
      // Lost together with one that is waiting already, or that was made before the last wait ended.
      if connectedAt < resume { return max(0, resume.timeIntervalSince(now)) }
      guard !delays.isEmpty else { return nil }
      let delay = delays.removeFirst()
      resume = now + delay
      return delay
    }
  }
}
