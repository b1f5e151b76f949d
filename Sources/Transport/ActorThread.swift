#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An executor that runs one actor's jobs on a thread of its own, where blocking is allowed.
///
/// The actor holds it and returns it as its `unownedExecutor`. When the actor lets go, the thread finishes
/// what is queued and ends.
package final class ActorThread: SerialExecutor {
  private let queue = JobQueue()

  /// - Parameter name: for debuggers and top; Linux keeps 15 bytes.
  package init(name: String) {
    let queue = queue
    guard startThread(name: name, { queue.run() }) else {
      // Without its thread no job would ever run; a program that is out of threads is out of memory too.
      fatalError("no thread can be started")
    }
  }

  deinit { queue.finish() }

  package func enqueue(_ job: consuming ExecutorJob) {
    queue.add(UnownedJob(job), for: self)
  }

  package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  /// Lets code that already runs on the thread use `assumeIsolated`.
  package func checkIsolated() {
    precondition(queue.isCurrentThread, "not on the actor's thread")
  }

  /// Ends the thread after what is queued; jobs that come later are run before it ends, or never.
  package func stop() { queue.finish() }
}

/// Jobs wait here, each with the executor it belongs to, so that the executor outlives them.
private final class JobQueue: @unchecked Sendable {  // everything below is used under `mutex` only
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var jobs: [(job: UnownedJob, executor: ActorThread)] = []
  private var isFinished = false
  private var thread: pthread_t?

  init() {
    mutex.initialize(to: pthread_mutex_t())
    condition.initialize(to: pthread_cond_t())
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  var isCurrentThread: Bool {
    locked { thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
  }

  func add(_ job: UnownedJob, for executor: ActorThread) {
    locked { jobs.append((job, executor)) }
    pthread_cond_signal(condition)
  }

  func finish() {
    locked { isFinished = true }
    pthread_cond_signal(condition)
  }

  func run() {
    locked { thread = pthread_self() }
    while let batch = next() {
      for (job, executor) in batch {
        job.runSynchronously(on: executor.asUnownedSerialExecutor())
      }
    }
  }

  private func next() -> [(job: UnownedJob, executor: ActorThread)]? {
    locked {
      while jobs.isEmpty {
        if isFinished { return nil }
        pthread_cond_wait(condition, mutex)
      }
      defer { jobs.removeAll(keepingCapacity: true) }
      return jobs
    }
  }

  private func locked<R>(_ body: () -> R) -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }
}
