/// When to see whether a secret that a server refused is another one by now.
struct SecretLook: Equatable, Sendable {
  /// Nil where none was refused.
  private(set) var due: Moment?
  /// A command is run for it seldom: it may ask the person something.
  private var commandsDue: Moment?

  mutating func begin(at now: Moment) {
    due = due ?? now + WatchTiming.blindLook
    commandsDue = commandsDue ?? now + WatchTiming.forbidden
  }

  /// At once, where there is something to look for.
  mutating func hurry(at now: Moment) {
    if due != nil { (due, commandsDue) = (now, now) }
  }

  mutating func end() { (due, commandsDue) = (nil, nil) }

  mutating func start(at now: Moment) -> AccountAction? {
    guard let due, due <= now else { return nil }
    self.due = now + WatchTiming.blindLook
    let runsCommands = commandsDue.map { $0 <= now } ?? false
    if runsCommands { commandsDue = now + WatchTiming.forbidden }
    return .lookForSecret(runsCommands: runsCommands)
  }
}
