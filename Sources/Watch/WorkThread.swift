import Foundation
import MailCore
import Synchronization

/// A thread that does one thing after another, each when it is given; for work that blocks. It begins with the first.
///
/// Where the system gives no more threads, the giver does the work.
package final class WorkThread: Sendable {
  private struct State {
    var works: [@Sendable () -> Void] = []
    var hasThread = false
    var hasEnded = false
  }

  private let state = Mutex(State())
  private let given = DispatchSemaphore(value: 0)

  package init() {}

  package func give(_ work: @escaping @Sendable () -> Void) {
    let isFirst = state.withLock { state in
      state.works.append(work)
      defer { state.hasThread = true }
      return !state.hasThread
    }
    guard isFirst, !startThread(name: "work", stack: 4, { [self] in loop() }) else {
      given.signal()
      return
    }
    while let work = nextWithoutThread() { work() }
  }

  /// The next one that is given tries for a thread again.
  private func nextWithoutThread() -> (@Sendable () -> Void)? {
    state.withLock { state in
      if state.works.isEmpty { state.hasThread = false }
      return state.works.isEmpty ? nil : state.works.removeFirst()
    }
  }

  /// What was given before is done still.
  package func end() {
    state.withLock { $0.hasEnded = true }
    given.signal()
  }

  private func loop() {
    while true {
      given.wait()
      let (work, ends) = state.withLock { state in
        (state.works.isEmpty ? nil : state.works.removeFirst(), state.hasEnded)
      }
      if let work {
        work()
      } else if ends {
        return
      }
    }
  }
}
