import Foundation
import IMAPClient
import MailCore
import Remote
import State
import SyncPlan

/// One connection at work on the queue. Everything blocks; it belongs on a thread of its own.
struct ConnectionWorker {
  let context: AccountContext
  let queue: PullQueue
  let factory: ConnectionFactory
  let labels: LabelPolicy
  let schedule: RetrySchedule
  let environment: [String: String]

  /// Works until the queue is empty or the run is over.
  ///
  /// - Parameter first: a session that is open already: the lead's. Without one this connection only helps, and where
  ///   it cannot be made (servers limit them) the others do the work.
  func work(_ first: IMAPSession?) {
    var session = first
    var connectedAt = Date()
    let ahead = JobsAhead(queue)
    while let job = ahead.take() ?? queue.next() {
      let reasonToSkip = job.pull?.reasonToSkip
      do {
        if session?.isUsable != true {
          session?.close()
          session = nil
          connectedAt = Date()
          session = try connect()
        }
        // While the server does not answer, it may be the line.
        if reasonToSkip != nil { try session?.execute(.noop) }
      } catch {
        if first == nil { return queue.giveBack(job) }
        settle(RunFailure(connecting: error), error, job, connectedAt, isAtWork: false)
        continue
      }
      guard let session else { continue }
      if let reasonToSkip {
        skip(job, reasonToSkip)
        continue
      }
      do {
        let connection = RemoteConnection(session: session, labels: labels, policy: context.policy)
        try connection.withMailbox(job.target, next: ahead.open) { try run(job, $0) }
        schedule.succeeded()
      } catch {
        let isCertain = ahead.isEmpty
        ahead.giveBack()
        settle(RunFailure(error), error, job, connectedAt, isCertain: isCertain)
      }
    }
    ahead.giveBack()
    if let session { factory.end(session) }
  }

  private func connect() throws -> IMAPSession {
    if let session = factory.kept?.takeAlive() { return session }
    context.observer.entered(.connecting, account: context.account)
    let session = try factory.openSession()
    try factory.compress(session, environment: environment)
    return session
  }

  private func run(_ job: PullQueue.Job, _ remote: borrowing OpenMailbox) throws {
    switch job {
    case .visit(let pull):
      try pull.visit(remote)
      queue.finished(job, leavesMore: !pull.isDone)
    case .measure(let share):
      try share.measure(remote)
      queue.finished(job, leavesMore: false)
    case .newest(let pull):
      try pull.bringNewest(remote)
      queue.finished(job, leavesMore: !pull.isDone)
    case .revisit(let pull):
      try pull.revisit(remote)
      queue.finished(job, leavesMore: pull.awaitsOthers)
    }
  }

  // MARK: Failures

  /// - Parameter isCertain: nothing of another mailbox was under way.
  private func settle(
    _ failure: RunFailure, _ error: any Error, _ job: PullQueue.Job, _ connectedAt: Date,
    isAtWork: Bool = true, isCertain: Bool = true
  ) {
    switch failure {
    case .mailbox: skip(job, error)
    case .connection(let seconds):
      if isAtWork { queue.noteLoss() }
      guard isAtWork, isCertain, let pull = job.pull else {
        return retry(job, error, connectedAt, atLeast: seconds)
      }
      // A server that asks for patience does not trip over anything.
      let explained = seconds == nil ? pull.lost(because: error) : 0
      let cut = CutWork(mailbox: pull.mailbox.record.name, cause: error)
      retry(job, cut, connectedAt, atLeast: seconds)
      schedule.forgive(explained)
    case .run:
      end(job, error)
    }
  }

  /// The run is over before the job is out of the way: nobody must take its absence for its end.
  private func end(_ job: PullQueue.Job, _ error: any Error) {
    queue.stop(error)
    queue.lost(job, fresh: nil)
  }

  /// One mailbox fails: recorded, reported, tried again on the next run; the others go on.
  private func skip(_ job: PullQueue.Job, _ error: any Error) {
    defer { queue.lost(job, fresh: nil) }
    if case .measure(let share) = job {
      // It is visited without sizes; what is wrong with it shows there again.
      share.failed()
      return context.note(RunProblem(error, mailbox: share.listing.name.text))
    }
    guard let mailbox = job.pull?.mailbox else { return }
    let problem = RunProblem(error, mailbox: mailbox.record.name)
    context.note(problem)
    try? context.state.recordFailure(
      mailbox: mailbox.id, at: context.started, reason: problem.problem,
      passesByItself: (error as? SyncError)?.passesByItself == true)
    context.noteChange()
    let failures = (try? context.state.failures()) ?? []
    let failure = failures.first { $0.mailbox == mailbox.id && $0.uid == nil }
    if failure?.isAwaited != false { context.missesMailboxes = true }
  }

  private func retry(
    _ job: PullQueue.Job, _ error: any Error, _ connectedAt: Date, atLeast seconds: Int?
  ) {
    do {
      try schedule.wait(after: error, connectedAt: connectedAt, atLeast: seconds, in: context)
      guard let pull = job.pull else { return queue.giveBack(job) }
      queue.lost(job, fresh: try pull.renewed())
    } catch {
      end(job, error)
    }
  }
}
