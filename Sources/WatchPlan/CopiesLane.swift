/// When the copies of what was sent are filed in Sent, and what may have been sent is looked for there.
///
/// Each attempt costs a log-in: those that come to nothing are further and further apart. What just was sent is tried at
/// once all the same, and so is all when the server is known to be there.
struct CopiesLane: Equatable, Sendable {
  private(set) var due: Moment?
  private var backoff: Backoff
  /// The last attempt failed.
  private var hasFailed = false
  /// The last one found no proof of what may have been sent: more of that only comes with messages in Sent.
  private var wereSought = false
  /// Before that it is not looked for again.
  private var soughtAgain: Moment?

  init(seed: UInt64) { backoff = .leftovers(seed: seed) }

  mutating func begin() { due = nil }

  mutating func messagesEnded(_ left: CopiesLeft, at now: Moment) {
    switch left {
    case .none: (due, hasFailed, wereSought) = (nil, false, false)
    case .new: due = now
    case .waiting: if due == nil, !wereSought { due = now }
    }
  }

  mutating func mayBeThere(at now: Moment) {
    due = earlier(due, soughtAgain.map { max($0, now) } ?? now)
  }

  mutating func hurry(at now: Moment) { (due, soughtAgain) = (now, nil) }

  mutating func serverIsThere(at moment: Moment) {
    if hasFailed { due = earlier(due, moment) }
  }

  mutating func ended(_ result: RunResult, areLeft: Bool, at now: Moment) {
    (hasFailed, wereSought) = (result != .done, result == .done && areLeft)
    soughtAgain = nil
    switch result {
    case .done where areLeft: soughtAgain = backoff.failed(at: now)
    case .done: backoff.succeeded()
    case .interrupted, .treeGone: due = earlier(due, now + WatchTiming.copies)
    case .busy: due = earlier(due, now + WatchTiming.busy)
    // Another secret is tried as soon as it has let something in.
    case .refused, .misconfigured: due = earlier(due, now + WatchTiming.forbidden)
    case .inPart, .unreachable, .crowded: due = earlier(due, backoff.failed(at: now))
    }
  }
}
