import Foundation
import MailCore
import Outbox
import Queue
import SyncPlan

/// The lines of `watch --format jsonl`; those of new mail are ``ArrivedMessage``.
enum WatchEvents {
  struct State: Encodable {
    let event = "state"
    var account: String
    var state: String
    /// While listening.
    var by: ListeningWay?
    /// When a failed attempt is made again.
    var retry: Date?

    private enum CodingKeys: String, CodingKey { case event, account, state, by, retry }
  }

  struct Pulled: Encodable {
    let event = "pulled"
    var account: String
    var new: Int
    var changed: Int
    var gone: Int

    init(_ summary: PullSummary) {
      (account, new) = (summary.account, summary.new)
      (changed, gone) = (summary.changed, summary.gone)
    }

    private enum CodingKeys: String, CodingKey { case event, account, new, changed, gone }
  }

  struct Pushed: Encodable {
    let event = "pushed"
    var account: String
    var marked: Int
    var moved: Int
    /// New messages and drafts.
    var sent: Int
    var deleted: Int

    init(_ summary: PushSummary) {
      (account, marked, moved) = (summary.account, summary.marked, summary.moved)
      (sent, deleted) = (summary.uploaded, summary.deleted)
    }

    private enum CodingKeys: String, CodingKey { case event, account, marked, moved, sent, deleted }
  }

  struct Sent: Encodable {
    let event = "sent"
    var account: String
    var id: String
    var recipients: [String]

    init(_ entry: QueueEntry, account: String) {
      self.account = account
      id = entry.id.text
      recipients = entry.envelope?.recipients ?? []
    }

    private enum CodingKeys: String, CodingKey { case event, account, id, recipients }
  }

  struct Problem: Encodable {
    let event = "problem"
    var account: String
    var mailbox: String?
    var problem: String
    var remedy: String?

    private enum CodingKeys: String, CodingKey { case event, account, mailbox, problem, remedy }

    /// Every key is there: null where there is nothing to say.
    func encode(to encoder: any Encoder) throws {
      var keys = encoder.container(keyedBy: CodingKeys.self)
      try keys.encode(event, forKey: .event)
      try keys.encode(account, forKey: .account)
      try keys.encode(mailbox, forKey: .mailbox)
      try keys.encode(problem, forKey: .problem)
      try keys.encode(remedy, forKey: .remedy)
    }
  }
}
