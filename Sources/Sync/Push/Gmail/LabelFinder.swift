import Ledger
import MailCore
import SyncPlan

/// Finds messages by their identity, which they have in all their mailboxes.
struct LabelFinder: PushPart {
  let desk: PushDesk

  func knownCopy(of record: MessageRecord, in mailbox: MailboxKey) throws -> MessageRecord? {
    guard let identity = record.identity else { return nil }
    return try state.copies(of: identity).first {
      $0.mailbox == mailbox && !$0.message.traits.contains(.expunged) && $0.message.mayBe(record)
    }?.message
  }

  /// Where messages lie in a mailbox, by their identity, among those that no record tells of.
  func find(_ wanted: [MessageRecord], in mailbox: MailboxKey) throws -> [UID: UID] {
    guard wanted.contains(where: { $0.identity != nil }),
      let facts = try mailboxes.with(
        mailbox, asPlace: true,
        { open in
          let fresh = try open.uids(from: 1).subtracting(try state.uids(.known, in: mailbox))
          return try open.gmailFacts(of: fresh)
        })
    else { return [:] }
    var places: [String: UID] = [:]
    for (uid, fact) in facts { places[fact.identity] = uid }
    var found: [UID: UID] = [:]
    for record in wanted {
      if let identity = record.identity, let place = places[identity] { found[record.uid] = place }
    }
    return found
  }

  /// Unlinks a file whose very content lies in another file that a record tells of.
  func dropRepetition(_ file: UnknownFile, of record: MessageRecord, in mailbox: MailboxKey) throws
    -> Bool
  {
    let hash = file.digest.contentHash
    guard hash != .unknown, record.contentHash == hash, !record.name.isEmpty,
      let home = try context.folders.local(ofMailbox: mailbox),
      home.path != file.folder || record.name != file.file.base,
      try home.holds(hash, in: record.name, lastFlags: record.agreed.flags)
    else { return false }
    let place = context.folders.local(try context.folders.open(file.folder))
    return try place.unlink(file.file.base, lastFlags: file.marks.flags) {
      try place.folder.digest(of: $0, policy: policy).contentHash == hash
    }
  }
}
