/// What was heard of the server and not pulled yet.
struct PendingPull: Equatable, Sendable {
  let timing: WatchTiming
  /// When they were first heard of.
  private var arrivals: [[UInt8]: Moment] = [:]
  private var changes: [[UInt8]: Moment] = [:]
  /// When everything is to be looked at.
  private var lookDue: Moment?
  /// When a pull of them ended last.
  private var pulled: [[UInt8]: Moment] = [:]
  private var looked: Moment?

  init(timing: WatchTiming) { self.timing = timing }

  mutating func add(_ news: ServerNews, at now: Moment) {
    switch news {
    case .arrived(let mailbox): arrivals[mailbox] = arrivals[mailbox] ?? now
    case .changed(let mailbox): changes[mailbox] = changes[mailbox] ?? now
    case .mailboxes: look(by: timing.changes.due(first: now, last: looked))
    case .everything: look(by: timing.overflow.due(first: now, last: looked))
    }
  }

  mutating func look(by due: Moment) { lookDue = earlier(lookDue, due) }

  var due: Moment? {
    let named =
      arrivals.map { timing.arrivals.due(first: $1, last: last($0)) }
      + changes.map { timing.changes.due(first: $1, last: last($0)) }
    return earlier(lookDue, named.min())
  }

  /// Takes out what is due.
  mutating func start(at now: Moment) -> PullScope? {
    guard let due, due <= now else { return nil }
    var names = Set(arrivals.filter { timing.arrivals.due(first: $1, last: last($0)) <= now }.keys)
    names.formUnion(changes.filter { timing.changes.due(first: $1, last: last($0)) <= now }.keys)
    if names.count > WatchTiming.manyMailboxes || lookDue.map({ $0 <= now }) == true {
      (arrivals, changes, lookDue) = ([:], [:], nil)
      return .everything
    }
    for name in names {
      arrivals[name] = nil
      changes[name] = nil
    }
    return .these(names)
  }

  mutating func ended(_ scope: PullScope, at now: Moment) {
    switch scope {
    case .everything:
      looked = now
      pulled = [:]
    case .these(let names): for name in names { pulled[name] = now }
    }
  }

  /// Nothing came of a pull that had been started.
  mutating func putBack(_ scope: PullScope, at now: Moment) {
    switch scope {
    case .everything: look(by: now)
    case .these(let names): for name in names { arrivals[name] = arrivals[name] ?? now }
    }
  }

  private func last(_ mailbox: [UInt8]) -> Moment? {
    guard let named = pulled[mailbox] else { return looked }
    return looked.map { max($0, named) } ?? named
  }
}
