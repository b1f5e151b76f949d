import Foundation
import MailCore
import MailIndex
import Sync
import SyncPlan

/// A new message, as `--format jsonl` and programs that wait for mail have it.
struct ArrivedEvent: Encodable, Sendable, Equatable {
  var account: String
  var mailbox: String
  /// Absolute; what of a name is no UTF-8 is replaced.
  var path: String
  /// As in `search --format json`.
  var id: Int64
  /// Without angle brackets; nil where the message has none.
  var messageID: String?
  var from: String
  var subject: String
  var date: Date
  var unread: Bool

  private enum CodingKeys: String, CodingKey {
    case event, account, mailbox, path, id, messageID, from, subject, date, unread
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode("arrived", forKey: .event)
    try values.encode(account, forKey: .account)
    try values.encode(mailbox, forKey: .mailbox)
    try values.encode(path, forKey: .path)
    try values.encode(id, forKey: .id)
    try values.encode(messageID, forKey: .messageID)
    try values.encode(from, forKey: .from)
    try values.encode(subject, forKey: .subject)
    try values.encode(date, forKey: .date)
    try values.encode(unread, forKey: .unread)
  }
}

/// Tells what a pull brought, once it is durable and the index has it.
struct ArrivedMessages: Sendable {
  /// The tree's.
  let root: String

  /// One batch: each new message of the pull, INBOX first. Blocks.
  ///
  /// - Parameter newsOnly: nothing of an account's very first pull.
  /// - Throws: what the index or the state cannot be read for, and what `tell` throws.
  func forEach(
    of run: AccountRun, _ summary: PullSummary, newsOnly: Bool,
    _ tell: (ArrivedEvent) throws -> Void
  ) throws {
    var index: IndexReader?
    try run.forEachArrival(of: summary, newsOnly: newsOnly) { arrived in
      let reader = try index ?? IndexReader.open(root: root)
      index = reader
      let folder = ([summary.account] + arrived.folder.components).joined(separator: "/")
      guard let hit = try reader.hit(ofFile: arrived.file, in: folder) else { return }
      try tell(
        ArrivedEvent(
          account: summary.account, mailbox: arrived.mailbox,
          path: "\(root)/\(folder)/\(arrived.file)", id: hit.id, messageID: hit.messageID,
          from: hit.from, subject: hit.subject,
          date: Date(timeIntervalSince1970: Double(hit.date)),
          unread: !hit.flags.contains(.seen)))
    }
  }
}
