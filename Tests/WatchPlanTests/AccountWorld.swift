import MailCore

@testable import WatchPlan

/// An account's plan with a server, a tree and a clock that the test moves. It does what the plan wants, as well as the
/// world lets it, and keeps account of what nobody has looked at yet.
struct AccountWorld {
  private(set) var plan: AccountPlan
  private(set) var now = Moment(milliseconds: 0)
  private(set) var log: [(at: Moment, action: AccountAction)] = []
  private(set) var wakes: [Moment] = []
  private(set) var faults: [String] = []

  // What the world is like.
  var way = ListeningWay.notify
  var isReachable = true
  var secretIsGood = true
  var treeIsThere = true
  var isBusy = false
  var lineTakes = Duration.milliseconds(100)
  var runTakes = Duration.milliseconds(200)
  /// Nil: as long as runs.
  var copiesTake: Duration?
  var nextAttempt: Moment?

  // What nobody has looked at.
  var mail: [String: Moment] = [:]
  var files: [String: Moment] = [:]
  var queued: Moment?
  /// A message left whose copy is not in Sent.
  private(set) var unfiled: Moment?

  private var opening: Moment?
  private(set) var lineStands = false
  private var checking: Moment?
  private var run: (WatchRun, begun: Moment, ends: Moment)?
  private var sending: (begun: Moment, ends: Moment)?
  private var filing: (begun: Moment, ends: Moment)?
  private var isInterrupted = false

  init(timing: WatchTiming = WatchTiming(), seed: UInt64 = 1) {
    plan = AccountPlan(timing: timing, seed: seed, at: Moment(milliseconds: 0))
  }

  var isAtRest: Bool { run == nil && sending == nil && filing == nil && opening == nil }
  var isClean: Bool { mail.isEmpty && files.isEmpty && queued == nil && unfiled == nil }

  mutating func tell(_ event: AccountEvent) {
    for action in plan.handle(event, at: now) { perform(action) }
  }

  // MARK: Changes in the world

  /// A message comes, or marks change; the plan hears of it if there is a line to hear by.
  mutating func serverChanges(_ mailbox: String, arrives: Bool = true, isTold: Bool = true) {
    mail[mailbox] = now
    guard isTold, lineStands, way != .poll, isReachable else { return }
    let name = Array(mailbox.utf8)
    tell(.server(arrives ? .arrived(mailbox: name) : .changed(mailbox: name)))
  }

  mutating func treeChanges(_ news: TreeNews, isTold: Bool = true) {
    switch news {
    case .removed: files["removed"] = now
    case .draft: files["draft"] = now
    case .marks, .arrived, .folders: files["marks"] = now
    case .everything: files["any"] = now
    }
    if isTold { tell(.tree(news)) }
  }

  mutating func queueChanges() {
    queued = now
    tell(.queue)
  }

  mutating func lineBreaks() {
    guard lineStands, way != .poll else { return }
    lineStands = false
    tell(.lineEnded(.lost))
  }

  // MARK: Time

  mutating func advance(_ span: Duration) { advance(to: now + span) }

  mutating func advance(to end: Moment) {
    while let next = [
      plan.nextWake, opening, checking, run?.ends, sending?.ends, filing?.ends,
    ].compactMap({ $0 }).min(), next <= end {
      now = max(now, next)
      if let (done, begun, ends) = run, ends <= now {
        run = nil
        finish(done, begun)
      } else if let (begun, ends) = sending, ends <= now {
        sending = nil
        let result = interrupted() ?? result(reachable: true)
        let hasSent = result == .done && queued.map { $0 <= begun } == true
        if hasSent { (queued, unfiled) = (nil, now) }
        tell(
          .queueEnded(
            result, next: nextAttempt.map { max($0, now) },
            copies: unfiled == nil ? .none : hasSent ? .new : .waiting))
        nextAttempt = nil
      } else if let (_, ends) = filing, ends <= now {
        filing = nil
        let result = interrupted() ?? result(reachable: isReachable)
        let hasFiled = result == .done && unfiled != nil
        if result == .done { unfiled = nil }
        tell(.copiesEnded(result, areLeft: unfiled != nil, hasFiled: hasFiled))
      } else if let opened = opening, opened <= now {
        opening = nil
        finishOpening()
      } else if let answer = checking, answer <= now {
        checking = nil
        if isReachable { tell(.lineAlive) } else { lineBreaks() }
      } else {
        wakes.append(now)
        tell(.timePassed)
      }
      if log.count > 1_000_000 {
        faults.append("no end of actions")
        return
      }
    }
    now = max(now, end)
  }

