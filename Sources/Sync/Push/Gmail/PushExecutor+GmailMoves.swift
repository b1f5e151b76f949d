import IMAPClient
import IMAPWire
import MailCore
import Maildir
import State

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
    var moving: [Transfer] = []
    var staying: [Transfer] = []
    var waiting = 0
    for transfer in transfers {
      guard let fact = facts[transfer.record.uid] else {
        moving.append(transfer)
        continue
      }
      let others = try labelPlan.remaining(fact.identity, besides: mailbox, state)
      if !others.isEmpty {
        staying.append(transfer)
      } else if hasOtherLabel(fact, labels) {
        waiting += 1
      } else {
        moving.append(transfer)
      }
    }
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
    let staysThere = gmailLabels.use(mailbox, .all)  // all messages stay in All Mail
    let left = unplaced.filter { staysThere || !present.contains($0.record.uid) }
    let still = unplaced.map(\.record.uid).filter { uid in
      !left.contains { $0.record.uid == uid }
    }
    outcome.lost += still
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

  /// The target had the message before: one message, and one file of it is enough.
  private func repeats(
    _ file: UnknownFile, _ transfer: Transfer, _ known: MessageRecord, _ step: PushStep?,
    from mailbox: Int64, to target: Int64
  ) throws {
    try state.transaction { transaction in
      if let step { try transaction.removeStep(step.number) }
      try transaction.remove(transfer.record.uid, from: mailbox)
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
      let home = try context.folder(ofMailbox: mailbox),
      home.path != file.folder || record.name != file.file.base
    else { return false }
    let isThere = try home.withFile(record.name, lastFlags: record.agreed.flags) { kept in
      try home.folder.digest(of: kept, policy: policy).contentHash == hash
    }
    guard isThere == true else { return false }
    let place = context.local(try context.openFolder(file.folder))
    let dropped = try place.withFile(file.file.base, lastFlags: file.marks.flags) { now in
      guard try place.folder.digest(of: now, policy: policy).contentHash == hash else {
        return false
      }
      try place.unlink(now)
      return true
    }
    try place.sync()
    return dropped == true
  }

  // MARK: After a crash

  /// What a MOVE that was under way came to: the source tells whether it was carried out, the identity where to.
  func recoverMovesOnGmail(_ steps: [PushStep], to target: Int64) throws {
    for (mailbox, group) in Dictionary(grouping: steps, by: \.source).sorted(by: {
      $0.key < $1.key
    }) {
      var sound: [PushStep] = []
      for step in group { if try source(of: step) != nil { sound.append(step) } }
      // Renumbered meanwhile, or pulled: nothing is left to settle.
      try drop(group.filter { step in !sound.contains { $0.number == step.number } })
      guard !sound.isEmpty else { continue }
      try sparing(mailbox) {
        guard try open(mailbox) else { return }
        let present = try remote.existing(UIDSet(sound.map(\.sourceUID)))
        try drop(sound.filter { present.contains($0.sourceUID) })
        try settleMoved(sound.filter { !present.contains($0.sourceUID) }, mailbox, target)
      }
    }
  }

  private func settleMoved(_ steps: [PushStep], _ mailbox: Int64, _ target: Int64) throws {
    guard !steps.isEmpty else { return }
    let wanted = steps.filter { !$0.record.name.isEmpty }.map { step in
      var record = step.record
      record.uid = step.sourceUID
      return record
    }
    var names = Set<UInt64>()
    try state.forEachName(in: target) { _, name in names.insert(XXH3.hash(name)) }
    let places = try findOnGmail(wanted, in: target)
    for step in steps {
      let isKnown =
        try names.contains(XXH3.hash(step.record.name))
        || knownCopy(of: step.record, in: target) != nil
      try state.transaction { transaction in
        try transaction.removeStep(step.number)
        if step.record.name.isEmpty || isKnown {
          try transaction.remove(step.sourceUID, from: mailbox)
        } else if let place = places[step.sourceUID] {
          var record = step.record
          record.uid = place
          try transaction.remove(step.sourceUID, from: mailbox)
          try transaction.put(record, in: target)
        }
      }
      context.noteChange()
    }
  }
}
