/// When the copy of the state is made that rsync and restores rely on: at the end of a run that changed the state. Where
/// runs follow one another all day that would be a copy of the whole state for each message that comes, so it is made less
/// often. One that is a little old is as good: whoever has to use it matches everything anew (DESIGN section 3).
struct StateBackup {
  /// At least so long from one to the next.
  let interval: Duration
  private var last: ContinuousClock.Instant?
  /// The state has changed since.
  private var isOwed = false

  init(interval: Duration) { self.interval = interval }

  /// The end of a run.
  mutating func follow(_ context: AccountContext, durable: Bool) throws {
    isOwed = isOwed || context.hasChangedState
    guard isOwed, last.map({ $0 + interval <= .now }) ?? true else { return }
    try context.state.backUp(
      to: context.tree.control.path + "/state.backup.db", durable: durable)
    isOwed = false
    last = .now
  }
}
