import IMAPWire
import Ledger
import MailCore
import Remote
import SyncPlan

/// Messages that go from one mailbox to another: where a person moved them, or to Trash.
final class TransferStep: PushPart {
  let desk: PushDesk
  private let dialect: Dialect
  private let transfers: TransferJournal
  /// Targets that were found to be what the state knows.
  private var soundTargets: Set<MailboxKey> = []

  init(desk: PushDesk, dialect: Dialect) {
    self.desk = desk
    self.dialect = dialect
    transfers = TransferJournal(desk: desk)
  }

  func push(_ moves: [PushPlan.PlannedMove], from mailbox: MailboxKey) throws {
    for (target, group) in moves.grouped(by: \.to) {
      guard try rights.mayMove(group.count, from: mailbox, to: target) else { continue }
      let transfers = try group.compactMap { move -> Transfer? in
        // Flags may have been agreed anew since the plan was made.
        guard let record = try state.message(in: mailbox, move.record.uid),
          record.name == move.record.name
        else { return nil }
        return Transfer(record: record, file: move.file)
      }
      for batch in transfers.pieces(of: 500) {
        try context.checkInterrupt()
        var batch = try withoutOthers(batch, in: mailbox, to: target)
        guard !batch.isEmpty else { continue }
        batch = try FolderLetters(desk: desk).lettered(batch)
        if let labelled = dialect.labels?.moves {
          batch = try labelled.spare(batch, from: mailbox, to: target)
        }
        let outcome = try transfer(batch, from: mailbox, to: target)
        count(.move, mailbox, detail: name(target), count: outcome.done.count)
        try finish(outcome, batch, from: mailbox, to: target)
      }
    }
  }

  private func finish(
    _ outcome: TransferOutcome, _ batch: [Transfer], from mailbox: MailboxKey, to target: MailboxKey
  ) throws {
    try refusals.putLost(outcome.lost, mailbox)
    if try rights.leavePending(outcome, .moves(to: target), mailbox) { return }
    for (uid, result) in outcome.refused {
      guard let transfer = batch.first(where: { $0.record.uid == uid }), let file = transfer.file
      else { continue }
      try putBack(file, transfer.record, in: mailbox)
      count(.refused, mailbox, detail: "move to " + name(target))
      tell(
        mailbox, uid: uid.rawValue,
        "The server refuses the move to “\(name(target).visible)”\(result.quoted); "
          + "the message here is put back where it was.")
    }
  }

  /// The file goes back to the folder where the server has the message.
  private func putBack(_ file: UnknownFile, _ record: MessageRecord, in mailbox: MailboxKey) throws
  {
    guard let home = try context.folders.local(ofMailbox: mailbox) else { return }
    let place = context.folders.local(try context.folders.open(file.folder))
    let moved = try place.withFile(file.file) { now in
      try place.folder.move(
        now, to: home.folder, policy: policy, letters: .translatedAsFarAsPossible)
    }
    guard let moved else { return }
    try home.sync()
    try place.sync()
    var kept = record
    kept.take(file)
    kept.name = moved.base
    try write { try $0.put(kept, in: mailbox) }
  }

  /// Before a move that a person made here.
  private func withoutOthers(_ batch: [Transfer], in mailbox: MailboxKey, to target: MailboxKey)
    throws
    -> [Transfer]
  {
    let isUnstable = session.quirks.contains(.unstableUIDs)
    return try UIDCheck(desk: desk).without(
      batch, \.record, unconfirmedOnly: !deletesByItself(target) && !isUnstable, in: mailbox
    ) { try $0.file.flatMap(files.header) }
  }

  /// Trash and Junk, by their marks or their names.
  private func deletesByItself(_ mailbox: MailboxKey) -> Bool {
    guard let record = known.records[mailbox] else { return false }
    return known.roles.trash.contains(mailbox) || record.specialUse == SpecialUse.junk.rawValue
      || [.trash, .junk].contains {
        FolderRoles.isNamed(record.mailboxName, FolderRoles.names(of: $0))
      }
  }

  // MARK: One batch

