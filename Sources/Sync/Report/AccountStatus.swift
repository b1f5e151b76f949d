import Foundation
import SyncPlan

/// What `mirror status` tells of one account. Read from the state and the tree alone: no connection.
package struct AccountStatus: Sendable, Codable {
  package struct LastRun: Sendable, Codable {
    package var started: Date
    /// Nil where the run was killed.
    package var ended: Date?
    package var exitStatus: Int32
    /// The summary line's figures; nil where the run was killed.
    package var summary: PullSummary?
  }

  package struct Mailbox: Sendable, Codable {
    package var name: String
    package var messages: Int
    package var unread: Int?
    package var problems: Int
  }

  /// Local changes that wait for a push.
  package struct Pending: Sendable, Codable {
    package var flags = 0
    package var keywords = 0
    package var moves = 0
    package var deletions = 0
    /// Sent as bytes: new messages, and drafts that take the place of older ones.
    package var uploads = 0
    /// Copied by the server from one mailbox to another: nothing is sent.
    package var copies = 0
    /// Folders that are to become mailboxes, and those whose mailboxes are to be renamed.
    package var creations = 0
    package var renames = 0
    /// Edited messages that are no drafts: no push takes them along.
    package var edits = 0
  }

  package var account: String
  package var lastRun: LastRun?
  package var mailboxes: [Mailbox] = []
  package var pending = Pending()
  /// What a push would do, in its order.
  package var push: [PushAction]?
  package var problems: [RunProblem] = []
}
