import MailCore
import Maildir

/// Where in a tree something has changed, by another program's hand: where to look, never a fact.
package enum TreeHint: Equatable, Sendable {
  case folder(account: String, FolderPath, Kind)
  /// Folders were made, renamed, removed.
  case folders(account: String)
  /// A message was queued, or a queued one's record changed.
  case outbox(account: String)
  /// Something may have got lost: look at all.
  case everything(account: String, Cause)
  /// Nothing of the account is reported from here on: its directory is not where it was.
  case treeGone(account: String)
  /// It is there again, perhaps changed.
  case treeBack(account: String)
  /// Not all that changes is reported from here on.
  case unwatched(account: String, NoWatching)
  /// Everything is reported again.
  case watched(account: String)

  package enum Kind: Hashable, Sendable {
    /// Files were renamed, or left for another folder.
    case marks
    /// Files came, or were written anew.
    case arrived
    /// Files are in no folder that is watched.
    case removed
  }

  package enum Cause: Equatable, Sendable {
    /// More events than the system keeps.
    case eventsLost
    /// Another directory stands in the place of the account's.
    case anotherTree
  }
}
