import Synchronization

/// How far a run is, as the one who watches wants to hear it.
package struct IndexProgress: Sendable, Equatable {
  package enum Phase: Sendable { case looking, reading, removing, finishing }

  package var phase: Phase
  package var done: Int
  /// 0 while it is not known.
  package var total: Int
}

/// Counts files as they are done, from any thread.
final class ProgressReport: Sendable {
  private let tell: @Sendable (IndexProgress) -> Void
  private let state = Mutex(IndexProgress(phase: .looking, done: 0, total: 0))

  init(_ tell: @escaping @Sendable (IndexProgress) -> Void) { self.tell = tell }

  func begin(_ phase: IndexProgress.Phase, total: Int = 0) {
    state.withLock { $0 = IndexProgress(phase: phase, done: 0, total: total) }
    tell(IndexProgress(phase: phase, done: 0, total: total))
  }

  func add(_ count: Int) {
    let now = state.withLock { state in
      state.done = min(state.done + count, state.total)
      return state
    }
    tell(now)
  }
}
