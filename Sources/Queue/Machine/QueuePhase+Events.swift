extension QueuePhase {
  /// The state machine of an entry. Pure: writes nothing, reads no clock.
  ///
  /// - Throws: ``QueueTransitionError``, and then nothing has changed.
  package mutating func apply(_ event: QueueEvent, at now: QueueInstant)
    throws(QueueTransitionError)
  {
    var next = self
    guard next.take(event, now) else { throw QueueTransitionError(state: state, event: event) }
    next.changed = now
    next.error = next.error.map { String($0.unicodeScalars.prefix(500)) }
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
    case .reached, .continued:
      guard state == .sending, step == .claimed else { return false }
      step = .recipients
      firstReached = firstReached ?? now
      beginAttempt(now)
      // What was said to them earlier tells nothing about whom this attempt has come to.
      if event == .reached { for index in open { recipients[index].reply = nil } }
    case .recipients(let results):
      guard state == .sending, step == .recipients else { return false }
      return note(results, now)
    case .brokenOff(let results, let reason):
      guard state == .sending, step == .recipients,
        results.values.allSatisfy({ $0.state != .offered }), keep(results)
      else { return false }
      settle(now, error: reason)
    case .dispatching:
      guard state == .sending, step == .body else { return false }
      step = .endOfData
      handedOver += 1
    case .accepted(let receipt):
      guard state == .sending, step == .endOfData else { return false }
      self.receipt = receipt
      change(.offered, to: .sent, receipt)
      error = nil
      if untried.isEmpty {
        settle(now, error: nil)
      } else {
        // The transaction was full: the rest goes at once in another, which is no new attempt.
        undoAttempt()
        backToQueue(nil)
      }
    case .refused(let reply):
      guard state == .sending, step != .claimed else { return false }
      if step == .endOfData { handedOver -= 1 }
      // MAIL refused: nobody was offered yet. Later: who was deferred at RCPT keeps the right to retry.
      change(step == .recipients ? .queued : .offered, to: .refused, reply)
      settle(now, error: reply)
    case .deferred(let reply):
      guard state == .sending, step != .claimed else { return false }
      if step == .endOfData { handedOver -= 1 }
      change(step == .recipients ? .queued : .offered, to: .queued, reply)
      settle(now, error: reply)
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
      goOn(now)
    case .retry:
      guard state != .sending, state != .sent || hasRefusals else { return false }
      restart()
    case .foundSent(let receipt):
      guard hasUnknown, state != .sending else { return false }
      change(.unknown, to: .sent, receipt)
      self.receipt = self.receipt ?? receipt
      guard state == .unknown else { break }
      error = nil
      settle(now, error: nil)
    case .bounced(let report, let words): return note(words, toldBy: report)
    case .dealtWith(let reason):
      guard state != .sending, recipients.contains(where: { $0.state == .sent }) else {
        return false
      }
      giveUpRest(reason)
    case .copy(let copy):
      guard state == .sent || wasTaken else { return false }
      self.copy = copy
    }
    return true
  }

  /// False where these cannot be what a server said now.
  private mutating func keep(_ results: [Int: RecipientResult]) -> Bool {
    for (index, result) in results {
      guard recipients.indices.contains(index), recipients[index].state == .queued else {
        return false
      }
      switch result.state {
      case .queued, .offered, .refused: recipients[index] = result
      case .sent, .failed, .unknown: return false
      }
    }
    return true
  }

  private mutating func note(_ results: [Int: RecipientResult], _ now: QueueInstant) -> Bool {
    guard keep(results) else { return false }
    if recipients.contains(where: { $0.state == .offered }) {
      step = .body
    } else if !untried.isEmpty {
      // The rest has yet to be asked, at once.
      undoAttempt()
      backToQueue(nil)
    } else {
      settle(now, error: results.sorted { $0.key < $1.key }.compactMap(\.value.reply).first)
    }
    return true
  }

  /// Reports beyond that take effect, but are not remembered.
  static let mostBounces = 200

  /// False where the report was noted before, or is about nothing that a server had taken.
  private mutating func note(_ words: [Int: String], toldBy report: String) -> Bool {
    guard state != .sending, !bounces.contains(report) else { return false }
    let named = words.filter { recipients.indices.contains($0.key) }
    let affected = named.filter { index, _ in
      recipients[index].state == .sent || recipients[index].state == .unknown
    }
    let isRemembered = bounces.count < Self.mostBounces
    guard !affected.isEmpty || isRemembered && handedOver > 0 && !named.isEmpty else {
      return false
    }
    if isRemembered { bounces.append(report) }
    guard !affected.isEmpty else { return true }
    for (index, words) in affected {
      recipients[index] = RecipientResult(
        state: .refused, reply: RecipientResult.bounced + words)
      givenUp.remove(index)
    }
    guard state == .sent || state == .unknown else { return true }
    error = nil
    finish()
    return true
  }

  /// The end of a transaction: everybody has the final answer, or those who are open wait for the
  /// next attempt, or there will be none.
  private mutating func settle(_ now: QueueInstant, error: String?) {
    step = nil
    self.error = error
    guard !open.isEmpty else { return finish() }
    if isTimedOut(at: now) { return giveUp("send timeout") }
    if nextAttempt != nil {
      // It was ahead of its time, at the user's wish: the schedule stands.
      state = .queued
      self.error = error ?? open.compactMap { recipients[$0].reply }.first
      return
    }
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
        undoAttempt()
        backToQueue(reason)
        if open.isEmpty { finish() }
      } else {
        settle(now, error: reason)
      }
    case .endOfData:
      change(.offered, to: .unknown, reason)
      // Those who were not offered it cannot have it: they go on.
      settle(now, error: reason)
    }
    return true
  }

  /// An attempt ahead of its time, which the user asked for, takes nothing from the schedule; as long as
  /// it lasts, the time of the next one stays.
  private mutating func beginAttempt(_ now: QueueInstant) {
    if let nextAttempt, !nextAttempt.isReached(at: now) { return }
    attempts += 1
    nextAttempt = nil
  }

  private mutating func undoAttempt() {
    if nextAttempt == nil { attempts = max(0, attempts - 1) }
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
    finish()
  }

  /// Only for a message that some have.
  private mutating func giveUpRest(_ reason: String) {
    for index in recipients.indices where !recipients[index].state.isFinal {
      let isUnknown = recipients[index].state == .unknown
      recipients[index] = RecipientResult(
        state: .failed, reply: isUnknown ? "\(reason); it may have arrived" : reason)
    }
    givenUp = Set(recipients.indices.filter { recipients[$0].state != .sent })
    error = nil
    finish()
  }

  private mutating func finish() {
    nextAttempt = nil
    state =
      hasUnknown ? .unknown : recipients.contains { $0.state == .sent } ? .sent : .failed
    if state != .sent, error == nil {
      error = recipients.first { $0.state != .sent && $0.reply != nil }?.reply
    }
  }

  /// Held by hand or for its safety: as if it had not been, but a day's wait is not counted.
  private mutating func goOn(_ now: QueueInstant) {
    error = nil
    guard !open.isEmpty else { return finish() }
    state = .queued
    guard isTimedOut(at: now) else { return }
    attempts = 0
    firstReached = nil
    nextAttempt = nil
  }

  private mutating func restart() {
    // Who may have it is asked for again only where nothing else is: that is the user's own word.
    let keepsUnknown = state == .queued || state == .held
    for (index, recipient) in recipients.enumerated()
    where recipient.state != .sent && !givenUp.contains(index) {
      if recipient.state != .unknown || !keepsUnknown { recipients[index] = RecipientResult() }
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
