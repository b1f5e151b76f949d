import MailCore

/// The connection that waits for the server's news.
extension AccountPlan {
  mutating func stands(_ way: ListeningWay, at now: Moment) {
    guard case .opening = line else { return }
    line = .standing(way, since: now)
    lineDue = way == .poll ? now + WatchTiming.longestLook : nil
    awaitsSign = false
    pull.look(by: now)
    queue.copiesAwaitLogIn = false
    queue.fileCopies(at: now)
  }

  /// Whatever could not connect was kept out by it, it seems.
  mutating func lineAnswered(at now: Moment, _ actions: inout [AccountAction]) {
    guard awaitsSign else { return }
    awaitsSign = false
    makeRoom(at: now, &actions)
    queue.fileCopies(at: now + timing.overflow.wait)
  }

  var isListening: Bool {
    if case .standing(let way, _) = line { way != .poll } else { false }
  }

  mutating func lineEnded(
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
  mutating func goWithoutLine(at now: Moment) {
    line = .standing(.poll, since: now)
    lineDue = lineBackoff.failed(at: now)
    pull.look(by: now)
    queue.copiesAwaitLogIn = false
  }

  mutating func closeLine(_ actions: inout [AccountAction]) {
    if line != .closed { actions.append(.closeLine) }
    line = .closed
    awaitsSign = false
    lineDue = nil
  }

  mutating func shaken(slept: Bool, at now: Moment, _ actions: inout [AccountAction]) {
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

  mutating func forgetFailures(at now: Moment) {
    lineBackoff.succeeded()
    runBackoff.succeeded()
    runsBlockedUntil = nil
    queue.reconsider(afterRefusal: false, at: now)
  }
}
