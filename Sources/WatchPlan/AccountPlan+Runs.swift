import MailCore

/// What becomes of runs, and of copies that were filed.
extension AccountPlan {
  mutating func runEnded(
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
  mutating func makeRoom(at now: Moment, _ actions: inout [AccountAction]) {
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

  mutating func copiesEnded(
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
    case .refused: halt(.refused, at: now, &actions)
    case .treeGone: treeIsGone(at: now, &actions)
    default: break
    }
  }

  /// In mailboxes that were not named, something may have changed.
  mutating func lookElsewhere(at now: Moment) {
    // By NOTIFY the server tells of them, too.
    if case .standing(.notify, _) = line { return }
    pull.add(.mailboxes, at: now)
  }

  mutating func lookAtEverything(at now: Moment) {
    push.look(by: now)
    pull.look(by: now)
    queue.look(by: now)
  }
}