  /// Takes messages from one mailbox to another: by MOVE where the server has it, else by COPY, confirmed, then
  /// \Deleted and UID EXPUNGE. Nothing is expunged before the target is confirmed (promise 5).
  func transfer(_ batch: [Transfer], from mailbox: MailboxKey, to target: MailboxKey) throws
    -> TransferOutcome
  {
    guard !batch.isEmpty, !mailboxes.isSkipped(target), let goal = known.records[target] else {
      return TransferOutcome()
    }
    guard known.isListed(goal) else {
      mailboxes.skip(target, .vanished(goal.name))
      return TransferOutcome()
    }
    guard try isSound(target, takesFiles: batch.contains { $0.file != nil }) else {
      return TransferOutcome()
    }
    let kind = RefusalSubject.moves(to: target)
    var outcome = TransferOutcome()
    var left = batch
    _ = try refusals.retrying(kind, mailbox) {
      guard !mailboxes.isSkipped(target),
        let now = try transferOnce(left, from: mailbox, to: target, goal.rawName)
      else {
        outcome.refused = []
        return .impossible
      }
      outcome.done += now.done
      outcome.lost += now.lost
      outcome.places.merge(now.places) { _, last in last }
      outcome.refused = now.refused
      for refused in now.refused { try refused.result.stopIfThrottled() }
      if !now.done.isEmpty { try refusals.forgive(kind, mailbox) }
      guard let first = now.refused.first else { return .done }
      let refused = Set(now.refused.map(\.uid))
      left = left.filter { refused.contains($0.record.uid) }
      return .refused(first.result)
    }
    return outcome
  }

  /// Whether the target is the mailbox that the state knows: not renumbered, not made anew, not restored from an old
  /// backup. What goes to a mailbox that is not mirrored is not known there anyway.
  private func isSound(_ target: MailboxKey, takesFiles: Bool) throws -> Bool {
    guard !soundTargets.contains(target), let goal = known.records[target] else { return true }
    if goal.uidValidity == 0 { return try !takesFiles || mailboxes.opens(target) }
    var facts = SelectedMailbox()
    if let status = known.listing(of: goal)?.status, status.uidValidity != nil,
      status.uidNext != nil
    {
      facts.uidValidity = status.uidValidity
      facts.uidNext = status.uidNext
      facts.highestModSeq = status.highestModSeq == ModSequence.none ? nil : status.highestModSeq
      facts.mailboxID = status.mailboxID
      if let objection = goal.objection(to: facts) {
        mailboxes.skip(target, objection, facts)
        return false
      }
    } else if try !mailboxes.opens(target) {
      return false
    }
    soundTargets.insert(target)
    return true
  }

  /// - Returns: nil where the mailbox cannot be opened.
  private func transferOnce(
    _ batch: [Transfer], from mailbox: MailboxKey, to target: MailboxKey, _ rawName: [UInt8]
  ) throws -> TransferOutcome? {
    let asked = try mailboxes.with(mailbox) {
      try ask(for: batch, from: mailbox, to: target, rawName, $0)
    }
    guard let asked else { return nil }
    var outcome = asked.outcome
    if let (transfers, present, flight) = asked.unplaced {
      try dialect.moving.look(forUnplaced: transfers, present: present, flight, &outcome)
    }
    return outcome
  }

  private typealias Unplaced = (transfers: [Transfer], present: UIDSet, flight: TransferFlight)

  private func ask(
    for batch: [Transfer], from mailbox: MailboxKey, to target: MailboxKey, _ rawName: [UInt8],
    _ open: borrowing OpenMailbox
  ) throws -> (outcome: TransferOutcome, unplaced: Unplaced?) {
    let way = dialect.moving
    let all = UIDSet(batch.map(\.record.uid))
    let uids = try open.nameable(all)
    var outcome = TransferOutcome(lost: Array(all.subtracting(uids).uids))
    guard !uids.isEmpty else { return (outcome, nil) }
    let batch = batch.filter { uids.contains($0.record.uid) }
    let chunks = open.chunks(uids, besides: 300)
    var flight = try transfers.begin(batch, way.stage, from: mailbox, to: target)
    let answers = try open.run(way.commands(chunks, to: rawName))
    for (index, chunk) in chunks.enumerated() {
      for copy in answers.places(index, if: { known.accepts($0, of: target) })
      where try chunk.contains(copy.source)
        && state.message(in: target, copy.destination) == nil
      {
        flight.places[copy.source] = copy.destination
      }
    }
    var unplaced = UIDSet()
    for (index, chunk) in chunks.enumerated() {
      let result = answers.results[index] ?? TaggedResult(status: .no, text: "")
      for uid in chunk.uids where flight.places[uid] == nil {
        if result.isOK { unplaced.insert(uid) } else { outcome.refused.append((uid, result)) }
      }
    }
    let placed = batch.filter { flight.places[$0.record.uid] != nil }
    try way.confirm(placed: placed, answers, flight, open, &outcome)
    let refused = Set(outcome.refused.map(\.uid))
    outcome.places = flight.places.filter { !refused.contains($0.key) }
    try transfers.drop(batch.filter { refused.contains($0.record.uid) }, flight)
    guard !unplaced.isEmpty else { return (outcome, nil) }
    let rest = batch.filter { unplaced.contains($0.record.uid) }
    return (outcome, (rest, try open.existing(unplaced), flight))
  }
}
