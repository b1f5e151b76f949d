import Foundation
import Synchronization

/// Runs asynchronous work to its end on this thread, which waits meanwhile: for threads of one's own, never for a `Task`.
///
/// The shared pool is not begun for it: whoever has that wakes each second, and a watch is to sleep.
///
/// - Parameter isCancelled: looked at ten times a second; when true the work is cancelled, and still waited for.
package func waiting<Value: Sendable>(
  isCancelled: () -> Bool = { false },
  for work: @escaping @Sendable () async -> Value
) -> Value {
  let thread = WaitingThread.resting()
  defer { thread.rest() }
  let answer = Mutex<Value?>(nil)
  let task = Task.detached(executorPreference: thread) {
    let value = await work()
    answer.withLock { $0 = value }
  }
  while true {
    thread.runJob(within: 0.1)
    if let value = answer.withLock({ $0 }) { return value }
    if isCancelled() { task.cancel() }
  }
}

/// Takes a task's jobs for the thread that waits for it.
///
/// None is ever let go of: who hands in the last job holds none, and may still be about to signal when that job has
/// ended and nobody waits any more. They are used again instead.
private final class WaitingThread: TaskExecutor, @unchecked Sendable {  // `lock` guards `jobs`
  private static let idle = Mutex<[WaitingThread]>([])

  static func resting() -> WaitingThread { idle.withLock { $0.popLast() } ?? WaitingThread() }

  func rest() { Self.idle.withLock { $0.append(self) } }

  private let lock = NSCondition()
  private var jobs: [UnownedJob] = []

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    lock.withLock { jobs.append(job) }
    lock.signal()
  }

  func runJob(within seconds: Double) {
    lock.lock()
    let end = Date() + seconds
    while jobs.isEmpty, lock.wait(until: end) {}
    let job = jobs.isEmpty ? nil : jobs.removeFirst()
    lock.unlock()
    job?.runSynchronously(on: asUnownedTaskExecutor())
  }
}
