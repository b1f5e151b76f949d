/// The whole watch: all accounts, and what concerns all of them.
package struct WatchPlanner: Equatable, Sendable {
  package enum Event: Equatable, Sendable {
    case account(String, AccountEvent)
    /// The machine slept.
    case woke
    /// One of the messages that come in bursts while an interface or an address changes.
    case networkChanged
    case lookAtOnce
    /// The configuration was read again. Accounts that it has no more, or has otherwise, end; those that are new, or were
    /// changed, begin.
    case reload(unchanged: [NewAccount], begin: [NewAccount])
    case stop
    case timePassed
  }

  package enum Action: Equatable, Sendable {
    case account(String, AccountAction)
    /// Every account's first look is over, or cannot be had now.
    case ready
    /// Nothing is under way any more, or has had the time to end.
    case end
  }

  package struct NewAccount: Equatable, Sendable {
    package var name: String
    package var timing: WatchTiming

    package init(name: String, timing: WatchTiming) {
      self.name = name
      self.timing = timing
    }
  }

  private var accounts: [String: AccountPlan] = [:]
  /// Those that begin when what has their name has ended.
  private var following: [String: NewAccount] = [:]
  private var networkFirst: Moment?
  private var networkLast: Moment?
  private var stopped: Moment?
  /// When it was known, after that, what became of the last message that was awaited.
  private var outcomeKnown: Moment?
  private var isReady = false
  private var seed: UInt64
  /// What the caller was told last.
  private var expected: Moment?

  /// - Parameter seed: of the differences between waits after failures.
  package init(accounts: [NewAccount], seed: UInt64, at now: Moment) {
    self.seed = seed
    for account in accounts { begin(account, at: now) }
    expected = now
  }

  /// When `timePassed` is to come, if nothing else comes before; nil: whenever something happens.
  package var nextWake: Moment? { expected }

  package mutating func handle(_ event: Event, at now: Moment) -> [Action] {
    var actions: [Action] = []
    let didAwaitOutcome = awaitsOutcome
    // A timer that comes late has slept with the machine, whatever other clocks say.
    if let expected, now - expected > WatchTiming.overdue {
      shake(slept: true, at: now, &actions)
    }
    switch event {
    case .account(let name, let event): tell(name, event, at: now, &actions)
    case .woke: shake(slept: true, at: now, &actions)
    case .networkChanged:
      networkFirst = networkFirst ?? now
      networkLast = now
    case .lookAtOnce: tellAll(.lookAtOnce, at: now, &actions)
    case .reload(let unchanged, let begin): reload(unchanged, begin, at: now, &actions)
    case .stop:
      stopped = stopped ?? now
      following = [:]
      tellAll(.stop, at: now, &actions)
    case .timePassed: break
    }
    if let due = networkDue, due <= now {
      (networkFirst, networkLast) = (nil, nil)
      shake(slept: false, at: now, &actions)
    }
    for (name, account) in accounts where account.nextWake.map({ $0 <= now }) == true {
      tell(name, .timePassed, at: now, &actions)
    }
    replaceEnded(at: now, &actions)
    if !isReady, stopped == nil, accounts.values.allSatisfy(\.isSettled) {
      isReady = true
      actions.append(.ready)
    }
    if stopped != nil, didAwaitOutcome, !awaitsOutcome { outcomeKnown = now }
    if let stopBy, stopBy <= now || accounts.values.allSatisfy(\.hasEnded) {
      actions.append(.end)
    }
    expected = accounts.values.reduce(earlier(networkDue, stopBy)) { earlier($0, $1.nextWake) }
    return actions
  }

  private var networkDue: Moment? {
    guard let networkFirst, let networkLast else { return nil }
    let rule = WatchTiming.networkQuiet
    return min(networkLast + rule.wait, networkFirst + rule.atMost)
  }

  /// When to end, whatever is under way.
  private var stopBy: Moment? {
    guard let stopped else { return nil }
    let last = stopped + WatchTiming.endingSend
    // There is time to report what became of a message, too.
    return awaitsOutcome ? last : min(last, (outcomeKnown ?? stopped) + WatchTiming.ending)
  }

  private var awaitsOutcome: Bool { accounts.values.contains { $0.awaitsOutcome } }

  private mutating func shake(slept: Bool, at now: Moment, _ actions: inout [Action]) {
    tellAll(.shaken(slept: slept), at: now, &actions)
  }

  private mutating func tellAll(_ event: AccountEvent, at now: Moment, _ actions: inout [Action]) {
    for name in accounts.keys.sorted() { tell(name, event, at: now, &actions) }
  }

  private mutating func tell(
    _ name: String, _ event: AccountEvent, at now: Moment, _ actions: inout [Action]
  ) {
    guard let wanted = accounts[name]?.handle(event, at: now) else { return }
    actions += wanted.map { .account(name, $0) }
  }

  private mutating func begin(_ account: NewAccount, at now: Moment) {
    accounts[account.name] = AccountPlan(timing: account.timing, seed: seed, at: now)
    seed &+= 16
  }

  private mutating func reload(
    _ unchanged: [NewAccount], _ begin: [NewAccount], at now: Moment, _ actions: inout [Action]
  ) {
    guard stopped == nil else { return }
    let kept = Set(unchanged.map(\.name))
    for name in accounts.keys.sorted() {
      tell(name, kept.contains(name) ? .secretChanged : .stop, at: now, &actions)
    }
    // One that an earlier reading took away, and this one brings back, may still be ending.
    let back = unchanged.filter { accounts[$0.name]?.isStopping ?? true }
    following = [:]
    for account in back + begin { following[account.name] = account }
  }

  private mutating func replaceEnded(at now: Moment, _ actions: inout [Action]) {
    guard stopped == nil else { return }
    for name in accounts.filter({ $1.hasEnded }).keys { accounts[name] = nil }
    for (name, account) in following.sorted(by: { $0.key < $1.key }) where accounts[name] == nil {
      following[name] = nil
      begin(account, at: now)
      tell(name, .timePassed, at: now, &actions)
    }
  }
}
