import MailCore

/// What happens to one account's watch. Mailboxes and folders are plain texts here: only whether they are the same counts.
package enum AccountEvent: Equatable, Sendable {
  // The connection that waits for the server's news.
  case listening(ListeningWay)
  case lineEnded(LineEnd)
  case server(ServerNews)

  // The tree.
  case tree(TreeNews)
  /// Whether changes in the tree are told of; they are looked for otherwise.
  case treeIsWatched(Bool)
  case treeGone
  case treeBack

  // The send queue.
  /// It has changed, or Sent has got messages that it may wait for.
  case queue
  /// A send is over. `next` is when the next attempt is due.
  case queueEnded(RunResult, next: Moment?)

  // Runs. A half that was not attempted has no result.
  case runEnded(push: RunResult?, pull: RunResult?)

  /// The secret or the configuration is another one: what was refused is tried again.
  case secretChanged
  /// The machine slept, or its network is another one.
  case shaken
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

package enum ServerNews: Equatable, Sendable {
  case arrived(mailbox: String)
  /// Flags, or messages that are gone.
  case changed(mailbox: String)
  /// Mailboxes were made, renamed, deleted.
  case mailboxes
  /// Something may have got lost.
  case everything
}

package enum TreeNews: Equatable, Sendable {
  /// Files were renamed or written anew.
  case marks(folder: String)
  /// Files came.
  case arrived(folder: String)
  case removed(folder: String)
  /// Any of these in a folder where drafts lie.
  case draft(folder: String)
  /// Folders were made, renamed, removed.
  case folders
  /// Something may have got lost.
  case everything
}

package enum RunResult: Equatable, Sendable {
  case done, inPart, busy, unreachable, refused, misconfigured, treeGone, interrupted

  /// Whether all was looked at that was to be, though something may have failed.
  var didWork: Bool { self == .done || self == .inPart }
}
