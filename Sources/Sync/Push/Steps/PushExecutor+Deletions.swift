import IMAPClient
import IMAPWire
import MailCore
import Maildir
import State

extension PushExecutor {
  func push(deletions: [PushPlan.PlannedDeletion], in mailbox: Int64) throws {
    for (way, group) in Dictionary(grouping: deletions, by: \.way).sorted(by: {
      $0.key.rawValue > $1.key.rawValue
    }) {
      let records = try group.compactMap { deletion -> MessageRecord? in
        guard let record = try state.message(in: mailbox, deletion.record.uid),
          record.name == deletion.record.name, !record.isPruned
        else { return nil }
        return record
      }
      for batch in records.pieces(of: 500) {
        try context.checkInterrupt()
        switch way {
        case .trash: try moveToTrash(batch, from: mailbox)
        case .expunge: try expunge(batch, in: mailbox)
        }
      }
    }
  }

  private func moveToTrash(_ batch: [MessageRecord], from mailbox: Int64) throws {
    guard let trash = try trashMailbox() else {
      context.note(
        RunProblem(
          mailbox: name(mailbox),
          problem: "There is no mailbox for trash on the server: \(batch.count) deletions wait.",
          remedy: "Make one called Trash, or set deletions = \"expunge\", and run `mirror pull`."))
      return
    }
    if trash == mailbox { return try expunge(batch, in: mailbox) }
    let transfers = batch.map { Transfer(record: $0, file: nil) }
    let outcome = try transfer(transfers, from: mailbox, to: trash)
    count(PushAction(.trash, mailbox: name(mailbox), count: outcome.done.count))
    // Gone there, too: both sides deleted it, which is agreement; the next pull writes it down.
    for (uid, result) in outcome.refused { try bringBack(uid, result, in: mailbox) }
  }

  private func expunge(_ batch: [MessageRecord], in mailbox: Int64) throws {
    guard try open(mailbox) else { return }
    if remote.isGmail, !FolderRoles(Array(records.values)).trash.contains(mailbox) {
      // There \Deleted only takes a label off: what is to be gone goes by way of the trash.
      return try moveToTrash(batch, from: mailbox)
    }
    let uids = UIDSet(batch.map(\.uid))
    var tries = 0
    while let refusal = try expunge(uids, in: mailbox) {
      guard refusal.isWorthAnotherTry, tries < delays.count else {
        for record in batch { try bringBack(record.uid, refusal, in: mailbox) }
        return
      }
      try waitBeforeRetry(tries)
      tries += 1
    }
    try state.transaction { transaction in
      for record in batch {
        if remote.canExpunge {
          try transaction.remove(record.uid, from: mailbox)
        } else {
          try hide(record, in: mailbox, transaction)
        }
      }
    }
    context.noteChange()
    count(PushAction(.expunge, mailbox: name(mailbox), count: batch.count))
  }

  /// Expunges exactly these messages of the open mailbox; returns the refusal. Where the server cannot do that, they
  /// are marked \Deleted, which is said.
  func expunge(_ uids: UIDSet, in mailbox: Int64) throws -> TaggedResult? {
    for chunk in uids.chunks(textLength: remote.session.maximumCommandLength - 200) {
      let mark = try remote.run([try .uidStore(chunk, .add, flags: .deleted)])
      guard let marked = mark.results[0] else { throw IMAPError.sessionOver }
      guard marked.isOK else { return marked }
      guard remote.canExpunge else { continue }
      let answer = try remote.run([.uidExpunge(chunk)])
      guard let result = answer.results[0] else { throw IMAPError.sessionOver }
      guard result.isOK else { return result }
    }
    if !remote.canExpunge, !uids.isEmpty {
      context.note(
        RunProblem(
          mailbox: name(mailbox),
          problem:
            "This server cannot expunge single messages: \(uids.count) are marked \\Deleted, and stay "
            + "until somebody expunges them.", exitStatus: .done))
    }
    return nil
  }

  /// Refused for good: forgotten here, so that the next pull brings the message back.
  private func bringBack(_ uid: UID, _ result: TaggedResult, in mailbox: Int64) throws {
    try state.transaction { try $0.remove(uid, from: mailbox) }
    if var record = records[mailbox], !record.isDirty {
      record.isDirty = true  // the pull then lists everything
      try save(&record)
    }
    context.note(
      RunProblem(
        mailbox: name(mailbox), uid: uid.rawValue,
        problem:
          "The server refuses to delete this message\(result.quoted); the next pull brings it back."
      ))
    count(PushAction(.refused, mailbox: name(mailbox), detail: "deletion"))
  }

  // MARK: Trash

  /// The mailbox for trash; it is made where the server has none.
  func trashMailbox() throws -> Int64? {
    if let trash { return trash }
    let known = FolderRoles(Array(records.values)).trash.sorted()
    if let id = known.first(where: { records[$0].map(isListed) == true }) {
      trash = id
      return id
    }
    let listing =
      listings.first { $0.specialUse.contains(.trash) && $0.isSelectable }
      ?? listings.first {
        FolderRoles.isNamed($0.name, FolderRoles.trashNames) && $0.isSelectable
      }
    // On the server, and never pulled: it need not be known here to take messages.
    if let listing {
      trash = try adopt(listing)
    } else {
      trash = try createMailbox(prefixed("Trash"), use: .trash)
    }
    return trash
  }
}
