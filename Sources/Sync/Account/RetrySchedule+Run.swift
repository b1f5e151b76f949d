import Foundation
import MailCore
import Remote
import SyncPlan

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
