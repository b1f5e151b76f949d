import IMAPWire
import Ledger
import MailCore

/// Messages that were deleted here and that the server keeps: forgotten here, so that the next pull brings them back.
extension PushPart {
  func bringBack(_ refused: [(uid: UID, result: TaggedResult)], in mailbox: MailboxKey) throws {
    for (uid, result) in refused {
      try bringBack(
        [uid], in: mailbox, "The server refuses to delete this message\(result.quoted)")
    }
  }

  func bringBack(_ uids: [UID], in mailbox: MailboxKey, _ reason: String) throws {
    guard !uids.isEmpty else { return }
    try write { transaction in for uid in uids { try transaction.remove(uid, from: mailbox) } }
    try known.listAgain(mailbox)
    for uid in uids {
      tell(mailbox, uid: uid.rawValue, "\(reason); the next pull brings it back.")
    }
    count(.refused, mailbox, detail: "deletion", count: uids.count)
  }
}
