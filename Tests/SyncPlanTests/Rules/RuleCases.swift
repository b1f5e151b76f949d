import Ledger
import LedgerTestKit
import MailCore
import Maildir
import Testing

@testable import SyncPlan

/// Messages, files and mailboxes to ask the tables of ``Rules`` about.
enum RuleCases {
  static func record(_ uid: UInt32 = 1, _ marks: MessageMarks = MessageMarks()) -> MessageRecord {
    var record = MessageRecord(uid: UID(uid), name: Array("name".utf8), agreed: marks)
    record.contentHash = 6
    return record
  }

  static func file(
    _ name: String = "name", in mailbox: MailboxKey?, folder: String = "f",
    _ marks: MessageMarks = MessageMarks()
  ) throws -> UnknownFile {
    UnknownFile(
      mailbox: mailbox, folder: try #require(FolderPath(text: folder)),
      file: MessageFile(subdirectory: .cur, name: Array((name + ":2,").utf8)),
      digest: MessageDigest(serverSize: 1, headerHash: 5, contentHash: 6, asCame: false),
      marks: marks, modified: 1, size: 1)
  }

  static func mailbox(
    _ id: MailboxKey, _ change: (inout MailboxRecord) -> Void = { _ in }
  ) -> MailboxRecord {
    var record = MailboxRecord(
      id: id, name: "m\(id)", rawName: [], delimiter: "/", folder: "m\(id)")
    change(&record)
    return record
  }

  static func situation(_ change: (inout PushSituation) -> Void = { _ in }) -> PushSituation {
    var situation = PushSituation(mailboxes: [mailbox(1), mailbox(2)])
    change(&situation)
    return situation
  }
}
