import Foundation
import MailCore
import Remote
import SyncPlan

/// The order in which mailboxes are visited: the INBOX's newest messages before anything else, then the newest of every
/// other mailbox, then the rest of each, and last, where the tree is matched anew, what may have its file in another folder.
/// Under a window by size a survey comes in between: what lies outside the window is not to be fetched. Shared by the
/// connections of one run.
final class PullQueue: Sendable {
  enum Job {
    case visit(MailboxPull)
    case measure(SizeSurvey.Share)
    /// What a visit left that went on to the next mailbox.
    case newest(MailboxPull)
    case revisit(MailboxPull)

    /// Nil where a mailbox is only measured.
    var pull: MailboxPull? {
      switch self {
      case .visit(let pull), .newest(let pull), .revisit(let pull): pull
      case .measure: nil
      }
    }

    var target: MailboxTarget {
      switch self {
      case .visit(let pull), .newest(let pull), .revisit(let pull):
        MailboxTarget(pull.mailbox.record)
      case .measure(let share): MailboxTarget(share.listing)
      }
    }

    /// What it asks for first, where that is known before its mailbox is open.
    var opening: Opening? {
      switch self {
      case .visit(let pull): pull.opening
      case .measure: nil
      case .newest(let pull): pull.openingForNewest
      case .revisit(let pull): pull.reopening
      }
    }

    /// Once that is answered nothing is to be asked for in the mailbox, as far as can be foreseen.
    var isOneFlight: Bool {
      switch self {
      case .visit(let pull): pull.mayOnlyLook
      case .measure: false
      case .newest(let pull): pull.newestToCome.count <= DownloadOrder.messagesAtOnce
      case .revisit(let pull): pull.downloads.remaining.count <= DownloadOrder.messagesAtOnce
      }
    }
  }

  /// What must be known before the window is, and the visits that follow from it.
  struct Survey: Sendable {
    let shares: [SizeSurvey.Share]
    let decide: @Sendable () throws -> (WindowPlan, [MailboxPull])
  }

  private struct Content {
    var visits: [MailboxPull] = []
    var shares: [SizeSurvey.Share] = []
    /// Set until the window is decided.
    var decide: (@Sendable () throws -> (WindowPlan, [MailboxPull]))?
    var newest: [MailboxPull] = []
    var revisits: [MailboxPull] = []
    /// To be visited once more when all others were matched with their own folders.
    var late: [MailboxPull] = []
    var inboxIsUnderWay = false
    var underWay = 0
    /// Of those under way, what connections have in hand besides the job that they are at.
    var reserved = 0
    var hasLostConnection = false
    var stop: (any Error)?
    var outcomes: [MailboxOutcome] = []

    /// Without those that are only measured.
    var first: Job? {
      visits.first.map(Job.visit) ?? newest.first.map(Job.newest) ?? revisits.first.map(Job.revisit)
    }
    var waiting: [MailboxPull] { visits + newest + revisits + late }
    var waitingCount: Int { visits.count + newest.count + revisits.count }
  }

  private let condition = NSCondition()
  nonisolated(unsafe) private var content = Content()  // behind `condition`

  /// - Parameter mailboxes: INBOX first, where it is among them.
  init(_ mailboxes: [MailboxPull], survey: Survey? = nil) {
    content.visits = mailboxes
    content.shares = survey?.shares ?? []
    content.decide = survey?.decide
  }

  /// The next job; waits while others may still bring one; nil when there will be none.
  func next() -> Job? {
    condition.withLock {
      while true {
        if content.stop != nil { return nil }
        if !content.inboxIsUnderWay, let job = takeJob() {
          content.underWay += 1
          return job
        }
        if content.underWay == 0, content.decide == nil || content.stop != nil { return nil }
        condition.wait()
      }
    }
  }

