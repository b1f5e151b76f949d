import CLISupport
import Foundation
import MailCore
import MailIndex
import Reading
import Settings
import Synchronization

/// Brings the index up to date on a thread of its own: at once after a pull, a moment after changes in the tree. What is
/// asked for meanwhile is one update more; one that fails, as while another program has the index, is made again.
final class IndexFollower: Sendable {
  typealias Update = @Sendable (Configuration) throws(IndexError) -> Void

  private struct State {
    /// When the next update is due; nil where nothing is asked for.
    var due: ContinuousClock.Instant?
    var done: [@Sendable () -> Void] = []
    var isRunning = false
  }

  /// Between one that failed and the next: longer each time.
  struct Retries {
    var next: Duration
    var longest: Duration

    static let usual = Retries(next: .seconds(5), longest: .seconds(60))

    mutating func failed() -> Duration {
      defer { next = min(next * 2, longest) }
      return next
    }
  }

  private let report: Report
  private let configuration: Mutex<Configuration>
  private let retries: Retries
  private let update: Update
  private let state = Mutex(State())
  /// An update is due sooner than the thread knows.
  private let hurry = DispatchSemaphore(value: 0)

  private static let wait = Duration.seconds(2)

  init(
    configuration: Configuration, report: Report, retries: Retries = .usual,
    update: @escaping Update
  ) {
    self.configuration = Mutex(configuration)
    (self.report, self.retries, self.update) = (report, retries, update)
  }

  convenience init(configuration: Configuration, report: Report) {
    self.init(configuration: configuration, report: report) {
      (configuration) throws(IndexError) in
      let root = configuration.root
      try IndexAfterPull.update(
        root: root, ownAddresses: configuration.accounts.compactMap(\.email),
        authorities: configuration.authorities, report: report, showsProgress: false)
      BouncesAfterPull(root: root, report: report).run(configuration.accounts)
    }
  }

  func use(_ configuration: Configuration) {
    self.configuration.withLock { $0 = configuration }
  }

  /// Something changed in the tree.
  func treeChanged() { ask(by: .now + Self.wait) }

  /// - Parameter done: called when the index has what is in the tree now.
  func follow(_ done: @escaping @Sendable () -> Void) { ask(by: .now, [done]) }

  private func ask(by due: ContinuousClock.Instant, _ done: [@Sendable () -> Void] = []) {
    let starts = state.withLock { state in
      state.due = min(state.due ?? due, due)
      state.done += done
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard starts else {
      hurry.signal()
      return
    }
    // Where the system gives no more threads, what is asked for next begins it.
    if !startThread(name: "index", stack: 4, { [self] in followAll() }) {
      state.withLock { $0.isRunning = false }
    }
  }

  private func followAll() {
    var retries = retries
    var told: IndexError?
    while let due = next() {
      let wait = due - .now
      if wait > .zero {
        _ = hurry.wait(timeout: .now() + wait / .seconds(1))
        continue
      }
      let done = state.withLock { state in
        state.due = nil
        defer { state.done = [] }
        return state.done
      }
      do throws(IndexError) {
        try update(configuration.withLock { $0 })
        (retries, told) = (self.retries, nil)
        for done in done { done() }
        IndexMemory.giveBack()
      } catch {
        if error != told { IndexAfterPull.tell(error, report) }
        told = error
        state.withLock { $0.done = done + $0.done }
        ask(by: .now + retries.failed())
      }
    }
  }

  /// When the next update is due; where none is asked for the thread ends.
  private func next() -> ContinuousClock.Instant? {
    state.withLock { state in
      if state.due == nil { state.isRunning = false }
      return state.due
    }
  }
}
