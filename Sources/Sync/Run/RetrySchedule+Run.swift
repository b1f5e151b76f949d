import Foundation
import Remote
import SyncPlan
import Transport

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
        guard case .connection(let seconds) = failure else { throw error }
        try wait(after: error, connectedAt: connectedAt, atLeast: seconds, in: context)
        isFirst = false
      }
    }
  }

  /// Waits until a connection that was lost may be made anew.
  ///
  /// - Parameter seconds: as the server asked for.
  /// - Throws: `error`, which cut the connection, where no attempt is left; `SyncError.interrupted`.
  func wait(
    after error: any Error, connectedAt: Date, atLeast seconds: Int?, in context: AccountContext
  ) throws {
    guard let delay = next(connectedAt: connectedAt) else { throw error }
    context.observer.entered(.retryScheduled, account: context.account)
    let isOver = context.interrupt.wait(seconds: max(delay, Double(min(seconds ?? 0, 300))))
    if !isOver { throw SyncError.interrupted }
  }
}
