import Foundation
import GRDB

@testable import State
@testable import Sync

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Lets a run die at one of its events, as if the process had been killed there: from then on nothing reaches the server,
/// the state or the tree.
///
/// Events are commits that change the state, and commands that change the server. Between two of them only files change: a
/// run that dies *after* an event has changed none, one that dies *before* the next has changed them all.
///
/// Unchecked: everything happens on the thread of one test.
final class Fuse: @unchecked Sendable {
  enum Place: Equatable, CustomStringConvertible {
    case before(Int)
    case after(Int)

    var description: String {
      switch self {
      case .before(let event): "died before event \(event)"
      case .after(let event): "died after event \(event)"
      }
    }
  }

  struct Died: Error, ReachingFailure {
    var reach: RunFailure { .run }
  }

  private let root: String
  private var place: Place?
  private(set) var isBurnt = false
  /// How many there were since the fuse was armed.
  private(set) var events = 0

  /// - Parameter root: the tree's: its directories are out of reach after death.
  init(root: String) { self.root = root }

  /// - Parameter place: nil for a run that lives, and whose events are counted.
  func arm(_ place: Place?) {
    self.place = place
    isBurnt = false
    events = 0
  }

  func check() throws {
    if isBurnt { throw Died() }
  }

  /// - Throws: where the run is dead, or dies now: the event does not come to pass.
  func begin() throws {
    if place == .before(events) { burn() }
    try check()
  }

  /// The event came to pass.
  func end() {
    if place == .after(events) { burn() }
    events += 1
  }

  func burn() {
    isBurnt = true
    leaveTree()
  }

  /// Every directory of the tree that the run holds open leads to nowhere from now on.
  private func leaveTree() {
    let nowhere = root + "-nowhere"
    mkdir(nowhere, 0o700)
    let descriptor = open(nowhere, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    rmdir(nowhere)
    defer { close(descriptor) }
    let own = "/proc/self/fd"
    for name in (try? FileManager.default.contentsOfDirectory(atPath: own)) ?? [] {
      guard let open = Int32(name), open != descriptor,
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: own + "/" + name),
        path.hasPrefix(root + "/")
      else { continue }
      var facts = stat()
      if fstat(open, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR { dup2(descriptor, open) }
    }
  }

  // MARK: The state

  func watch(_ state: StateStore) {
    state.queue.writeWithoutTransaction { db in
      let watch = LedgerWatch(fuse: self, db)
      db.add(transactionObserver: watch, extent: .databaseLifetime)
    }
  }
}

/// Tells a fuse of the commits to one state.
private final class LedgerWatch: TransactionObserver {
  private let fuse: Fuse
  private unowned let database: Database
  private var changesSeen: Int
  private var isChange: Bool { database.totalChangesCount != changesSeen }

  init(fuse: Fuse, _ database: Database) {
    self.fuse = fuse
    self.database = database
    changesSeen = database.totalChangesCount
  }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
  func databaseDidChange(with event: DatabaseEvent) {}

  func databaseWillCommit() throws {
    if isChange { try fuse.begin() } else { try fuse.check() }
  }

  func databaseDidCommit(_ db: Database) {
    guard isChange else { return }
    changesSeen = database.totalChangesCount
    fuse.end()
  }

  func databaseDidRollback(_ db: Database) { changesSeen = database.totalChangesCount }
}
