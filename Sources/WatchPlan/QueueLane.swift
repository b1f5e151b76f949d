/// When an account's queue is sent. It has a lock of its own, so this goes on beside pulls and pushes.
struct QueueLane: Equatable, Sendable {
  private var due: Moment?
  private(set) var isRunning = false
  private(set) var isRefused = false
  /// The end of a message has left, or is about to.
  var awaitsOutcome = false
  /// While its server cannot be reached.
  private var blockedUntil: Moment?
  private var backoff: Backoff
  /// A look into Sent for copies costs a log-in: while they are not found, looks are further and further apart.
  private var copiesDue: Moment?
  private var looksForCopies = false
  private var copiesBackoff: Backoff
  /// The server that keeps Sent could not be had when they were to be filed.
  private var leavesCopies = false

  init(seed: UInt64) {
    backoff = .connection(seed: seed)
    copiesBackoff = .leftovers(seed: seed &+ 1)
  }

  var nextWake: Moment? {
    guard !isRunning, !isRefused, let due else { return nil }
    return blockedUntil.map { max($0, due) } ?? due
  }

  mutating func look(by moment: Moment) { due = earlier(due, moment) }

  mutating func copiesCame(at now: Moment) {
    looksForCopies = true
    look(by: copiesDue.map { max($0, now) } ?? now)
  }

  /// The server that keeps Sent is there.
  mutating func fileCopies(at now: Moment) {
    if leavesCopies { look(by: now) }
  }

  /// Its server may be there again, or take the log-in.
  mutating func reconsider(afterRefusal: Bool, at now: Moment) {
    if afterRefusal { isRefused = false }
    backoff.succeeded()
    if blockedUntil != nil { look(by: now) }
    blockedUntil = nil
  }

  mutating func start(at now: Moment) -> Bool {
    guard let nextWake, nextWake <= now else { return false }
    due = nil
    blockedUntil = nil
    isRunning = true
    return true
  }

  /// - Parameter next: when the next attempt is due; `now` where one was due already and could not be made.
  mutating func ended(_ result: RunResult, next: Moment?, leavesCopies: Bool, at now: Moment) {
    isRunning = false
    awaitsOutcome = false
    if let next { look(by: next) }
    self.leavesCopies = leavesCopies
    if leavesCopies {
      // Messages don't wait for that.
      let again = copiesBackoff.failed(at: now)
      copiesDue = again
      look(by: again)
    } else if result == .done {
      copiesBackoff.succeeded()
      copiesDue = nil
    } else if result == .inPart, looksForCopies {
      copiesDue = copiesBackoff.failed(at: now)
    }
    if result.didWork { looksForCopies = false }
    switch result {
    case .done, .inPart:
      if let next, next <= now {
        blockedUntil = backoff.failed(at: now)
      } else {
        backoff.succeeded()
      }
    case .busy:
      look(by: now)
      blockedUntil = now + WatchTiming.busy
    case .unreachable, .crowded:
      look(by: now)
      blockedUntil = backoff.failed(at: now)
    case .refused, .misconfigured:
      isRefused = true
      look(by: now)
    case .treeGone, .interrupted: look(by: now)
    }
  }
}
