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

  /// How much of what the server has is here.
  package struct History: Sendable, Codable, Equatable {
    /// All that the windows let in, of all mailboxes.
    package var whole: Bool
    /// Messages that are here, or are known and lie beyond a window.
    package var known: Int
    /// As many as the server had when it was last asked.
    package var total: Int

    package init(whole: Bool, known: Int, total: Int) {
      (self.whole, self.known, self.total) = (whole, known, total)
    }
  }

  /// What `mirror verify` found when it last ran.
  package struct LastVerify: Sendable, Codable, Equatable {
    package var time: Date
    /// Mailboxes that it was to keep to; empty for all.
    package var mailboxes: [String]
    package var messagesChecked: Int
    /// Differences between tree, state and server.
    package var differences: Int
    /// The first of them.
    package var findings: [RunProblem]

    package init(
      time: Date, mailboxes: [String], messagesChecked: Int, differences: Int,
      findings: [RunProblem]
    ) {
      self.time = time
      self.mailboxes = mailboxes
      self.messagesChecked = messagesChecked
      self.differences = differences
      self.findings = findings
    }
  }

  /// Messages of which parts stay on the server.
  package struct OnDemand: Sendable, Codable, Equatable {
    package var stubs = 0
    /// Of these messages, whole.
    package var bytes: Int64 = 0
    /// Asked for by a fill, and still to come.
    package var waiting = 0
    package var waitingBytes: Int64 = 0
  }

  package var account: String
  package var lastRun: LastRun?
  /// Nil where there is no state to tell.
  package var history: History?
  package var lastVerify: LastVerify?
  /// Why it would be no good to go offline now, by what is in the account's own directory; empty where nothing is.
  package var hindrances: [String] = []
  package var mailboxes: [Mailbox] = []
  /// Nil where no message is a stub.
  package var onDemand: OnDemand?
  package var pending = Pending()
  /// What a push would do, in its order.
  package var push: [PushAction]?
  package var problems: [RunProblem] = []
  /// Why the tree or its state could not be read is among the problems: nothing else can be told of them.
  package var isUnread = false

  /// What hinders is told together with the index.
  private enum CodingKeys: String, CodingKey {
    case account, lastRun, history, lastVerify, mailboxes, onDemand, pending, push, problems
  }
}
