import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Programs that run for this process now. One that ends does not leave them behind: it hears no more what they say.
package final class RunningCommands: Sendable {
  /// Password commands.
  package static let ofProcess = RunningCommands()
  /// What new mail is told to, as process groups.
  package static let ofArrivals = RunningCommands()

  private let running = Mutex<Set<pid_t>>([])

  var isEmpty: Bool { running.withLock { $0.isEmpty } }

  /// Has them end, which they count as a failure.
  package func end() {
    running.withLock { for number in $0 { _ = kill(number, SIGTERM) } }
  }

  /// Lets them end by themselves for a moment. Blocks.
  package func end(after patience: Duration) {
    let end = ContinuousClock.now + patience
    while !isEmpty, ContinuousClock.now < end { Thread.sleep(forTimeInterval: 0.02) }
    self.end()
  }

  /// - Parameter number: its own until it is waited for, which is after ``ended(_:)``; that of a group below zero.
  package func began(_ number: pid_t) { running.withLock { _ = $0.insert(number) } }
  package func ended(_ number: pid_t) { running.withLock { _ = $0.remove(number) } }
}
