import IMAPClient
import IMAPWire
import Ledger
import MailCore
import Maildir
import Remote
import State
import SyncPlan

/// Moving where mailboxes are labels: a MOVE takes one label off and puts another on, and the message may have had both.
extension PushExecutor {
  /// A file that was moved to Trash or Spam, while other folders keep the message, only leaves its folder: on the server
  /// the message would leave all of them.
  ///
  /// - Returns: what is to be moved.
  func spareLabelled(_ transfers: [Transfer], from mailbox: Int64, to target: Int64) throws
    -> [Transfer]
  {
    let labels = gmailLabels
    guard labels.isExclusive(target), !labels.isExclusive(mailbox), !transfers.isEmpty else {
      return transfers
    }
    guard try open(mailbox) else { return [] }
    let facts = try remote.gmailFacts(of: UIDSet(transfers.map(\.record.uid)))
    let homes = try homesOnGmail(facts, besides: mailbox, labels)
    var moving: [Transfer] = []
    var staying: [Transfer] = []
    var waiting = 0
    var others: [UID] = []
    for transfer in transfers {
      guard let fact = facts[transfer.record.uid] else {
        moving.append(transfer)
        continue
      }
      guard transfer.record.emailID ?? fact.identity == fact.identity else {
        others.append(transfer.record.uid)
        continue
      }
      switch homes[fact.identity] {
      case .elsewhere where try labelPlan.remaining(fact.identity, besides: mailbox, state).isEmpty:
        waiting += 1
      case .elsewhere: staying.append(transfer)
      case .unknown: continue  // told where it could not be looked for
      case .onlyHere, nil: moving.append(transfer)
      }
    }
    try noteLost(others, mailbox)
    if waiting > 0 {
      context.note(
        RunProblem(
          mailbox: name(mailbox),
          problem:
            "\(waiting) messages that were moved to “\(name(target).visible)” got other labels on "
            + "the server meanwhile: they wait.", remedy: "Run `mirror pull`, then push again."))
    }
    try leave(staying, mailbox, target, labels)
    return moving
  }

  private func leave(
    _ staying: [Transfer], _ mailbox: Int64, _ target: Int64, _ labels: GmailLabels
  ) throws {
    guard !staying.isEmpty else { return }
    let left = Set(try takeLabelOff(staying.map(\.record), in: mailbox, labels).map(\.uid))
    for transfer in staying where left.contains(transfer.record.uid) {
      try state.transaction { try $0.remove(transfer.record.uid, from: mailbox) }
      context.noteChange()
      count(PushAction(.unlabel, mailbox: name(mailbox)))
      guard let identity = transfer.record.emailID, let file = transfer.file else { continue }
      for copy in try labelPlan.remaining(identity, besides: mailbox, state)
      where try dropRepetition(file, of: copy.message, in: copy.mailbox) { break }
    }
    context.note(
      RunProblem(
        mailbox: name(mailbox),
        problem:
          "\(left.count) messages moved to “\(name(target).visible)” left this folder only: other "
          + "folders have them, and \(labels.use(target, .trash) ? "Trash" : "Spam") would take them "
          + "out of all.", exitStatus: .done))
  }

  /// The server said OK, and not where the messages went: to where they were already, perhaps.
  func settleOnGmail(
    unplaced: [Transfer], present: UIDSet, _ steps: [UID: PushStep], from mailbox: Int64,
    to target: Int64, _ outcome: inout TransferOutcome
  ) throws {
    let staysThere = staysOnGmail(mailbox, movedTo: target)
    if staysThere, !present.isEmpty { try listAgain(mailbox) }
    let left = unplaced.filter { staysThere || !present.contains($0.record.uid) }
    let still = unplaced.map(\.record.uid).filter { uid in
      !left.contains { $0.record.uid == uid }
    }
    outcome.refused += still.map { ($0, .stillThere(still.count)) }
    try forget(steps.filter { still.contains($0.key) })
    let deleted = left.filter { $0.file == nil }
    try commit(deleted, [:], steps, from: mailbox, to: target)
    outcome.done += deleted.map(\.record.uid)
    var wanted: [Transfer] = []
    for transfer in left {
      guard let file = transfer.file else { continue }
      guard let known = try knownCopy(of: transfer.record, in: target) else {
        wanted.append(transfer)
        continue
      }
      try repeats(file, transfer, known, steps[transfer.record.uid], from: mailbox, to: target)
      outcome.done.append(transfer.record.uid)
    }
    guard !wanted.isEmpty else { return }
    let places = try findOnGmail(wanted.map(\.record), in: target)
    let found = wanted.filter { places[$0.record.uid] != nil }
    try commit(found, places, steps, from: mailbox, to: target)
    outcome.done += found.map(\.record.uid)
    let lost = wanted.map(\.record.uid).filter { places[$0] == nil }
    outcome.lost += lost
    try forget(steps.filter { lost.contains($0.key) })
    _ = try open(mailbox)
  }

