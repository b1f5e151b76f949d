import MailCore

/// What happens to one account's watch.
package enum AccountEvent: Equatable, Sendable {
  // The connection that waits for the server's news.
  case listening(ListeningWay)
  /// It was checked, and answers.
  case lineAlive
  case lineEnded(LineEnd)
  case server(ServerNews)

  // The tree.
  case tree(TreeNews)
  /// Whether changes in the tree are told of; they are looked for otherwise.
  case treeIsWatched(Bool)
  case treeGone
  case treeBack

  // The send queue.
  /// It has changed.
  case queue
  /// Sent has got messages that it may wait for.
  case copiesCame
  /// A send is over. `next` is when the next attempt is due; now, where one that was due could not be made.
  case queueEnded(RunResult, next: Moment?, copies: CopiesLeft = .none)
  /// An attempt to file copies is over. `areLeft`: some are not filed, or may be of messages of which it is not known whether
  /// they were sent. `hasFiled`: Sent has got some that are not here yet.
  case copiesEnded(RunResult, areLeft: Bool, hasFiled: Bool)
  /// The end of a message is about to leave; or what became of it is recorded, or it did not leave.
  case outcomeIsAwaited(Bool)
  /// Messages came that another mailbox has, too: they may have been moved from there.
  case mailMayHaveMoved

  /// A pull left something to be pushed.
  case pushIsWanted

  // Runs. A half that was not attempted has no result.
  case runEnded(push: RunResult?, pull: RunResult?)

  /// The secret or the configuration is another one: what was refused is tried again.
  case secretChanged
  /// The machine slept, or its network is another one.
  case shaken(slept: Bool)
  case lookAtOnce
  case stop
  case timePassed
}

package enum LineEnd: Equatable, Sendable {
  /// Unreachable, closed, dead.
  case lost
  /// The server takes no further connection now.
  case crowded
  /// The log-in was refused, for good.
  case refused
  /// The settings or the server's certificate do not allow it.
  case misconfigured
}

/// Copies of messages that were sent, and what is to be looked for in Sent, when a send is over.
package enum CopiesLeft: Equatable, Sendable {
  case none
  /// As before it.
  case waiting
  /// Also of what was just sent.
  case new
}

package enum ServerNews: Equatable, Sendable {
  /// Mailboxes are named as the server spells them.
  case arrived(mailbox: [UInt8])
  /// Flags, or messages that are gone.
  case changed(mailbox: [UInt8])
  /// Mailboxes were made, renamed, deleted.
  case mailboxes
  /// Something may have got lost.
  case everything
}

package enum TreeNews: Equatable, Sendable {
  /// Files were renamed.
  case marks
  /// Files came, or were written anew, in a folder by this path.
  case arrived(folder: String)
  case removed
  /// Any of these in a folder where drafts lie.
  case draft(folder: String)
  /// Folders were made, renamed, removed.
  case folders
  /// Something may have got lost.
  case everything
}

package enum RunResult: Equatable, Sendable {
  case done, inPart, busy, unreachable, refused, misconfigured, treeGone, interrupted
  /// The server accepts no connection beside those that it has.
  case crowded

  /// Whether all was looked at that was to be, though something may have failed.
  var didWork: Bool { self == .done || self == .inPart }
}
