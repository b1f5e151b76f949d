import Foundation
import Synchronization

/// A thread that does one thing after another, each when it is given; for work that blocks.
package final class WorkThread: Sendable {
  private struct State {
    var works: [@Sendable () -> Void] = []
    var hasEnded = false
  }

  private let state = Mutex(State())
  private let given = DispatchSemaphore(value: 0)

  package init() {
    let thread = Thread { [self] in loop() }
    thread.stackSize = 4 << 20
    thread.start()
  }

  package func give(_ work: @escaping @Sendable () -> Void) {
    state.withLock { $0.works.append(work) }
    given.signal()
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
