import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Password commands that run now. A process that ends does not leave them behind: nobody hears any more what they say.
package final class RunningCommands: Sendable {
  package static let ofProcess = RunningCommands()

  private let running = Mutex<Set<pid_t>>([])

  var isEmpty: Bool { running.withLock { $0.isEmpty } }

  /// Has them end, which they count as a failure.
  package func end() {
    running.withLock { for number in $0 { _ = kill(number, SIGTERM) } }
  }

  /// - Parameter number: its own until it is waited for, which is after ``ended(_:)``.
  func began(_ number: pid_t) { running.withLock { _ = $0.insert(number) } }
  func ended(_ number: pid_t) { running.withLock { _ = $0.remove(number) } }
}
