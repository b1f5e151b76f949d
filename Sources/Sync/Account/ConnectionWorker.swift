import Foundation
import IMAPClient
import IMAPWire
import Ledger
import MailCore
import Maildir
import Remote
import Settings
import State
import SyncPlan
import Transport

/// One connection at work on the queue. Everything blocks; it belongs on a thread of its own.
struct ConnectionWorker {
  let context: AccountContext
  let queue: PullQueue
  let factory: ConnectionFactory
  let labels: LabelPolicy
  let schedule: RetrySchedule
  let environment: [String: String]
  /// Makes the mailbox anew from what the state holds, after its connection was lost.
  let renew: @Sendable (MailboxPull) throws -> MailboxPull

  /// Works until the queue is empty or the run is over.
  ///
  /// - Parameter first: a session that is open already: the lead's. Without one this connection only helps, and where
  ///   it cannot be made (servers limit them) the others do the work.
  func work(_ first: IMAPSession?) {
    var session = first
    var connectedAt = Date()
    while let job = queue.next() {
      if session?.isUsable != true {
        session?.close()
        session = nil
        connectedAt = Date()
        do {
          session = try connect()
        } catch {
          if first == nil { return queue.giveBack(job) }
          settle(RunFailure(connecting: error), error, job, connectedAt, isAtWork: false)
        }
      }
      guard let session else { continue }
      do {
        try run(job, RemoteMailbox(session: session, labels: labels))
      } catch {
        settle(RunFailure(error), error, job, connectedAt)
      }
    }
    session?.logout()
  }

  private func connect() throws -> IMAPSession {
    context.observer.entered(.connecting, account: context.account)
    let session = try factory.openSession()
    try factory.compress(session, environment: environment)
    return session
  }

  private func run(_ job: PullQueue.Job, _ remote: RemoteMailbox) throws {
    switch job {
    case .visit(let mailbox):
      try mailbox.visit(remote)
      queue.finished(job, leavesMore: !mailbox.isDone)
    case .measure(let share):
      try share.measure(remote)
      queue.finished(job, leavesMore: false)
    case .revisit(let mailbox):
      try mailbox.revisit(remote)
      queue.finished(job, leavesMore: false)
    }
  }

  // MARK: Failures

  private func settle(
    _ failure: RunFailure, _ error: any Error, _ job: PullQueue.Job, _ connectedAt: Date,
    isAtWork: Bool = true
  ) {
    switch failure {
    case .mailbox: skip(job, error)
    case .connection(let seconds):
      let cut = isAtWork ? job.mailbox.map { CutWork(mailbox: $0.record.name, cause: error) } : nil
      retry(job, cut ?? error, connectedAt, atLeast: seconds)
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
    guard let mailbox = job.mailbox else { return }
    let problem = RunProblem(error, mailbox: mailbox.record.name)
    context.note(problem)
    try? context.state.recordFailure(
      mailbox: mailbox.mailboxID, at: context.started, reason: problem.problem)
    context.noteChange()
    // What waits for it had better not wait for ever.
    let failures = (try? context.state.failures()) ?? []
    let failure = failures.first { $0.mailbox == mailbox.mailboxID && $0.uid == 0 }
    if (failure?.attempts ?? 0) <= 3 { context.missesMailboxes = true }
  }

  private func retry(
    _ job: PullQueue.Job, _ error: any Error, _ connectedAt: Date, atLeast seconds: Int?
  ) {
    guard let delay = schedule.next(connectedAt: connectedAt) else {
      return end(job, error)
    }
    context.observer.entered(.retryScheduled, account: context.account)
    guard context.interrupt.wait(seconds: max(delay, Double(min(seconds ?? 0, 300)))) else {
      return end(job, SyncError.interrupted)
    }
    guard let mailbox = job.mailbox else { return queue.giveBack(job) }
    do {
      queue.lost(job, fresh: try renew(mailbox))
    } catch {
      end(job, error)
    }
  }
}

/// A connection that was lost while a mailbox was pulled: the report names it, for it may be what the server trips over.
struct CutWork: Error {
  var mailbox: String
  var cause: any Error
}

/// How far a failure reaches.
enum RunFailure {
  /// Only this mailbox.
  case mailbox
  /// The connection is gone; a new one may help, after the server's own time limit where it named one.
  case connection(seconds: Int?)
  /// The whole run.
  case run

  init(_ error: any Error) {
    switch error {
    case let error as TransportError: self = error.isLost ? .connection(seconds: nil) : .run
    case let error as MaildirError: self = error.stopsRun ? .run : .mailbox
    case let error as IMAPError: self.init(error)
    case SyncError.interrupted, SyncError.folderHalfMoved, is StateError,
      is MailboxPlanning.StaleList, is MailboxPlanning.ConnectionBroken:
      self = .run
    case let error as SettingsError:
      // A password or token cannot be had; where only the way to it is cut, it may be had in a moment.
      self = error.explanation.exitStatus == .unreachable ? .connection(seconds: nil) : .run
    default: self = .mailbox
    }
  }

  /// While a lost connection is made anew: a server that is not there now may be back in a moment.
  init(connecting error: any Error) {
    switch error {
    case TransportError.cannotResolve, TransportError.refused, TransportError.unreachable,
      TransportError.handshake:
      self = .connection(seconds: nil)
    default: self.init(error)
    }
  }

  private init(_ error: IMAPError) {
    switch error {
    case .throttled(let seconds, _): self = .connection(seconds: seconds)
    case .connectionLost, .bye, .protocolViolation, .sessionOver, .loginUnavailable:
      self = .connection(seconds: nil)
    case .noSuchMailbox, .refused: self = .mailbox
    case .loginRefused, .noMechanism, .plaintextRefused, .startTLSUnavailable, .startTLSInjected,
      .preauthenticatedBeforeTLS:
      self = .run
    }
  }
}

extension RunProblem {
  /// Words for any error: the typed ones bring their own.
  init(_ error: any Error, mailbox: String? = nil) {
    if let cut = error as? CutWork {
      self.init(cut.cause, mailbox: mailbox ?? cut.mailbox)
    } else if let explained = error as? any Explained {
      self.init(explained, mailbox: mailbox, uid: nil)
    } else {
      self.init(mailbox: mailbox, problem: String(describing: error))
    }
  }
}

extension Interrupt {
  /// Sleeps; false when woken by the interrupt.
  func wait(seconds: Double) -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    while !isTriggered {
      let left = end.timeIntervalSinceNow
      if left <= 0 { return true }
      Thread.sleep(forTimeInterval: min(left, 0.1))
    }
    return false
  }
}
