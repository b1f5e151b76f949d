import MailCore

/// What one account's watch wants done. Nothing here is waited for: events tell how it ended.
package enum AccountAction: Equatable, Sendable {
  /// Connect, choose a way, listen; ends with `listening` or `lineEnded`.
  case openLine
  case closeLine
  /// Have the listening connection answer within 10 s; `lineEnded` where it does not.
  case checkLine
  /// The account's other connections may be dead: those at rest are closed.
  case distrustConnections
  /// Ends with `runEnded`.
  case run(WatchRun)
  /// Ends with `queueEnded`.
  case sendQueue
  /// File the copies of what was sent; ends with `copiesEnded`.
  case fileCopies
  /// End that: a message is to leave.
  case leaveCopies
  /// End what is under way.
  case interrupt
  /// Ends with `treeBack`, or with nothing.
  case lookForTree
  /// Ends with `secretChanged`, or with nothing.
  case lookForSecret(runsCommands: Bool)
  case report(AccountStanding)
}

/// One turn with the account's lock: a push, then a pull, or one of the two.
package struct WatchRun: Equatable, Sendable {
  package var push: PushScope?
  package var pull: PullScope?

  package init(push: PushScope?, pull: PullScope?) {
    self.push = push
    self.pull = pull
  }
}

/// What a push is about.
package struct PushScope: Equatable, Sendable {
  /// A look that nothing in particular led to.
  package var looksAtAll: Bool
  /// For a later one.
  package var leavesDrafts: Bool
  package var leavesDeletions: Bool
  /// Paths of folders in which files may have been written anew, which a folder's own times do not show; nil: all.
  package var compared: Set<String>?

  package init(
    looksAtAll: Bool, leavesDrafts: Bool, leavesDeletions: Bool, compared: Set<String>? = []
  ) {
    self.looksAtAll = looksAtAll
    self.leavesDrafts = leavesDrafts
    self.leavesDeletions = leavesDeletions
    self.compared = compared
  }

  package static let everything = PushScope(
    looksAtAll: true, leavesDrafts: false, leavesDeletions: false)
}

/// Which mailboxes a pull is about.
package enum PullScope: Equatable, Sendable {
  case everything
  /// By the names that the server has.
  case these(Set<[UInt8]>)
}

/// How an account stands, as a person is told.
package enum AccountStanding: Equatable, Sendable {
  case connecting
  case working
  case listening(ListeningWay)
  case retrying(at: Moment)
  case refused, misconfigured, treeGone, ended
}