  /// A move out of such a mailbox is a copy.
  func staysOnGmail(_ mailbox: Int64, movedTo target: Int64) -> Bool {
    gmailLabels.isLasting(mailbox) && !gmailLabels.isExclusive(target)
  }

  /// The target had the message before: one message, and one file of it is enough.
  private func repeats(
    _ file: UnknownFile, _ transfer: Transfer, _ known: MessageRecord, _ step: PushStep?,
    from mailbox: Int64, to target: Int64
  ) throws {
    try state.transaction { transaction in
      if let step { try transaction.removeStep(step.number) }
      try transaction.remove(transfer.record.uid, from: mailbox)
      try transaction.removeSurplus(contentHash: transfer.record.contentHash, from: mailbox)
    }
    context.noteChange()
    guard try !dropRepetition(file, of: known, in: target) else { return }
    try state.transaction {
      try $0.addSurplus(
        SurplusFile(nameHash: file.file.baseHash, contentHash: file.digest.contentHash),
        to: target)
    }
  }

  func knownCopy(of record: MessageRecord, in mailbox: Int64) throws -> MessageRecord? {
    guard let identity = record.emailID else { return nil }
    return try state.copies(ofEmailID: identity).first {
      $0.mailbox == mailbox && !$0.message.traits.contains(.expunged)
        && $0.message.mayBe(record)
    }?.message
  }

  /// Where messages lie in a mailbox, by their identity, among those that no record tells of. Opens the mailbox.
  func findOnGmail(_ wanted: [MessageRecord], in mailbox: Int64) throws -> [UID: UID] {
    guard wanted.contains(where: { $0.emailID != nil }), try open(mailbox, asPlace: true) else {
      return [:]
    }
    let fresh = try remote.uids(from: 1).subtracting(try state.uids(.known, in: mailbox))
    let facts = try remote.gmailFacts(of: fresh)
    var places: [String: UID] = [:]
    for (uid, fact) in facts { places[fact.identity] = uid }
    var found: [UID: UID] = [:]
    for record in wanted {
      if let identity = record.emailID, let place = places[identity] { found[record.uid] = place }
    }
    return found
  }

  /// Unlinks a file whose very content lies in another file that a record tells of.
  func dropRepetition(_ file: UnknownFile, of record: MessageRecord, in mailbox: Int64) throws
    -> Bool
  {
    let hash = file.digest.contentHash
    guard hash != 0, record.contentHash == hash, !record.name.isEmpty,
      let home = try context.folders.local(ofMailbox: mailbox),
      home.path != file.folder || record.name != file.file.base
    else { return false }
    let isThere = try home.withFile(record.name, lastFlags: record.agreed.flags) { kept in
      try home.folder.digest(of: kept, policy: policy).contentHash == hash
    }
    guard isThere == true else { return false }
    let place = context.folders.local(try context.folders.open(file.folder))
    let dropped = try place.withFile(file.file.base, lastFlags: file.marks.flags) { now in
      let seen = try place.folder.facts(now)
      guard try place.folder.digest(of: now, policy: policy).contentHash == hash else {
        return false
      }
      try place.unlink(now, asSeen: seen)
      return true
    }
    try place.sync()
    return dropped == true
  }
}