  private func result(reachable: Bool) -> RunResult {
    if !treeIsThere { return .treeGone }
    if !reachable { return .unreachable }
    if !secretIsGood { return .refused }
    return isBusy ? .busy : .done
  }

  /// Both are, where both are under way.
  private mutating func interrupted() -> RunResult? {
    guard isInterrupted else { return nil }
    isInterrupted = run != nil || sending != nil || filing != nil
    return treeIsThere ? .interrupted : .treeGone
  }

  private mutating func finish(_ run: WatchRun, _ begun: Moment) {
    let result = interrupted() ?? result(reachable: isReachable)
    guard result == .done else {
      tell(.runEnded(push: run.push == nil ? nil : result, pull: run.push == nil ? result : nil))
      return
    }
    if let scope = run.push { files = files.filter { !scope.holds($0.key) || $0.value > begun } }
    if let scope = run.pull { mail = mail.filter { !scope.holds($0.key) || $0.value > begun } }
    tell(.runEnded(push: run.push.map { _ in .done }, pull: run.pull.map { _ in .done }))
  }

  private mutating func finishOpening() {
    if !isReachable {
      tell(.lineEnded(.lost))
    } else if !secretIsGood {
      tell(.lineEnded(.refused))
    } else {
      lineStands = true
      tell(.listening(way))
    }
  }

  private mutating func perform(_ action: AccountAction) {
    log.append((now, action))
    switch action {
    case .openLine:
      if opening != nil { faults.append("two lines at \(now)") }
      lineStands = false
      opening = now + lineTakes
    case .closeLine: (lineStands, opening, checking) = (false, nil, nil)
    case .checkLine: checking = now + (isReachable ? .milliseconds(50) : .seconds(10))
    case .run(let wanted):
      if run != nil { faults.append("two runs at \(now)") }
      run = (wanted, now, now + runTakes)
    case .sendQueue:
      if sending != nil { faults.append("two sends at \(now)") }
      if filing != nil { faults.append("a send beside copies at \(now)") }
      sending = (now, now + runTakes)
    case .fileCopies:
      if sending != nil || filing != nil { faults.append("copies beside a send at \(now)") }
      filing = (now, now + (copiesTake ?? runTakes))
    case .leaveCopies:
      filing = nil
      tell(.copiesEnded(.interrupted, areLeft: true, hasFiled: false))
    case .lookForTree: if treeIsThere { tell(.treeBack) }
    case .lookForSecret: if secretIsGood { tell(.secretChanged) }
    case .interrupt:
      isInterrupted = run != nil || sending != nil || filing != nil
      filing?.ends = now
      run?.ends = now
      sending?.ends = now
    case .distrustConnections, .report: break
    }
  }
}

extension PullScope {
  fileprivate func holds(_ name: String) -> Bool {
    switch self {
    case .everything: true
    case .these(let names): names.contains(Array(name.utf8))
    }
  }
}

extension PushScope {
  fileprivate func holds(_ change: String) -> Bool {
    switch change {
    case "removed": !leavesDeletions
    case "draft": !leavesDrafts
    default: true
    }
  }
}

extension AccountWorld {
  /// What was asked for since a moment, reports left out.
  func actions(since start: Moment = Moment(milliseconds: 0)) -> [AccountAction] {
    log.filter { $0.at >= start }.map(\.action).filter {
      if case .report = $0 { false } else { true }
    }
  }

  /// When runs began that fulfil a condition.
  func runs(_ fits: (WatchRun) -> Bool = { _ in true }) -> [Moment] {
    log.compactMap { entry in
      if case .run(let run) = entry.action, fits(run) { entry.at } else { nil }
    }
  }

  func times(of action: AccountAction) -> [Moment] {
    log.filter { $0.action == action }.map(\.at)
  }

  /// One that stands, with its first looks done.
  static func atRest(
    way: ListeningWay = .notify, timing: WatchTiming = WatchTiming(), seed: UInt64 = 1
  ) -> AccountWorld {
    var world = AccountWorld(timing: timing, seed: seed)
    world.way = way
    world.tell(.timePassed)
    world.advance(.seconds(100))
    return world
  }
}
