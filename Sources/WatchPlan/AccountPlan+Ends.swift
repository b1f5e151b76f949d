import MailCore

/// What keeps an account from its work until somebody puts it right, and the end of all.
extension AccountPlan {
  mutating func halt(_ halt: Halt, at now: Moment, _ actions: inout [AccountAction]) {
    closeLine(&actions)
    self.halt = halt
    isSettled = true
    switch halt {
    case .refused:
      secret.begin(at: now)
      queue.copiesAwaitLogIn = true
    case .misconfigured: haltDue = now + WatchTiming.forbidden
    }
  }

  mutating func liftHalt(at now: Moment) {
    (halt, haltDue) = (nil, nil)
    lineBackoff.succeeded()
    runsBlockedUntil = nil
    lineDue = now
  }

  mutating func secretChanged(at now: Moment) {
    queue.reconsider(afterRefusal: true, at: now)
    secret.end()
    if halt != nil { liftHalt(at: now) }
  }

  mutating func treeIsGone(at now: Moment, _ actions: inout [AccountAction]) {
    guard treeDue == nil else { return }
    treeDue = now + WatchTiming.blindLook
    isSettled = true
    if running != nil || queue.isRunning { actions.append(.interrupt) }
  }

  mutating func stop(_ actions: inout [AccountAction]) {
    guard !isStopping else { return }
    isStopping = true
    closeLine(&actions)
    if !hasEnded { actions.append(.interrupt) }
  }
}
