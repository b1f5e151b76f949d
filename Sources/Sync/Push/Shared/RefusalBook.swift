import IMAPWire
import Ledger
import MailCore
import State
import SyncPlan

/// Refusals and new tries, counted over all runs: one that is stopped while it waits does not begin anew.
struct RefusalBook {
  let context: AccountContext
  let known: KnownMailboxes
  let report: PushReport
  /// Waits before a refused change is tried again.
  let delays: [Double]
  /// What was given up is tried again.
  let triesAgain: Bool

  private var state: StateStore { context.state }

  /// Counts one more refusal.
  ///
  /// - Parameter isFinal: it need not be asked for again.
  /// - Returns: how many there were, over all runs.
  @discardableResult func refuse(
    _ mailbox: MailboxKey, _ subject: RefusalSubject, _ reason: String, isFinal: Bool = false,
    obstacle: PushRefusal.Obstacle? = nil
  ) throws -> Int {
    let attempts = try attempts(mailbox, subject) + 1
    let refusal = PushRefusal(
      mailbox: mailbox, subject: subject,
      attempts: isFinal ? max(attempts, PushRefusal.most) : attempts,
      lastAttempt: context.started, reason: reason, obstacle: obstacle)
    try context.write { try $0.put(refusal) }
    return refusal.attempts
  }

  /// Keeps the server's words for `mirror status`, and counts nothing: each push asks again.
  func keepWords(_ mailbox: MailboxKey, _ subject: RefusalSubject, _ result: TaggedResult) throws {
    let refusal = PushRefusal(
      mailbox: mailbox, subject: subject, attempts: try attempts(mailbox, subject),
      lastAttempt: context.started, reason: result.text, obstacle: result.obstacle)
    try context.write { try $0.put(refusal) }
  }

  /// How often this was refused so far, over all runs.
  func attempts(_ mailbox: MailboxKey, _ subject: RefusalSubject) throws -> Int {
    try state.pushRefusals().first { $0.mailbox == mailbox && $0.subject == subject }?.attempts ?? 0
  }

  /// Refused in three runs for want of a right, and not asked for again. Tries within a run are counted as `.tries`.
  func isGivenUp(_ mailbox: MailboxKey, _ subject: RefusalSubject) throws -> Bool {
    guard !triesAgain else { return false }
    return try attempts(mailbox, subject) >= PushRefusal.most
  }

  /// Keywords that a mailbox took and did not keep, folded.
  func givenUpKeywords(_ mailbox: MailboxKey) throws -> Set<String> {
    guard !triesAgain else { return [] }
    let given = try state.pushRefusals().filter {
      $0.mailbox == mailbox && $0.attempts >= PushRefusal.most
    }
    return Set(given.compactMap { if case .keyword(let name) = $0.subject { name } else { nil } })
  }

  /// Done now: nothing speaks against asking for its like.
  func forgive(_ subject: RefusalSubject, _ mailbox: MailboxKey) throws {
    let refusals = try state.pushRefusals()
    guard refusals.contains(where: { $0.mailbox == mailbox && $0.subject == subject }) else {
      return
    }
    try context.write { try $0.removeRefusal(mailbox: mailbox, subject: subject) }
  }

  /// What the server no longer has where the state says is not asked for again before a pull has looked (promise 10).
  func putLost(_ uids: [UID], _ mailbox: MailboxKey, isTold: Bool = true) throws {
    guard !uids.isEmpty else { return }
    try context.write { transaction in
      for uid in uids {
        try transaction.put(
          PushRefusal(
            mailbox: mailbox, subject: .lost(uid), attempts: 1, lastAttempt: context.started,
            reason: "gone from the server"))
      }
    }
    guard isTold else { return }
    report.tell(
      RunProblem(
        mailbox: known.name(mailbox),
        problem: uids.count == 1
          ? "1 message is no longer where it was on the server."
          : "\(uids.count) messages are no longer where they were on the server.",
        remedy: "The next pull tells what became of them.", exitStatus: .done))
  }

  // MARK: New tries

  /// What came of asking for a change.
  enum Attempt {
    case done
    case refused(TaggedResult)
    /// It could not be asked for, which was told.
    case impossible
  }

  /// Asks for a change of some kind, and again after each wait while the server refuses it and another try is worth it.
  /// Tries that earlier runs made, and could not bring to an end, count along.
  func retrying(
    _ subject: RefusalSubject, _ mailbox: MailboxKey, _ ask: () throws -> Attempt
  ) throws -> Attempt {
    var tries = triesAgain ? 0 : min(try attempts(mailbox, .tries(subject)), delays.count)
    while true {
      let attempt = try ask()
      if case .impossible = attempt { return attempt }
      guard case .refused(let result) = attempt, result.isWorthAnotherTry, tries < delays.count
      else {
        // It came to an end, whichever.
        try forgive(.tries(subject), mailbox)
        return attempt
      }
      // What passes is no refusal.
      if !result.isTransient { try refuse(mailbox, .tries(subject), result.text) }
      try wait(beforeRetry: tries)
      tries += 1
    }
  }

  func wait(beforeRetry tries: Int) throws {
    context.observer.entered(.retryScheduled, account: context.account)
    guard context.interrupt.wait(seconds: delays[tries]) else { throw SyncError.interrupted }
  }
}

extension TaggedResult {
  /// Not where the server says that it is for good (RFC 5530).
  var isWorthAnotherTry: Bool {
    if isOverLimit { return false }
    if isTransient { return true }
    return switch code {
    case .noPermission, .cannot, .alreadyExists, .nonExistent, .tryCreate, .tooBig: false
    default: status == .no
    }
  }

  /// It may pass, or somebody else has to give a right: no reason to undo what a person did.
  var leavesPending: Bool { mayPass || code == .noPermission }

  /// A later push may be told otherwise: what a person did waits for it.
  var mayPass: Bool { isTransient || isOverLimit }

  /// A limit of the server's own, such as that of keywords in a mailbox, or of its room: waiting does not help within a run.
  /// One of requests in a time passes by itself.
  var isOverLimit: Bool { obstacle == .room || obstacle == .limit }

  var obstacle: PushRefusal.Obstacle? {
    guard throttle == nil else { return nil }
    return switch code {
    case .overQuota: .room
    case .limit: .limit
    case .tooBig: .size
    default: nil
    }
  }

  /// A server that asks for fewer requests gets none for a while; nothing that waits is given up.
  func stopIfThrottled() throws {
    if !isOK, let throttle { throw IMAPError.throttled(seconds: throttle.seconds, text) }
  }

  /// The server said OK, and what was to go is still there: that is not done, and waits for the next push. Nothing that
  /// a person did is undone for it.
  static func stillThere(_ count: Int) -> TaggedResult {
    TaggedResult(
      status: .no, code: .unavailable,
      text: "it says OK, and \(count) messages are still where they were")
  }

  /// ` (“words”)`, safe for terminals.
  var quoted: String { text.isEmpty ? "" : " (“\(String(text.prefix(300)).visible)”)" }
}
