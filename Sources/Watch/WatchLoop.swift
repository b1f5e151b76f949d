import MailCore
import TreeWatch
import WatchPlan

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The watch itself: one thread that waits for signals, the tree, the network and what other threads report, asks the plan
/// what follows, and has the crew do it.
package final class WatchLoop {
  private enum Event: Sendable {
    case account(String, AccountEvent)
    case line(String, number: Int, LineNews)
    case queueEnded(String, SendEnd)
  }

  private let crew: any WatchCrew
  private let notice: ServiceNotice?
  private let signals: Int32
  private let events: EventPipe<Event>
  private let network = NetworkChanges()
  private let alarm = ClockAlarm()
  private let tree = TreeWatcher()
  private var sleep = SleepClock()
  private var planner: WatchPlanner
  private var names: Set<String>
  /// Accounts of which the tree is watched.
  private var watched: Set<String> = []
  /// How many lines an account has had: news of an older one than the last is none.
  private var lines: [String: Int] = [:]
  private var aliveDue: Moment?
  private var retryTreesDue: Moment?
  /// When to look for connections that nobody used since.
  private var idleDue: [String: [Moment]] = [:]
  /// When it was told to end.
  package private(set) var stopped: ContinuousClock.Instant?
  private var hasEnded = false

  /// - Parameter signals: of ``WatchSignals/begin()``.
  package init?(
    accounts: [WatchPlanner.NewAccount], crew: any WatchCrew, notice: ServiceNotice?,
    signals: Int32
  ) {
    guard let events = EventPipe<Event>() else { return nil }
    self.crew = crew
    self.notice = notice
    self.signals = signals
    self.events = events
    names = Set(accounts.map(\.name))
    planner = WatchPlanner(
      accounts: accounts, seed: UInt64.random(in: 0...UInt64.max), at: Self.now)
  }

  private static let idle = [Duration.seconds(61), .seconds(901)]

  private static var now: Moment { Moment(milliseconds: SleepClock.now) }

  /// Until a signal ends it. Blocks.
  package func run() {
    for name in names.sorted() { watchTree(of: name) }
    tell(.timePassed)
    while !hasEnded {
      wait()
      if sleep.slept() != nil { tell(.woke) }
      for signal in WatchSignals.read(signals) { heard(signal) }
      for event in events.read() { heard(event) }
      for hint in tree.read() { heard(hint) }
      if network?.read() == true { tell(.networkChanged) }
      if alarm?.read() == true, sleep.slept() != nil { tell(.woke) }
      retryTrees()
      closeIdleConnections()
      tell(.timePassed)
      sayAlive()
    }
  }

  // MARK: Waiting

  private func wait() {
    let now = Self.now
    let next = [
      planner.nextWake, aliveDue, retryTreesDue, idleDue.values.compactMap(\.first).min(),
    ]
    .compactMap { $0 }.min()
    // A millisecond more: poll(2) may come back a little too early by another clock.
    let timeout = next.map { max(0, $0.milliseconds - now.milliseconds) + 1 } ?? -1
    var places = [
      signals, events.descriptor, tree.descriptor, network?.descriptor ?? -1,
      alarm?.descriptor ?? -1,
    ].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    _ = poll(&places, nfds_t(places.count), Int32(clamping: timeout))
  }

  private func closeIdleConnections() {
    let now = Self.now
    for (name, dues) in idleDue where dues.first.map({ $0 <= now }) == true {
      idleDue[name] = Array(dues.dropFirst())
      crew.closeIdleConnections(name)
    }
  }

  private func sayAlive() {
    guard let notice, let every = notice.aliveEvery else { return }
    let now = Self.now
    if let aliveDue, now < aliveDue { return }
    notice.alive()
    aliveDue = now + every
  }

  // MARK: What comes

  private func heard(_ signal: WatchSignals.Signal) {
    switch signal {
    case .stop:
      stopped = stopped ?? .now
      notice?.stopping()
      tell(.stop)
    case .lookAtOnce: tell(.lookAtOnce)
    case .continued: tell(.woke)
    case .reload:
      notice?.reloading()
      if let reload = crew.reload() {
        let before = names
        let unchanged = Set(reload.unchanged.map(\.name))
        for name in before.subtracting(unchanged) { forgetTree(of: name) }
        names = unchanged.union(reload.begin.map(\.name))
        tell(.reload(unchanged: reload.unchanged, begin: reload.begin))
        // The others' trees may lie elsewhere: they are watched when what was under way has ended.
        for name in names.subtracting(before) { watchTree(of: name) }
      }
      notice?.ready()
    }
  }

  private func heard(_ event: Event) {
    switch event {
    case .account(let name, let event):
      if case .runEnded = event {
        watchTree(of: name)
        idleDue[name] = Self.idle.map { Self.now + $0 }
      }
      tell(.account(name, event))
    case .line(let name, let number, let news):
      guard lines[name] == number else { return }
      switch news {
      case .listening(let way): tell(.account(name, .listening(way)))
      case .news(let news): tell(.account(name, .server(news)))
      case .alive: tell(.account(name, .lineAlive))
      case .ended(let end): tell(.account(name, .lineEnded(end)))
      }
    case .queueEnded(let name, let end):
      tell(
        .account(
          name,
          .queueEnded(
            end.result, next: end.next.map { Self.now + $0 }, copies: end.copies)))
    }
  }

  private func heard(_ hint: TreeHint) {
    switch hint {
    case .folder(let account, let folder, let kind):
      crew.treeChanged(account)
      let isDraft = crew.holdsDrafts(folder, of: account)
      switch kind {
      case _ where isDraft: tell(.account(account, .tree(.draft(folder: folder.text))))
      case .marks: tell(.account(account, .tree(.marks)))
      case .arrived: tell(.account(account, .tree(.arrived(folder: folder.text))))
      case .removed: tell(.account(account, .tree(.removed)))
      }
    case .folders(let account):
      crew.treeChanged(account)
      tell(.account(account, .tree(.folders)))
    case .everything(let account, _):
      crew.treeChanged(account)
      tell(.account(account, .tree(.everything)))
    case .outbox(let account): tell(.account(account, .queue))
    case .treeGone(let account): tell(.account(account, .treeGone))
    case .treeBack(let account): tell(.account(account, .treeBack))
    case .watched(let account): tell(.account(account, .treeIsWatched(true)))
    case .unwatched(let account, let hindrance):
      crew.tell(hindrance, of: account)
      tell(.account(account, .treeIsWatched(false)))
    }
  }

  // MARK: Trees

  /// A tree that is not there yet is watched when a pull has made it, or a message was queued.
  private func watchTree(of name: String) {
    guard names.contains(name), !watched.contains(name), let account = crew.tree(name) else {
      return
    }
    watched.insert(name)
    for hint in tree.add(account) { heard(hint) }
    retryTreesDue = retryTreesDue ?? nextRetry
  }

  private func forgetTree(of name: String) {
    guard watched.remove(name) != nil else { return }
    tree.remove(account: name)
  }

  private func retryTrees() {
    if let due = retryTreesDue, due <= Self.now {
      for name in names.subtracting(watched).sorted() {
        watchTree(of: name)
        // Something may be queued there.
        if watched.contains(name) { tell(.account(name, .queue)) }
      }
      for hint in tree.tryAgain() { heard(hint) }
      retryTreesDue = nil
    }
    retryTreesDue = retryTreesDue ?? nextRetry
  }

  private var nextRetry: Moment? {
    tree.lacksSomething || !names.isSubset(of: watched) ? Self.now + .seconds(60) : nil
  }

  // MARK: What follows

  private func tell(_ event: WatchPlanner.Event) {
    let now = Self.now
    for action in planner.handle(event, at: now) {
      switch action {
      case .account(let name, let action): perform(action, name, now)
      case .ready:
        crew.ready()
        notice?.ready()
      case .end: hasEnded = true
      }
    }
  }

  private func perform(_ action: AccountAction, _ name: String, _ now: Moment) {
    let events = events
    switch action {
    case .openLine:
      let number = (lines[name] ?? 0) + 1
      lines[name] = number
      crew.openLine(name) { events.post(.line(name, number: number, $0)) }
    case .closeLine:
      lines[name, default: 0] += 1
      crew.closeLine(name)
    case .checkLine: crew.checkLine(name)
    case .distrustConnections: crew.distrustConnections(name)
    case .run(let run):
      crew.run(run, name) { end in
        if end.leavesPush { events.post(.account(name, .pushIsWanted)) }
        if end.mayLeaveMoves { events.post(.account(name, .mailMayHaveMoved)) }
        if end.copiesCame { events.post(.account(name, .copiesCame)) }
        events.post(.account(name, .runEnded(push: end.push, pull: end.pull)))
      }
    case .sendQueue:
      crew.sendQueue(name) {
        events.post(.account(name, .outcomeIsAwaited($0)))
      } ended: {
        events.post(.queueEnded(name, $0))
      }
    case .fileCopies:
      crew.fileCopies(name) { end in
        events.post(
          .account(
            name,
            .copiesEnded(end.result, areLeft: end.areLeft, hasFiled: end.hasFiled)))
      }
    case .leaveCopies: crew.leaveCopies(name)
    case .interrupt: crew.interrupt(name)
    case .lookForSecret(let runsCommands):
      crew.lookForSecret(name, runsCommands: runsCommands) {
        events.post(.account(name, .secretChanged))
      }
    case .lookForTree:
      for hint in tree.tryAgain() { heard(hint) }
      // One of which only a run found that it is gone.
      if crew.treeIsThere(name) { events.post(.account(name, .treeBack)) }
    case .report(let standing):
      crew.report(standing, of: name, now: now)
      if standing == .ended, stopped == nil {
        idleDue[name] = nil
        crew.hasEnded(name)
        // It may lie elsewhere by now.
        forgetTree(of: name)
        watchTree(of: name)
      }
    }
  }
}
