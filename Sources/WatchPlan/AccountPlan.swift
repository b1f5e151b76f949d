import MailCore

/// One account's watch: events in, actions out, and when to be woken next. Has no clock, and does nothing itself.
///
/// There is one run (a push, a pull, or both) at a time, and only while the line stands: the connection that waits for the
/// server's news, or the certainty that there is none to be had. Whenever a line begins to stand everything is looked
/// at, since nobody knows what happened before.
package struct AccountPlan: Equatable, Sendable {
  private enum Line: Equatable, Sendable {
    case closed
    case opening(since: Moment)
    case standing(ListeningWay, since: Moment)

    var isOpening: Bool { if case .opening = self { true } else { false } }
  }

  private enum Halt: Equatable, Sendable { case refused, misconfigured }

  private let timing: WatchTiming
  private var line = Line.closed
  /// When to open it (anew).
  private var lineDue: Moment?
  private var lineBackoff: Backoff
  /// When the line was checked last because the network changed or the machine slept.
  private var checked: Moment?
  /// Until the secret or the configuration is another one.
  private var halt: Halt?
  private var secret = SecretLook()
  /// When to see whether what forbade a run was put right: it may have had other causes than the settings.
  private var haltDue: Moment?
  /// When to look for it; nil while it is there.
  private var treeDue: Moment?
  private var treeIsWatched = true
  private var pull: PendingPull
  private var push: PendingPush
  private var queue: QueueLane
  private var running: WatchRun?
  /// After a run that could not do its work.
  private var runsBlockedUntil: Moment?
  private var runBackoff: Backoff
  /// When one was lost, or could not be had, last.
  private var lineLost: Moment?
  /// Something could not connect while the line stood: does that answer, it may be the only one that the server lets in.
  private var awaitsSign = false
  /// The line had to make way, and since then no run was let in beside one.
  private var isTight = false
  /// A run may have been in the way of the copies.
  private var copiesAwaitRun = false
  private var leftovers: Backoff
  private(set) var isStopping = false
  private var reported: AccountStanding?
  /// Whether a first look at everything is over, or cannot be had.
  package private(set) var isSettled = false

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

  // MARK: The line

  private mutating func stands(_ way: ListeningWay, at now: Moment) {
    guard case .opening = line else { return }
    line = .standing(way, since: now)
    lineDue = way == .poll ? now + WatchTiming.longestLook : nil
    awaitsSign = false
    pull.look(by: now)
    queue.fileCopies(at: now)
  }

  /// Whatever could not connect was kept out by it, it seems.
  private mutating func lineAnswered(at now: Moment, _ actions: inout [AccountAction]) {
    guard awaitsSign else { return }
    awaitsSign = false
    makeRoom(at: now, &actions)
    queue.fileCopies(at: now + timing.overflow.wait)
  }

  private var isListening: Bool {
    if case .standing(let way, _) = line { way != .poll } else { false }
  }

  private mutating func lineEnded(
    _ end: LineEnd, at now: Moment, _ actions: inout [AccountAction]
  ) {
    if line == .closed { return }
    let before = line
    line = .closed
    awaitsSign = false
    switch end {
    case .refused: halt(.refused, at: now, &actions)
    case .misconfigured: halt(.misconfigured, at: now, &actions)
    case .crowded:
      goWithoutLine(at: now)
    // A run's connection that waits for the next may be the only one that the server lets in.
    case .lost where isTight && before.isOpening: goWithoutLine(at: now)
    case .lost:
      let isFirst = lineLost.map { now - $0 >= WatchTiming.calm } ?? true
      lineLost = now
      guard case .standing(_, let since) = before,
        isFirst || now - since >= WatchTiming.standing
      else {
        // What cut it off may have cut off the others, too.
        if case .standing = before { actions.append(.distrustConnections) }
        lineDue = lineBackoff.failed(at: now)
        isSettled = true
        return
      }
      if now - since >= WatchTiming.standing { lineBackoff.succeeded() }
      lineDue = now
      if let checked, now - checked <= WatchTiming.answer {
        distrustAll(&actions)
      } else {
        actions.append(.distrustConnections)
      }
    }
  }

  /// What can be had without listening is had meanwhile.
  private mutating func goWithoutLine(at now: Moment) {
    line = .standing(.poll, since: now)
    lineDue = lineBackoff.failed(at: now)
    pull.look(by: now)
  }

  private mutating func closeLine(_ actions: inout [AccountAction]) {
    if line != .closed { actions.append(.closeLine) }
    line = .closed
    awaitsSign = false
    lineDue = nil
  }

  private mutating func shaken(slept: Bool, at now: Moment, _ actions: inout [AccountAction]) {
    forgetFailures(at: now)
    guard halt == nil, !isStopping else { return }
    if slept { distrustAll(&actions) }
    switch line {
    case .closed: lineDue = now
    case .opening(let since):
      guard now - since >= WatchTiming.opening else { break }
      closeLine(&actions)
      lineDue = now
    case .standing(.poll, _):
      // There is none that would show whether the others live.
      if slept {
        lineDue = now
        pull.look(by: now)
      } else {
        actions.append(.distrustConnections)
      }
    case .standing:
      actions.append(.checkLine)
      checked = now
      // Whether the line is dead is known in ten seconds; new mail is wanted sooner.
      if slept { pull.look(by: now) }
    }
  }

  /// What is under way would wait for a minute on lines that are dead. A new network often leaves them be.
  private mutating func distrustAll(_ actions: inout [AccountAction]) {
    actions.append(.distrustConnections)
    if running != nil || queue.isRunning { actions.append(.interrupt) }
  }

  private mutating func forgetFailures(at now: Moment) {
    lineBackoff.succeeded()
    runBackoff.succeeded()
    runsBlockedUntil = nil
    queue.reconsider(afterRefusal: false, at: now)
  }

  // MARK: Runs

  private mutating func runEnded(
    _ pushed: RunResult?, _ pulled: RunResult?, at now: Moment, _ actions: inout [AccountAction]
  ) {
    guard let run = running else { return }
    running = nil
    isSettled = true
    if let scope = run.push {
      if pushed?.didWork == true {
        push.ended(scope, at: now)
        if scope.looksAtAll { push.look(by: now + longestTreeLook, isBlind: !treeIsWatched) }
      } else {
        push.putBack()
      }
    }
    if let scope = run.pull {
      if pulled?.didWork == true {
        pull.ended(scope, at: now)
        if scope == .everything, case .standing(let way, _) = line {
          pull.look(by: now + timing.look(way))
        }
      } else {
        pull.putBack(scope, at: now)
      }
    }
    let results = [pushed, pulled].compactMap { $0 }
    let result =
      results.first { !$0.didWork } ?? (results.contains(.inPart) ? .inPart : .done)
    if result.didWork, case .standing(let way, let since) = line, way != .poll {
      isTight = false
      if now - since >= WatchTiming.standing { lineBackoff.succeeded() }
    }
    if copiesAwaitRun { queue.fileCopies(at: now) }
    copiesAwaitRun = false
    afterRun(result, run, at: now, &actions)
  }

  private var longestTreeLook: Duration {
    treeIsWatched ? WatchTiming.longestLook : WatchTiming.blindLook
  }

  private mutating func afterRun(
    _ result: RunResult, _ run: WatchRun, at now: Moment, _ actions: inout [AccountAction]
  ) {
    switch result {
    case .done, .inPart:
      runBackoff.succeeded()
      if result == .done {
        leftovers.succeeded()
      } else {
        let again = leftovers.failed(at: now)
        if run.push != nil { push.look(by: again) }
        if run.pull != nil { pull.look(by: again) }
      }
    case .busy: runsBlockedUntil = now + WatchTiming.busy
    case .interrupted: runsBlockedUntil = now + timing.overflow.wait
    case .unreachable:
      runsBlockedUntil = runBackoff.failed(at: now)
      askForSign(&actions)
    case .crowded: makeRoom(at: now, &actions)
    case .refused: halt(.refused, at: now, &actions)
    case .misconfigured: halt(.misconfigured, at: now, &actions)
    case .treeGone: treeIsGone(at: now, &actions)
    }
  }

  /// The connection that listens may be the one that keeps runs out, and to work is worth more than to hear at once.
  private mutating func makeRoom(at now: Moment, _ actions: inout [AccountAction]) {
    guard isListening else {
      runsBlockedUntil = runBackoff.failed(at: now)
      return
    }
    closeLine(&actions)
    goWithoutLine(at: now)
    isTight = true
    // Until the server has noticed.
    runsBlockedUntil = now + timing.overflow.wait
  }

  /// Servers that allow no further connection do not all say so: some say BYE, close it, or are silent.
  private mutating func askForSign(_ actions: inout [AccountAction]) {
    guard isListening else { return }
    awaitsSign = true
    actions.append(.checkLine)
  }

  private mutating func copiesEnded(
    _ result: RunResult, areLeft: Bool, at now: Moment, _ actions: inout [AccountAction]
  ) {
    queue.copiesEnded(result, areLeft: areLeft, at: now)
    switch result {
    case .crowded where isListening:
      makeRoom(at: now, &actions)
      queue.fileCopies(at: now + timing.overflow.wait)
    case .crowded, .unreachable:
      copiesAwaitRun = running != nil
      askForSign(&actions)
    case .treeGone: treeIsGone(at: now, &actions)
    default: break
    }
  }

  /// In mailboxes that were not named, something may have changed.
  private mutating func lookElsewhere(at now: Moment) {
    // By NOTIFY the server tells of them, too.
    if case .standing(.notify, _) = line { return }
    pull.add(.mailboxes, at: now)
  }

  private mutating func lookAtEverything(at now: Moment) {
    push.look(by: now)
    pull.look(by: now)
    queue.look(by: now)
  }

  // MARK: Ends and new beginnings

  private mutating func halt(_ halt: Halt, at now: Moment, _ actions: inout [AccountAction]) {
    closeLine(&actions)
    self.halt = halt
    isSettled = true
    switch halt {
    case .refused: secret.begin(at: now)
    case .misconfigured: haltDue = now + WatchTiming.forbidden
    }
  }

  private mutating func liftHalt(at now: Moment) {
    (halt, haltDue) = (nil, nil)
    lineBackoff.succeeded()
    runsBlockedUntil = nil
    lineDue = now
  }

  private mutating func secretChanged(at now: Moment) {
    queue.reconsider(afterRefusal: true, at: now)
    secret.end()
    if halt != nil { liftHalt(at: now) }
  }

  private mutating func treeIsGone(at now: Moment, _ actions: inout [AccountAction]) {
    guard treeDue == nil else { return }
    treeDue = now + WatchTiming.blindLook
    isSettled = true
    if running != nil || queue.isRunning { actions.append(.interrupt) }
  }

  private mutating func stop(_ actions: inout [AccountAction]) {
    guard !isStopping else { return }
    isStopping = true
    closeLine(&actions)
    if !hasEnded { actions.append(.interrupt) }
  }
}
