import SyncPlan

/// What a push has done so far, and what it tells.
final class PushReport {
  private let context: AccountContext
  private(set) var actions: [PushAction] = []
  private(set) var bytesSent: Int64 = 0

  init(_ context: AccountContext) { self.context = context }

  func count(_ action: PushAction) { actions.append(action) }
  func countSent(_ bytes: Int64) { bytesSent += bytes }
  func tell(_ problem: RunProblem) { context.note(problem) }
}
