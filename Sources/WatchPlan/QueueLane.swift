/// When an account's queue is sent, and when the copies of what was sent are filed. It has a lock of its own, so this goes
/// on beside pulls and pushes; of the two one is under way at a time, and a message goes ahead of any copy.
struct QueueLane: Equatable, Sendable {
  private enum Work: Equatable, Sendable {
    case messages
    case copies(since: Moment)
  }

  private var running: Work?
  private var due: Moment?
  private(set) var isRefused = false
  /// The server that keeps Sent refused the log-in: nothing is filed before it has let something in.
  var copiesAwaitLogIn = false
  /// The end of a message has left, or is about to.
  var awaitsOutcome = false
  /// While its server cannot be reached.
  private var blockedUntil: Moment?
  private var backoff: Backoff
  private var copies: CopiesLane
  /// The copies that are under way were asked to make way for a message.
  private var hasAsked = false

  init(seed: UInt64) {
    backoff = .connection(seed: seed)
    copies = CopiesLane(seed: seed &+ 1)
  }

  var isRunning: Bool { running != nil }

  var nextWake: Moment? {
    switch running {
    case .messages: nil
    case .copies(let since):
      hasAsked ? nil : messagesDue.map { max($0, since + WatchTiming.copies) }
    case nil: earlier(messagesDue, copiesAwaitLogIn ? nil : copies.due)
    }
  }

  private var messagesDue: Moment? {
    guard !isRefused, let due else { return nil }
    return blockedUntil.map { max($0, due) } ?? due
  }

  mutating func look(by moment: Moment) { due = earlier(due, moment) }
  mutating func copiesCame(at now: Moment) { copies.mayBeThere(at: now) }
  mutating func hurryCopies(at now: Moment) { copies.hurry(at: now) }
  /// The server that keeps Sent is there, or may have room.
  mutating func fileCopies(at moment: Moment) { copies.serverIsThere(at: moment) }

  /// Its server may be there again, or take the log-in.
  mutating func reconsider(afterRefusal: Bool, at now: Moment) {
    if afterRefusal {
      isRefused = false
      copies.serverIsThere(at: now)
    }
    backoff.succeeded()
    if blockedUntil != nil { look(by: now) }
    blockedUntil = nil
  }

  mutating func start(at now: Moment) -> AccountAction? {
    guard let nextWake, nextWake <= now else { return nil }
    if running != nil {
      hasAsked = true
      return .leaveCopies
    }
    if let messagesDue, messagesDue <= now {
      (due, blockedUntil, running) = (nil, nil, .messages)
      return .sendQueue
    }
    copies.begin()
    (running, hasAsked) = (.copies(since: now), false)
    return .fileCopies
  }

  /// - Parameter next: when the next attempt is due; `now` where one was due already and could not be made.
  mutating func ended(_ result: RunResult, next: Moment?, copies left: CopiesLeft, at now: Moment) {
    running = nil
    awaitsOutcome = false
    if let next { look(by: next) }
    copies.messagesEnded(left, at: now)
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

  mutating func copiesEnded(_ result: RunResult, areLeft: Bool, at now: Moment) {
    running = nil
    copies.ended(result, areLeft: areLeft, at: now)
  }
}
