import MailCore

/// What is said on a connection that waits for changes: NOTIFY for all mailboxes, else IDLE in one, else nothing.
///
/// Knows no socket and no clock: tell it what was heard, and do what it answers. Times are milliseconds on one clock that
/// never goes back. Its connection serves nothing else; with NOTIFY no mailbox is selected, since Dovecot overlooks changes
/// within a second after each command where one is.
package struct ListeningMachine: Sendable {
  package enum Action {
    case send(IMAPCommand)
    /// The line that ends IDLE.
    case done
    /// From here on changes are told. What changed before has to be looked for.
    case listening(ListeningWay)
    case hint(ServerHint)
    /// The answer to ``check(at:)``.
    case alive
    /// The mailbox for IDLE cannot be opened: another one may be.
    case closedMailbox
    /// There is nothing to wait for: the server tells nothing by itself.
    case finish
    case fail(IMAPError)
    /// No answer in time.
    case dead
  }

  private enum State {
    case fresh, over
    case settingNotify, notified, pinging
    case examining, enteringIdle, leavingIdle
    case idling(since: Int64)
  }

  /// How long no word may come while an answer is awaited; less where it is to be found out whether the line is alive.
  private static let patience: Int64 = 60_000
  private static let shortPatience: Int64 = 10_000
  /// Between two NOTIFY SET, and the least that an IDLE lasts with a server that means it.
  private static let pause: Int64 = 60_000

  private let mailbox: [UInt8]
  private let canNotify: Bool
  private let canIdle: Bool
  private var state = State.fresh
  private var events = NotifyEvent.allCases
  private var told = NotifiedMailboxes()
  private var exists = 0
  private var isListening = false
  private var isRenewing = false
  private var isChecked = false
  /// Why NOTIFY has to be set again, and why it was.
  private var overflow: String?
  private var reason: String?
  private var lastSet: Int64 = 0
  private var limit = Self.patience
  package private(set) var memory: ListeningMemory
  /// When ``timePassed(at:)`` is to be called.
  package private(set) var deadline: Int64 = 0

  /// - Parameter mailbox: for IDLE, as the server spells it.
  package init(_ capabilities: CapabilitySet, mailbox: [UInt8], memory: ListeningMemory) {
    self.mailbox = mailbox
    self.memory = memory
    self.memory.avoidsNotify = false
    canNotify = capabilities.contains(.notify) && !memory.avoidsNotify
    canIdle = capabilities.contains(.idle)
  }

  // MARK: Events

  package mutating func begin(at now: Int64) -> [Action] {
    canNotify ? setNotify(now) : beginIdle(now)
  }

  /// Any response but a FETCH.
  package mutating func heard(_ response: UntaggedResponse, at now: Int64) -> [Action] {
    extendLimit(now)
    switch (response, state) {
    case (.status(let kind, let text), .settingNotify), (.status(let kind, let text), .notified),
      (.status(let kind, let text), .pinging):
      let hasLost =
        text.code == .notificationOverflow
        || kind == .no && Keywords.fold(text.text).hasPrefix("notify error")
      return hasLost ? overflowed(text.text, now) : []
    case (.mailboxStatus(let status), _): return tell(told.hint(status))
    case (.list(let listing), _): return tell(told.hint(listing))
    case (.exists(let count), .examining):
      exists = count
      return []
    case (.exists(let count), _):
      defer { exists = count }
      guard count != exists else { return [] }
      return tell(count > exists ? .arrived(mailbox) : .changed(mailbox))
    case (.expunge, _):
      exists -= 1
      return tell(.changed(mailbox))
    case (.vanished(earlier: false, let uids), _):
      exists -= uids.count
      return tell(.changed(mailbox))
    default: return []
    }
  }

  /// An unsolicited FETCH response: flags changed (RFC 9051 §7.5.2).
  package mutating func heardOfMessage(at now: Int64) -> [Action] {
    extendLimit(now)
    return tell(.changed(mailbox))
  }

  /// A line behind `+`.
  package mutating func invited(at now: Int64) -> [Action] {
    guard case .enteringIdle = state else { return [] }
    state = .idling(since: now)
    rest(now)
    return answered() + listening(.idle)
  }

  package mutating func completed(_ result: TaggedResult, at now: Int64) -> [Action] {
    switch state {
    case .settingNotify: return answered() + notifySet(result, now)
    case .pinging:
      state = .notified
      rest(now)
      return answered() + (overflow == nil ? [] : repeatNotify(now))
    case .examining:
      if result.isOK { return answered() + enterIdle(now) }
      if result.isTransient { return fail(IMAPError(refusing: "EXAMINE", result)) }
      state = .over
      return answered() + [.closedMailbox, .finish]
    case .enteringIdle: return answered() + poll()
    case .leavingIdle: return answered() + enterIdle(now)
    case .idling(let since): return now - since < Self.pause ? poll() : enterIdle(now)
    case .fresh, .notified, .over: return []
    }
  }

  /// To be called at the ``deadline``; earlier it does nothing.
  package mutating func timePassed(at now: Int64) -> [Action] {
    guard now >= deadline else { return [] }
    switch state {
    case .notified where overflow != nil: return setNotify(now)
    case .notified, .idling:
      isRenewing = true
      return ask(now)
    case .settingNotify, .pinging, .examining, .enteringIdle, .leavingIdle:
      connectionLost()
      return [.dead]
    case .fresh, .over: return []
    }
  }

  /// Finds out whether the line is alive, as after a sleep: `.alive` or `.dead` within ten seconds.
  package mutating func check(at now: Int64) -> [Action] {
    switch state {
    case .notified, .idling:
      isChecked = true
      return ask(now)
    case .settingNotify, .pinging, .examining, .enteringIdle, .leavingIdle:
      isChecked = true
      awaitAnswer(now, Self.shortPatience)
      return []
    case .fresh, .over: return []
    }
  }

  package mutating func connectionLost() {
    if isRenewing { memory.foundDead() }
    isRenewing = false
    state = .over
  }

  // MARK: Steps

  private mutating func setNotify(_ now: Int64) -> [Action] {
    state = .settingNotify
    lastSet = now
    reason = overflow ?? reason
    overflow = nil
    awaitAnswer(now)
    return [.send(.notify(events))]
  }

  private mutating func notifySet(_ result: TaggedResult, _ now: Int64) -> [Action] {
    if result.isOK {
      state = .notified
      rest(now)
      defer { reason = nil }
      return listening(.notify) + tell(reason.map { .everything(reason: $0) })
        + (overflow == nil ? [] : repeatNotify(now))
    }
    // Whoever had NOTIFY hears nothing by IDLE any more.
    if isListening || result.code == .notificationOverflow {
      memory.avoidsNotify = true
      return fail(.refused(command: "NOTIFY", result))
    }
    if case .badEvent(let names) = result.code, let fewer = events.without(names) {
      events = fewer
      return setNotify(now)
    }
    return beginIdle(now)
  }

  /// Something was not told, and maybe nothing more will be.
  private mutating func overflowed(_ reason: String, _ now: Int64) -> [Action] {
    overflow = reason
    guard case .notified = state else { return [] }
    return repeatNotify(now)
  }

  /// At once, but not again and again with a server that has too much to tell: that is looked at meanwhile.
  private mutating func repeatNotify(_ now: Int64) -> [Action] {
    guard now - lastSet < Self.pause else { return setNotify(now) }
    deadline = lastSet + Self.pause
    return tell(overflow.map { .everything(reason: $0) })
  }

  private mutating func beginIdle(_ now: Int64) -> [Action] {
    guard canIdle else { return poll() }
    state = .examining
    awaitAnswer(now)
    return [.send(.select(mailbox, readOnly: true))]
  }

  private mutating func enterIdle(_ now: Int64) -> [Action] {
    state = .enteringIdle
    awaitAnswer(now)
    return [.send(.idle)]
  }

  /// Says something that has to be answered soon.
  private mutating func ask(_ now: Int64) -> [Action] {
    awaitAnswer(now, Self.shortPatience)
    if case .idling = state {
      state = .leavingIdle
      return [.done]
    }
    state = .pinging
    return [.send(.noop)]
  }

  private mutating func answered() -> [Action] {
    if isRenewing { memory.foundAlive() }
    isRenewing = false
    defer { isChecked = false }
    return isChecked ? [.alive] : []
  }

  private mutating func poll() -> [Action] {
    state = .over
    return [.listening(.poll), .finish]
  }

  private mutating func fail(_ error: IMAPError) -> [Action] {
    state = .over
    return [.fail(error)]
  }

  private mutating func listening(_ way: ListeningWay) -> [Action] {
    defer { isListening = true }
    return isListening ? [] : [.listening(way)]
  }

  /// What comes before the watch stands is part of what is looked for then.
  private func tell(_ hint: ServerHint?) -> [Action] {
    isListening ? hint.map { [.hint($0)] } ?? [] : []
  }

  // MARK: Times

  private mutating func rest(_ now: Int64) { deadline = now + memory.renewal * 1000 }

  private mutating func awaitAnswer(_ now: Int64, _ milliseconds: Int64 = Self.patience) {
    limit = milliseconds
    deadline = now + milliseconds
  }

  /// Whoever says anything is there.
  private mutating func extendLimit(_ now: Int64) {
    switch state {
    case .settingNotify, .pinging, .examining, .enteringIdle, .leavingIdle: deadline = now + limit
    case .fresh, .notified, .idling, .over: break
    }
  }
}

extension [NotifyEvent] {
  /// What is left to ask for after a BADEVENT with these names; nil where that would be no better.
  fileprivate func without(_ names: [String]) -> [NotifyEvent]? {
    let named = Set(names.map(Keywords.fold))
    // No server that has NOTIFY lacks this one, so these are the events that it has.
    let areSupported = named.contains(Keywords.fold(NotifyEvent.messageNew.rawValue))
    let left = filter { named.contains(Keywords.fold($0.rawValue)) == areSupported }
    let areEnough = left.contains(.messageNew) && left.contains(.messageExpunge)
    return areEnough && left.count < count ? left : nil
  }
}
