import MailCore

/// One account's watch: events in, actions out, and when to be woken next. Has no clock, and does nothing itself.
///
/// There is one run (a push, a pull, or both) at a time, and only while the line stands: the connection that waits for the
/// server's news, or the certainty that there is none to be had. Whenever a line begins to stand everything is looked
/// at, since nobody knows what happened before.
package struct AccountPlan: Equatable, Sendable {
  enum Line: Equatable, Sendable {
    case closed
    case opening(since: Moment)
    case standing(ListeningWay, since: Moment)

    var isOpening: Bool { if case .opening = self { true } else { false } }
  }

  enum Halt: Equatable, Sendable { case refused, misconfigured }

  let timing: WatchTiming
  var line = Line.closed
  /// When to open it (anew).
  var lineDue: Moment?
  var lineBackoff: Backoff
  /// When the line was checked last because the network changed or the machine slept.
  var checked: Moment?
  /// Until the secret or the configuration is another one.
  var halt: Halt?
  var secret = SecretLook()
  /// When to see whether what forbade a run was put right: it may have had other causes than the settings.
  var haltDue: Moment?
  /// When to look for it; nil while it is there.
  var treeDue: Moment?
  var treeIsWatched = true
  var pull: PendingPull
  var push: PendingPush
  var queue: QueueLane
  var running: WatchRun?
  /// After a run that could not do its work.
  var runsBlockedUntil: Moment?
  var runBackoff: Backoff
  /// When one was lost, or could not be had, last.
  var lineLost: Moment?
  /// Something could not connect while the line stood: does that answer, it may be the only one that the server lets in.
  var awaitsSign = false
  /// The line had to make way, and since then no run was let in beside one.
  var isTight = false
  /// A run may have been in the way of the copies.
  var copiesAwaitRun = false
  var leftovers: Backoff
  var isStopping = false
  private var reported: AccountStanding?
  /// Whether a first look at everything is over, or cannot be had.
  package internal(set) var isSettled = false

  /// - Parameter seed: of the differences between waits after failures.
  package init(timing: WatchTiming, seed: UInt64, at now: Moment) {
    self.timing = timing
    lineBackoff = .connection(seed: seed)
    runBackoff = .connection(seed: seed &+ 1)
    leftovers = .leftovers(seed: seed &+ 2)
    queue = QueueLane(seed: seed &+ 3)
    pull = PendingPull(timing: timing)
    push = PendingPush(timing: timing)
    lineDue = now
    push.look(by: now)
    queue.look(by: now)
  }

  package var hasEnded: Bool { isStopping && running == nil && !queue.isRunning }
  /// Whether it is to be known what became of a message.
  var awaitsOutcome: Bool { queue.awaitsOutcome }

  /// The next moment at which `timePassed` has something to do.
  package var nextWake: Moment? {
    if isStopping { return nil }
    var next = earlier(secret.due, treeDue ?? queue.nextWake)
    next = earlier(next, halt == nil ? lineWake : haltDue)
    if runsMayBegin, let due = earlier(pull.due, push.due) {
      next = earlier(next, runsBlockedUntil.map { max($0, due) } ?? due)
    }
    return next
  }

  package mutating func handle(_ event: AccountEvent, at now: Moment) -> [AccountAction] {
    var actions: [AccountAction] = []
    switch event {
    case .listening(let way): stands(way, at: now)
    case .lineAlive: lineAnswered(at: now, &actions)
    case .lineEnded(let end): lineEnded(end, at: now, &actions)
    case .server(let news): pull.add(news, at: now)
    case .tree(let news): push.add(news, at: now)
    case .treeIsWatched(let isWatched):
      treeIsWatched = isWatched
      push.look(by: now, isBlind: true)
      queue.look(by: now)
    case .treeGone: treeIsGone(at: now, &actions)
    case .treeBack:
      treeDue = nil
      push.look(by: now, isBlind: true)
      lookAtEverything(at: now)
    case .pushIsWanted: push.look(by: now)
    case .queue: queue.look(by: now)
    case .copiesCame: queue.copiesCame(at: now)
    case .queueEnded(let result, let next, let copies):
      queue.ended(result, next: next, copies: copies, at: now)
      if queue.isRefused { secret.begin(at: now) }
      if result == .treeGone { treeIsGone(at: now, &actions) }
      if !treeIsWatched { queue.look(by: now + WatchTiming.blindLook) }
    case .outcomeIsAwaited(let isAwaited): queue.awaitsOutcome = isAwaited
    case .copiesEnded(let result, let areLeft, let hasFiled):
      copiesEnded(result, areLeft: areLeft, at: now, &actions)
      if hasFiled { lookElsewhere(at: now) }
    case .mailMayHaveMoved: lookElsewhere(at: now)
    case .runEnded(let pushed, let pulled): runEnded(pushed, pulled, at: now, &actions)
    case .secretChanged: secretChanged(at: now)
    case .shaken(let slept): shaken(slept: slept, at: now, &actions)
    case .lookAtOnce:
      if haltDue != nil { liftHalt(at: now) }
      if halt == nil, line == .closed { lineDue = now }
      if treeDue != nil { treeDue = now }
      secret.hurry(at: now)
      forgetFailures(at: now)
      queue.hurryCopies(at: now)
      lookAtEverything(at: now)
    case .stop: stop(&actions)
    case .timePassed: break
    }
    proceed(at: now, &actions)
    let standing = standing
    if standing != reported {
      reported = standing
      actions.append(.report(standing))
    }
    return actions
  }

  // MARK: What is due

  private mutating func proceed(at now: Moment, _ actions: inout [AccountAction]) {
    if isStopping { return }
    if let look = secret.start(at: now) { actions.append(look) }
    if let due = treeDue {
      if due <= now {
        treeDue = now + WatchTiming.blindLook
        actions.append(.lookForTree)
      }
    } else if let action = queue.start(at: now) {
      actions.append(action)
    }
    if let due = haltDue, due <= now { liftHalt(at: now) }
    guard halt == nil else { return }
    if let wake = lineWake, wake <= now {
      line = .opening(since: now)
      lineDue = nil
      actions.append(.openLine)
    }
    guard runsMayBegin, runsBlockedUntil.map({ $0 <= now }) ?? true else { return }
    runsBlockedUntil = nil
    let run = WatchRun(push: push.start(at: now), pull: pull.start(at: now))
    guard run.push != nil || run.pull != nil else { return }
    running = run
    actions.append(.run(run))
  }

  /// A server that tells nothing is asked again now and then whether it does, between runs.
  private var lineWake: Moment? {
    switch line {
    case .closed: treeDue == nil ? lineDue : nil
    case .opening: nil
    case .standing: running == nil ? lineDue : nil
    }
  }

  private var runsMayBegin: Bool {
    guard case .standing = line else { return false }
    return running == nil && halt == nil && treeDue == nil
  }

  private var standing: AccountStanding {
    if isStopping { return hasEnded ? .ended : reported ?? .connecting }
    switch halt {
    case .refused: return .refused
    case .misconfigured: return .misconfigured
    case nil: break
    }
    if treeDue != nil { return .treeGone }
    if running != nil { return .working }
    switch line {
    case .standing(let way, _):
      if let until = runsBlockedUntil { return .retrying(at: until) }
      return .listening(way)
    case .opening: return .connecting
    case .closed: return lineDue.map { .retrying(at: $0) } ?? .connecting
    }
  }
}
