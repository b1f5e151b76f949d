import Remote

/// The job that a connection will do next, once it has begun to ask for it after the last messages of the one before.
/// Confined to the connection's thread.
final class JobAhead {
  private let queue: PullQueue
  private var job: PullQueue.Job?

  init(_ queue: PullQueue) { self.queue = queue }

  /// Takes it from the queue, which no other connection can then.
  func opening() -> Opening? {
    guard job == nil, let (next, opening) = queue.nextAtOnce() else { return nil }
    job = next
    return opening
  }

  /// Nil where there is none, or the run was stopped meanwhile.
  func take() -> PullQueue.Job? {
    guard queue.reasonToStop == nil, let job else { return nil }
    self.job = nil
    return job
  }

  /// At the end, and where its answers are not to be had any more.
  func giveBack() {
    if let job { queue.giveBack(job) }
    job = nil
  }
}
