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
  /// End what is under way.
  case interrupt
  /// Ends with `treeBack`, or with nothing.
  case lookForTree
  /// Ends with `secretChanged`, or with nothing.
  case lookForSecret
  case report(AccountStanding)
}

/// One turn with the account's lock: a push, then a pull, or one of the two.
package struct WatchRun: Equatable, Sendable {
  package var push: Scope?
  package var pull: Scope?

  package init(push: Scope?, pull: Scope?) {
    self.push = push
    self.pull = pull
  }
}

/// Which folders or mailboxes.
package enum Scope: Equatable, Sendable {
  case everything
  case these(Set<String>)
}

/// How an account stands, as a person is told.
package enum AccountStanding: Equatable, Sendable {
  case connecting
  case working
  case listening(ListeningWay)
  case retrying(at: Moment)
  case refused, misconfigured, treeGone, ended
}
