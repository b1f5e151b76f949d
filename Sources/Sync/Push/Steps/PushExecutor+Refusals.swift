import IMAPClient
import IMAPWire
import Ledger
import MailCore
import State
import SyncPlan

/// Refusals and new tries are counted over all runs: one that is stopped while it waits does not begin anew.
extension PushExecutor {
  /// Counts one more refusal.
  ///
  /// - Parameter isFinal: it need not be asked for again.
  /// - Returns: how many there were, over all runs.
  @discardableResult
  func refuse(_ mailbox: Int64, _ subject: RefusalSubject, _ reason: String, isFinal: Bool = false) throws
    -> Int
  {
    let attempts = try refusals(of: mailbox, subject) + 1
    let refusal = PushRefusal(
      mailbox: mailbox, subject: subject,
      attempts: isFinal ? max(attempts, PushRefusal.most) : attempts,
      lastAttempt: context.started, reason: reason)
    try state.transaction { try $0.put(refusal) }
    context.noteChange()
    return refusal.attempts
  }

  /// How often this was refused so far, over all runs.
  func refusals(of mailbox: Int64, _ subject: RefusalSubject) throws -> Int {
    try state.pushRefusals().first { $0.mailbox == mailbox && $0.subject == subject }?.attempts ?? 0
  }

  /// Three times refused, and not asked for again (DESIGN section 6).
  func isGivenUp(_ mailbox: Int64, _ subject: RefusalSubject) throws -> Bool {
    guard !triesAgain else { return false }
    return try refusals(of: mailbox, subject) >= PushRefusal.most
  }

  /// A server that asks for fewer requests gets none for a while; nothing that waits is given up.
  func stopIfThrottled(_ result: TaggedResult) throws {
    if !result.isOK, let throttle = result.throttle {
      throw IMAPError.throttled(seconds: throttle.seconds, result.text)
    }
  }

  /// Done now: nothing speaks against asking for its like.
  func forgive(_ subject: RefusalSubject, _ mailbox: Int64) throws {
    guard try refusals(of: mailbox, subject) > 0 else { return }
    try state.transaction { try $0.removeRefusal(mailbox: mailbox, subject: subject) }
    context.noteChange()
  }

  /// Not now, or not without a right that somebody else must give: the person's work stays as it is.
  ///
  /// - Parameter subject: of the refusal, counted where the server denies a right.
  func leavePending(
    _ count: Int, _ subject: RefusalSubject, _ what: String, _ result: TaggedResult, _ mailbox: Int64
  ) throws {
    let isDenied = result.code == .noPermission
    if isDenied {
      try refuse(mailbox, subject, result.text, isFinal: lacksRight(to: subject, in: mailbox))
    }
    self.count(
      PushAction(.waiting, mailbox: name(mailbox), detail: "the server said no", count: count))
    context.note(
      RunProblem(
        mailbox: name(mailbox),
        problem: isDenied
          ? "You have no right to these changes here (\(what))\(result.quoted): they stay on this side."
          : "The server cannot do this now (\(what))\(result.quoted): "
            + (count == 1 ? "1 change waits." : "\(count) changes wait."),
        remedy: isDenied
          ? "Ask the mailbox's owner for it; `mirror push --full` tries again."
          : "Push again later."
      ))
  }

  // MARK: New tries

  /// New tries of a kind of change that earlier runs made, and could not bring to an end.
  func triesSoFar(_ kind: RefusalSubject, _ mailbox: Int64) throws -> Int {
    guard !triesAgain else { return 0 }
    return min(try refusals(of: mailbox, .tries(kind)), delays.count)
  }

  /// Notes that the server refused, and waits.
  func waitBeforeRetry(_ tries: Int, _ kind: RefusalSubject, _ mailbox: Int64, _ result: TaggedResult)
    throws
  {
    // What passes is no refusal.
    if !result.isTransient { try refuse(mailbox, .tries(kind), result.text) }
    try wait(beforeRetry: tries)
  }

  func wait(beforeRetry tries: Int) throws {
    context.observer.entered(.retryScheduled, account: context.account)
    guard context.interrupt.wait(seconds: delays[tries]) else { throw SyncError.interrupted }
  }

  /// It came to an end, whichever.
  func forgetTries(_ kind: RefusalSubject, _ mailbox: Int64) throws {
    try forgive(.tries(kind), mailbox)
  }
}
