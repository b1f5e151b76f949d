import Foundation
import Testing

/// Runs tests that wait for other programs on threads of their own.
///
/// The shared pool has as many threads as the machine has cores. Tests that block there would hold up every
/// test that only awaits, and those measure time.
struct OnBlockingThreads: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(BlockingThreads.shared) { try await function() }
  }
}

extension Trait where Self == OnBlockingThreads {
  static var onBlockingThreads: Self { OnBlockingThreads() }
}

/// A few threads that take jobs in turn. Unchecked: `jobs` lies behind `lock`.
private final class BlockingThreads: TaskExecutor, @unchecked Sendable {
  static let shared = BlockingThreads(count: max(2, ProcessInfo.processInfo.activeProcessorCount))

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
