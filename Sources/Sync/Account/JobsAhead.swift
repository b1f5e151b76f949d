import Remote

/// The jobs that a connection will do next, for which it has asked already after the last command of the one before: small
/// mailboxes cost no round trip each. Confined to the connection's thread.
final class JobsAhead {
  private let queue: PullQueue
  /// Each with how many messages were asked for.
  private var jobs: [(job: PullQueue.Job, messages: Int)] = []
  /// The last one wants more than was asked for: nothing may be sent after it.
  private var isComplete = true

  /// More than this many hide no more of a line's latency.
  private static let most = 8
  /// Of which one connection may put the others out of work.
  private static let mostMessages = 200

  init(_ queue: PullQueue) { self.queue = queue }

  /// Takes them from the queue, which no other connection can then.
  func open(_ send: (Opening) throws -> SentAhead) throws {
    while isComplete, !queue.hasLostConnection, jobs.count < Self.most,
      jobs.reduce(0, { $0 + $1.messages }) < Self.mostMessages,
      let (job, opening) = queue.nextAtOnce()
    {
      var messages = 0
      if case .messages(_, let request) = opening { messages = request.uids.count }
      jobs.append((job, messages))
      isComplete = try send(opening) == .whole && job.isOneFlight
    }
  }

  var isEmpty: Bool { jobs.isEmpty }

  /// Nil where there is none, or the run was stopped meanwhile.
  func take() -> PullQueue.Job? {
    guard queue.reasonToStop == nil, !jobs.isEmpty else { return nil }
    let job = jobs.removeFirst().job
    queue.begun()
    if jobs.isEmpty { isComplete = true }
    return job
  }

  /// At the end, and where their answers are not to be had any more.
  func giveBack() {
    for (job, _) in jobs.reversed() {
      queue.begun()
      queue.giveBack(job)
    }
    jobs = []
    isComplete = true
  }
}
