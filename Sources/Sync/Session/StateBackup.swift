import Foundation
import Maildir
import State

/// When the copy of the state is made that rsync and restores rely on: at the end of a run that changed the state. Where
/// runs follow one another all day that would be a copy of the whole state for each message that comes, so it is made less
/// often. One that is a little old is as good: whoever has to use it matches everything anew.
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
    try write(context.state, beside: context.tree, durable: durable)
  }

  private mutating func write(_ state: StateStore, beside tree: AccountTree, durable: Bool) throws {
    try state.backUp(to: tree.control.path + "/state.backup.db", durable: durable)
    isOwed = false
    last = .now
  }

  /// After the last run: nothing holds the account any more.
  mutating func writeIfPutOff(account path: String, durable: Bool) throws {
    guard isOwed, interval > .zero else { return }
    let tree = try AccountTree.openExisting(path: path)
    // This is no run: what the lock's words say of the last one stays.
    guard let run = try tree.lastHolder()?.words else { return }
    let lock = try tree.lock(program: run.program, since: run.since)
    defer { if let status = run.exitStatus { lock.noteEnd(exitStatus: status) } }
    let path = tree.control.path + "/state.db"
    guard FileManager.default.fileExists(atPath: path) else { return }
    let state = try StateStore(path: path, durable: durable)
    defer { state.shut() }
    try write(state, beside: tree, durable: durable)
  }
}
