import CLISupport
import Foundation
import Reading
import Settings
import Synchronization

/// Brings the index up to date on a thread of its own: at once after a pull, a moment after changes in the tree. What is
/// asked for meanwhile is one update more.
final class IndexFollower: Sendable {
  private struct State {
    /// When the next update is due; nil where nothing is asked for.
    var due: ContinuousClock.Instant?
    var done: [@Sendable () -> Void] = []
    var isRunning = false
  }

  private let report: Report
  private let configuration: Mutex<Configuration>
  private let state = Mutex(State())

  private static let wait = Duration.seconds(2)

  init(configuration: Configuration, report: Report) {
    self.configuration = Mutex(configuration)
    self.report = report
  }

  func use(_ configuration: Configuration) {
    self.configuration.withLock { $0 = configuration }
  }

  /// Something changed in the tree.
  func treeChanged() { ask(by: .now + Self.wait) }

  /// - Parameter done: called when the index has what is in the tree now.
  func follow(_ done: @escaping @Sendable () -> Void) { ask(by: .now, done) }

  private func ask(by due: ContinuousClock.Instant, _ done: (@Sendable () -> Void)? = nil) {
    let starts = state.withLock { state in
      state.due = min(state.due ?? due, due)
      if let done { state.done.append(done) }
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard starts else { return }
    let thread = Thread { [self] in
      while let due = next() {
        let wait = due - .now
        if wait > .zero {
          // Short, since a pull may ask for an update sooner.
          Thread.sleep(forTimeInterval: min(0.1, wait / .seconds(1)))
          continue
        }
        let done = state.withLock { state in
          state.due = nil
          defer { state.done = [] }
          return state.done
        }
        update()
        for done in done { done() }
      }
    }
    thread.stackSize = 4 << 20
    thread.start()
  }

  private func update() {
    let configuration = configuration.withLock { $0 }
    let root = configuration.root
    IndexAfterPull.run(
      root: root, ownAddresses: configuration.accounts.compactMap(\.email), report: report,
      showsProgress: false)
    BouncesAfterPull(root: root, report: report).run(configuration.accounts)
  }

  /// When the next update is due; where none is asked for the thread ends.
  private func next() -> ContinuousClock.Instant? {
    state.withLock { state in
      if state.due == nil { state.isRunning = false }
      return state.due
    }
  }
}
