import Foundation
import MailCore
import SyncPlan

/// When to connect again after a connection was lost on the way: three times, after 5, 15 and 45 s.
///
/// Connections lost together count once: they wait for the same moment.
package final class RetrySchedule: Sendable {
  private let lock = NSLock()
  private let delays: [Double]
  nonisolated(unsafe) private var used = 0  // under `lock`
  /// Attempts that are given back with the next success.
  nonisolated(unsafe) private var owed = 0  // under `lock`
  nonisolated(unsafe) private var hasSucceeded = false  // under `lock`
  nonisolated(unsafe) private var resume = Date.distantPast  // under `lock`

  package convenience init(environment: [String: String]) {
    self.init(delays: Self.delays(environment))
  }

  /// - Parameter delays: seconds before each new attempt.
  package init(delays: [Double]) { self.delays = delays }

  /// Seconds before each new attempt. `MIRROR_RETRY_SECONDS` shortens the waits for tests.
  package static func delays(
    _ environment: [String: String], otherwise usual: [Double] = [5, 15, 45]
  ) -> [Double] {
    let given = environment["MIRROR_RETRY_SECONDS"]?.split(separator: ",").compactMap { Double($0) }
    return given ?? usual
  }

  /// Seconds for which a server that shows less than before may be one that lags: as long as replicas need on a bad day,
  /// and not so long that mail waits for a server that was restored. `MIRROR_LAG_SECONDS` sets it for tests, which wait for
  /// nothing else where their waits are short.
  package static func longestLag(_ environment: [String: String]) -> Int64 {
    let given = environment["MIRROR_LAG_SECONDS"].flatMap { Int64($0) }
    return given ?? (environment["MIRROR_RETRY_SECONDS"] == nil ? 900 : 0)
  }

  /// Seconds to wait before the next attempt; nil when there is none left.
  ///
  /// - Parameter lostAt: when the connection that was lost had been made.
  package func next(connectedAt: Date) -> Double? {
    lock.withLock {
      let now = Date()
      // Lost together with one that is waiting already, or that was made before the last wait ended.
      if connectedAt < resume { return max(0, resume.timeIntervalSince(now)) }
      guard used < delays.count else { return nil }
      let delay = delays[used]
      used += 1
      resume = now + delay
      return delay
    }
  }

  /// What these connections were lost over is left out from now on. They do not count any more, if anything else succeeds:
  /// where nothing does, it is the server.
  package func forgive(_ losses: Int) {
    lock.withLock {
      owed += losses
      giveBack()
    }
  }

  /// A piece of work was done to its end.
  package func succeeded() {
    lock.withLock {
      hasSucceeded = true
      giveBack()
    }
  }

  private func giveBack() {
    guard hasSucceeded, owed > 0 else { return }
    used = max(0, used - owed)
    (owed, hasSucceeded) = (0, false)
  }
}
