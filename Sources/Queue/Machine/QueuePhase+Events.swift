extension QueuePhase {
  /// The state machine of DESIGN section 7. Pure: writes nothing, reads no clock.
  ///
  /// - Throws: ``QueueTransitionError``, and then nothing has changed.
  package mutating func apply(_ event: QueueEvent, at now: QueueInstant)
    throws(QueueTransitionError)
  {
    var next = self
    guard next.take(event, now) else { throw QueueTransitionError(state: state, event: event) }
    next.changed = now
    next.error = next.error.map { String($0.prefix(500)) }
    self = next
  }

  package func readiness(at now: QueueInstant) -> QueueReadiness {
    guard state == .queued else { return .no }
    if isTimedOut(at: now) { return .expired }
    guard let nextAttempt, !nextAttempt.isReached(at: now) else { return .now }
    return .later
  }

  private func isTimedOut(at now: QueueInstant) -> Bool {
    guard let firstReached else { return false }
    return firstReached.elapsed(until: now) >= RetrySchedule.timeout
  }

  /// False where the state does not allow it.
  private mutating func take(_ event: QueueEvent, _ now: QueueInstant) -> Bool {
    switch event {
    case .claim:
      guard state == .queued, !open.isEmpty else { return false }
      state = .sending
      step = .claimed
    case .reached:
      guard state == .sending, step == .claimed else { return false }
      step = .recipients
      attempts += 1
      firstReached = firstReached ?? now
      nextAttempt = nil
    case .recipients(let results):
      guard state == .sending, step == .recipients else { return false }
      return note(results, now)
    case .dispatching:
      guard state == .sending, step == .body else { return false }
      step = .endOfData
    case .accepted(let receipt):
      guard state == .sending, step == .endOfData else { return false }
      self.receipt = receipt
      change(.offered, to: .sent, receipt)
      error = nil
      if open.contains(where: { recipients[$0].reply == nil }) {
        // The transaction was full: the rest goes at once in another, which is no new attempt.
        attempts = max(0, attempts - 1)
        backToQueue(nil)
      } else {
        settle(now, error: nil)
      }
    case .refused(let reply):
      guard state == .sending, step != .claimed else { return false }
      // MAIL refused: nobody was offered yet. Later: who was deferred at RCPT keeps the right to retry.
      change(step == .recipients ? .queued : .offered, to: .refused, reply)
      settle(now, error: reply)
    case .deferred(let reply):
      guard state == .sending, step != .claimed else { return false }
      change(step == .recipients ? .queued : .offered, to: .queued, reply)
      settle(now, error: reply)
    case .unreached(let reason):
      guard state == .sending, step == .claimed else { return false }
      backToQueue(reason)
    case .lost(let reason, let ownerDied): return lose(reason, ownerDied: ownerDied, now)
    case .expired:
      guard state == .queued, isTimedOut(at: now) else { return false }
      giveUp("send timeout")
    case .hold(let reason):
      guard state == .queued || state == .failed else { return false }
      state = .held
      error = reason
    case .restored(let reason):
      guard state == .queued || state == .sending else { return false }
      change(.offered, to: .queued, nil)
      state = .held
      step = nil
      error = reason
    case .release:
      guard state == .held else { return false }
      restart()
    case .retry:
      guard state == .failed || state == .unknown || state == .queued || state == .held else {
        return false
      }
      restart()
    case .foundSent(let receipt):
      guard state == .unknown else { return false }
      change(.unknown, to: .sent, receipt)
      self.receipt = self.receipt ?? receipt
      error = nil
      settle(now, error: nil)
    case .copy(let copy):
      guard state == .sent || recipients.contains(where: { $0.state == .sent }) else {
        return false
      }
      self.copy = copy
    }
    return true
  }

  private mutating func note(_ results: [Int: RecipientResult], _ now: QueueInstant) -> Bool {
    for (index, result) in results {
      guard recipients.indices.contains(index), recipients[index].state == .queued else {
        return false
      }
      switch result.state {
      case .queued, .offered, .refused: recipients[index] = result
      case .sent, .failed, .unknown: return false
      }
    }
    if recipients.contains(where: { $0.state == .offered }) {
      step = .body
    } else {
      settle(now, error: results.sorted { $0.key < $1.key }.compactMap(\.value.reply).first)
    }
    return true
  }

  /// The end of a transaction: everybody has the final answer, or those who are open wait for the
  /// next attempt, or there will be none.
  private mutating func settle(_ now: QueueInstant, error: String?) {
    step = nil
    nextAttempt = nil
    self.error = error
    guard !open.isEmpty else { return finish() }
    if isTimedOut(at: now) { return giveUp("send timeout") }
    guard let delay = RetrySchedule.delay(after: attempts) else {
      return giveUp(error ?? "no further attempt")
    }
    state = .queued
    self.error = error ?? open.compactMap { recipients[$0].reply }.first
    nextAttempt = QueueDue(since: now, delaySeconds: delay)
  }

  private mutating func lose(_ reason: String, ownerDied: Bool, _ now: QueueInstant) -> Bool {
    guard state == .sending, let step else { return false }
    switch step {
    case .claimed: backToQueue(reason)
    case .recipients, .body:
      change(.offered, to: .queued, nil)
      if ownerDied {
        // Our own end is no failure of the server's: it does not use up an attempt.
        attempts = max(0, attempts - 1)
        backToQueue(reason)
        if open.isEmpty { finish() }
      } else {
        settle(now, error: reason)
      }
    case .endOfData:
      change(.offered, to: .unknown, reason)
      self.step = nil
      nextAttempt = nil
      state = .unknown
      error = reason
    }
    return true
  }

  private mutating func backToQueue(_ reason: String?) {
    state = .queued
    step = nil
    error = reason
  }

  private mutating func giveUp(_ reason: String) {
    for index in open {
      let said = recipients[index].reply.flatMap { $0 == reason ? nil : $0 }
      recipients[index] = RecipientResult(
        state: .failed, reply: said.map { "\(reason): \($0)" } ?? reason)
    }
    error = reason
    step = nil
    nextAttempt = nil
    finish()
  }

  private mutating func finish() {
    state = recipients.contains { $0.state == .sent } ? .sent : .failed
    if state == .failed, error == nil { error = recipients.compactMap(\.reply).first }
  }

  private mutating func restart() {
    for index in recipients.indices where recipients[index].state != .sent {
      recipients[index] = RecipientResult()
    }
    guard !open.isEmpty else { return finish() }
    state = .queued
    step = nil
    attempts = 0
    firstReached = nil
    nextAttempt = nil
    error = nil
  }

  private mutating func change(_ from: RecipientState, to: RecipientState, _ reply: String?) {
    for index in recipients.indices where recipients[index].state == from {
      recipients[index] = RecipientResult(state: to, reply: reply ?? recipients[index].reply)
    }
  }
}
