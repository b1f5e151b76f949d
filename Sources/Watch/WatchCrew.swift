import MailCore
import Maildir
import TreeWatch
import WatchPlan

/// Those who do what the plan wants. Nothing here may block the loop: work goes to threads of its own, which tell how it
/// ended.
package protocol WatchCrew: Sendable {
  /// Connects, chooses a way, listens. `tell` may be called from any thread, and not after ``LineNews/ended(_:)``.
  func openLine(_ account: String, tell: @escaping @Sendable (LineNews) -> Void)
  func closeLine(_ account: String)
  /// Has it answer, or end, within 10 s.
  func checkLine(_ account: String)
  /// The account's other connections may be dead.
  func distrustConnections(_ account: String)
  /// Closes connections that have been at rest for a while.
  func closeIdleConnections(_ account: String)
  func run(
    _ run: WatchRun, _ account: String, ended: @escaping @Sendable (RunEnd) -> Void)
  /// - Parameter awaitsOutcome: called with true before the end of a message leaves, and with false when what became of it
  ///   is recorded.
  func sendQueue(
    _ account: String, awaitsOutcome: @escaping @Sendable (Bool) -> Void,
    ended: @escaping @Sendable (SendEnd) -> Void)
  /// Files the copies of what was sent.
  func fileCopies(_ account: String, ended: @escaping @Sendable (CopiesEnd) -> Void)
  /// Ends that, and nothing else.
  func leaveCopies(_ account: String)
  /// Ends runs and sends that are under way.
  func interrupt(_ account: String)
  /// `changed` is called where what was refused may be tried again, and only then.
  ///
  /// - Parameter runsCommands: also those that may ask the person something.
  func lookForSecret(
    _ account: String, runsCommands: Bool, changed: @escaping @Sendable () -> Void)

  /// The directory of its tree; nil before the first pull has made it.
  func tree(_ account: String) -> WatchedAccount?
  /// Whether the tree that was there is there.
  func treeIsThere(_ account: String) -> Bool
  func holdsDrafts(_ folder: FolderPath, of account: String) -> Bool
  /// Another program changed something in the tree: the index is to follow.
  func treeChanged(_ account: String)

  func tell(_ hindrance: NoWatching, of account: String)
  func report(_ standing: AccountStanding, of account: String, now: Moment)
  func ready()
  /// Reads the configuration again; nil where it cannot be used, which is told.
  func reload() -> Reload?
  /// Nothing of the account is under way any more.
  func hasEnded(_ account: String)
}

/// How a run ended: each half that was attempted.
package struct RunEnd: Sendable {
  package var push: RunResult?
  package var pull: RunResult?
  /// Messages came that the queue may wait for.
  package var copiesCame = false
  /// The pull found messages here that a push sends.
  package var leavesPush = false
  /// The pull found messages in mailboxes that were named of which others, that were not, have copies.
  package var mayLeaveMoves = false

  package init(push: RunResult? = nil, pull: RunResult? = nil) {
    self.push = push
    self.pull = pull
  }
}

/// What came of sending a queue.
package struct SendEnd: Sendable {
  package var result: RunResult
  /// How long it is until the next attempt is due, if there is one; zero where one could not be made.
  package var next: Duration?
  package var copies = CopiesLeft.waiting

  package init(_ result: RunResult, next: Duration? = nil, copies: CopiesLeft = .waiting) {
    self.result = result
    self.next = next
    self.copies = copies
  }
}

/// What came of filing copies.
package struct CopiesEnd: Sendable {
  package var result: RunResult
  package var areLeft: Bool
  /// Sent has got some.
  package var hasFiled: Bool

  package init(_ result: RunResult, areLeft: Bool, hasFiled: Bool = false) {
    self.result = result
    self.areLeft = areLeft
    self.hasFiled = hasFiled
  }
}

/// What came of reading the configuration again.
package struct Reload: Sendable {
  package var unchanged: [WatchPlanner.NewAccount]
  package var begin: [WatchPlanner.NewAccount]

  package init(unchanged: [WatchPlanner.NewAccount], begin: [WatchPlanner.NewAccount]) {
    self.unchanged = unchanged
    self.begin = begin
  }
}

/// What the connection that waits for the server's news says.
package enum LineNews: Equatable, Sendable {
  case listening(ListeningWay)
  case news(ServerNews)
  /// It was checked, and answers.
  case alive
  case ended(LineEnd)
}