  /// A job for a connection that is through with its own but for answers, and what it asks for first. Nil where that is
  /// not known, and where there are no more jobs than connections at work: one that is idle sooner does it sooner.
  func nextAtOnce() -> (Job, Opening)? {
    condition.withLock {
      guard content.stop == nil, content.decide == nil, !content.inboxIsUnderWay,
        content.waitingCount > content.underWay - content.reserved,
        let opening = content.first?.opening, let job = takeJob()
      else { return nil }
      content.underWay += 1
      content.reserved += 1
      return (job, opening)
    }
  }

  /// Over which mailbox a connection is lost shows only where no other is under way on it: from now on none is.
  func noteLoss() { condition.withLock { content.hasLostConnection = true } }
  var hasLostConnection: Bool { condition.withLock { content.hasLostConnection } }

  /// One of those is at hand now.
  func begun() { condition.withLock { content.reserved -= 1 } }

  private func takeJob() -> Job? {
    if content.visits.isEmpty, content.shares.isEmpty, content.underWay == 0 { decideWindow() }
    if content.stop != nil { return nil }
    if content.decide != nil, content.visits.isEmpty {
      return content.shares.isEmpty ? nil : .measure(content.shares.removeFirst())
    }
    if !content.visits.isEmpty {
      let pull = content.visits.removeFirst()
      content.inboxIsUnderWay = pull.mailbox.record.isInbox
      return .visit(pull)
    }
    if !content.newest.isEmpty { return .newest(content.newest.removeFirst()) }
    if content.revisits.isEmpty, content.underWay == 0 {
      (content.revisits, content.late) = (content.late, [])
      condition.broadcast()
    }
    return content.revisits.isEmpty ? nil : .revisit(content.revisits.removeFirst())
  }

  /// All shares are in, and nobody works on anything.
  private func decideWindow() {
    guard let decide = content.decide else { return }
    content.decide = nil
    do {
      let (window, visits) = try decide()
      content.visits = visits
      for pull in content.revisits { pull.window.plan = window }
    } catch {
      content.stop = error
    }
    condition.broadcast()
  }

  /// The job is done; `leaves` tells whether the mailbox is to be visited again.
  func finished(_ job: Job, leavesMore: Bool) {
    condition.withLock {
      settle(job)
      guard let pull = job.pull else { return }
      if leavesMore {
        if case .visit = job, pull.onlyLooked {
          content.newest.append(pull)
        } else if pull.awaitsOthers {
          content.late.append(pull)
        } else {
          content.revisits.append(pull)
        }
      } else {
        content.outcomes.append(pull.mailbox.outcome)
      }
    }
  }

  /// The job was not begun.
  func giveBack(_ job: Job) {
    condition.withLock {
      settle(job)
      switch job {
      case .visit(let pull): content.visits.insert(pull, at: 0)
      case .measure(let share): content.shares.insert(share, at: 0)
      case .newest(let pull): content.newest.insert(pull, at: 0)
      case .revisit(let pull): content.revisits.insert(pull, at: 0)
      }
    }
  }

  /// The connection was lost in the middle: `fresh` starts over from what the state holds.
  func lost(_ job: Job, fresh: MailboxPull?) {
    condition.withLock {
      settle(job)
      if let pull = job.pull { content.outcomes.append(pull.mailbox.outcome) }
      if let fresh { content.visits.insert(fresh, at: 0) }
    }
  }

  private func settle(_ job: Job) {
    content.underWay -= 1
    if case .visit(let pull) = job, pull.mailbox.record.isInbox {
      content.inboxIsUnderWay = false
    }
    condition.broadcast()
  }

  /// Ends the run: nobody gets another job. The first reason counts.
  func stop(_ error: any Error) {
    condition.withLock {
      if content.stop == nil { content.stop = error }
      condition.broadcast()
    }
  }

  var reasonToStop: (any Error)? { condition.withLock { content.stop } }
  /// Also of mailboxes whose second visit never came, because the run was stopped.
  var outcomes: [MailboxOutcome] {
    condition.withLock {
      content.outcomes + content.waiting.map(\.mailbox.outcome)
    }
  }
  /// How many connections may find something to do; nobody knows before the window is decided.
  var jobsExpected: Int {
    condition.withLock {
      content.decide != nil
        ? .max : content.waitingCount + content.shares.count
    }
  }
}
