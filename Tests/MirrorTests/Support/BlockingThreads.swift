import Foundation
import Testing

/// Runs tests that wait for other programs on threads of their own.
///
/// The shared pool has as many threads as the machine has cores. Tests that block there would hold up every
/// test that only awaits, and those measure time.
struct OnBlockingThreads: SuiteTrait, TestTrait, TestScoping {
  fileprivate let threads: BlockingThreads

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(threads) { try await function() }
  }
}

extension Trait where Self == OnBlockingThreads {
  static var onBlockingThreads: Self { OnBlockingThreads(threads: .working) }

  /// For tests that hardly work: most of their time passes until a program does something by itself, so they go on
  /// beside those that keep the cores busy.
  static var onWaitingThreads: Self { OnBlockingThreads(threads: .waiting) }
}

/// A few threads that take jobs in turn. Unchecked: `jobs` lies behind `lock`.
private final class BlockingThreads: TaskExecutor, @unchecked Sendable {
  static let working = BlockingThreads(count: max(2, ProcessInfo.processInfo.activeProcessorCount))
  static let waiting = BlockingThreads(count: 4)

  private let lock = NSCondition()
  private var jobs: [UnownedJob] = []

  private init(count: Int) {
    for _ in 0..<count {
      let thread = Thread { [self] in
        while true { next().runSynchronously(on: asUnownedTaskExecutor()) }
      }
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    lock.withLock { jobs.append(job) }
    lock.signal()
  }

  private func next() -> UnownedJob {
    lock.withLock {
      while jobs.isEmpty { lock.wait() }
      return jobs.removeFirst()
    }
  }
}
