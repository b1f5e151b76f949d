import Foundation
import MailCore
import SyncPlan

/// When to connect again after a connection was lost on the way: three times, after 5, 15 and 45 s (DESIGN section 5).
///
/// Connections lost together count once: they wait for the same moment.
final class RetrySchedule: Sendable {
  private let lock = NSLock()
  nonisolated(unsafe) private var delays: [Double]  // behind `lock`
  nonisolated(unsafe) private var resume = Date.distantPast  // behind `lock`

  init(environment: [String: String]) { delays = Self.delays(environment) }

  /// `MIRROR_RETRY_SECONDS` shortens the waits for tests.
  static func delays(_ environment: [String: String]) -> [Double] {
    let given = environment["MIRROR_RETRY_SECONDS"]?.split(separator: ",").compactMap { Double($0) }
    return given ?? [5, 15, 45]
  }

  /// Seconds to wait before the next attempt; nil when there is none left.
  ///
  /// - Parameter lostAt: when the connection that was lost had been made.
  func next(connectedAt: Date) -> Double? {
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

extension RetrySchedule {
  /// Does the work, and does it again where the connection is lost on the way.
  ///
  /// A server that cannot be reached at the start is told at once; one that was there a moment ago may come back.
  /// - Throws: what the last attempt failed with; `SyncError.interrupted` where the wait is ended by the interrupt.
  func repeating<Result>(in context: AccountContext, _ work: () throws -> Result) throws -> Result {
    var isFirst = true
    while true {
      let connectedAt = Date()
      do {
        return try work()
      } catch {
        let failure = isFirst ? RunFailure(error) : RunFailure(connecting: error)
        guard case .connection(let seconds) = failure, let delay = next(connectedAt: connectedAt)
        else { throw error }
        isFirst = false
        context.observer.entered(.retryScheduled, account: context.account)
        guard context.interrupt.wait(seconds: max(delay, Double(min(seconds ?? 0, 300)))) else {
          throw SyncError.interrupted
        }
      }
    }
  }
}
