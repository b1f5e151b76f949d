import IMAPClient
import IMAPWire
import Ledger
import MailCore
import Maildir
import Remote
import State
import SyncPlan

/// One message on its way to another mailbox.
struct Transfer {
  var record: MessageRecord
  /// The file that it is here; nil for one that was deleted here, and goes to Trash.
  var file: UnknownFile?
}

/// What became of a batch of transfers.
struct TransferOutcome {
  var done: [UID] = []
  /// Refused, and still where they were.
  var refused: [(uid: UID, result: TaggedResult)] = []
  /// The server no longer has them where the state says: the next pull tells what became of them.
  var lost: [UID] = []
  /// Where the server told that they are now.
  var places: [UID: UID] = [:]
}

extension PushExecutor {
  func push(moves: [PushPlan.PlannedMove], from mailbox: Int64) throws {
    guard !moves.isEmpty else { return }
    for (target, group) in Dictionary(grouping: moves, by: \.to).sorted(by: {
      ($0.key ?? 0) < ($1.key ?? 0)
    }) {
      guard let target, try mayMove(group.count, from: mailbox, to: target) else { continue }
      let transfers = try group.compactMap { move -> Transfer? in
        // Flags may have been agreed anew since the plan was made.
        guard let record = try state.message(in: mailbox, move.record.uid),
          record.name == move.record.name
        else { return nil }
        return Transfer(record: record, file: move.file)
      }
      for batch in transfers.pieces(of: 500) {
        try context.checkInterrupt()
        var batch = try withoutStrangers(batch, in: mailbox, to: target)
        guard !batch.isEmpty else { continue }
        batch = try lettered(batch)
        if remote.isGmail { batch = try spareLabelled(batch, from: mailbox, to: target) }
        let outcome = try transfer(batch, from: mailbox, to: target)
        count(
          PushAction(
            .move, mailbox: name(mailbox), detail: name(target), count: outcome.done.count))
        try settle(outcome, batch, from: mailbox, to: target)
      }
    }
  }

  private func settle(
    _ outcome: TransferOutcome, _ batch: [Transfer], from mailbox: Int64, to target: Int64
  ) throws {
    try noteLost(outcome.lost, mailbox)
    if let waiting = outcome.refused.first(where: { $0.result.leavesPending }) {
      try leavePending(
        outcome.refused.count, .moves(to: target), "moves to “\(name(target).visible)”",
        waiting.result, mailbox)
      return
    }
    for (uid, result) in outcome.refused {
      guard let transfer = batch.first(where: { $0.record.uid == uid }), let file = transfer.file
      else { continue }
      try putBack(file, transfer.record, in: mailbox)
      count(PushAction(.refused, mailbox: name(mailbox), detail: "move to " + name(target)))
      context.note(
        RunProblem(
          mailbox: name(mailbox), uid: uid.rawValue,
          problem: "The server refuses the move to “\(name(target).visible)”\(result.quoted); "
            + "the message here is put back where it was."))
    }
  }

  /// What the server no longer has where the state says is not asked for again before a pull has looked (promise 10).
  func noteLost(_ uids: [UID], _ mailbox: Int64, isTold: Bool = true) throws {
    guard !uids.isEmpty else { return }
    try state.transaction { transaction in
      for uid in uids {
        try transaction.put(
          PushRefusal(
            mailbox: mailbox, subject: .lost(uid), attempts: 1, lastAttempt: context.started,
            reason: "gone from the server"))
      }
    }
    context.noteChange()
    guard isTold else { return }
    context.note(
      RunProblem(
        mailbox: name(mailbox),
        problem: uids.count == 1
          ? "1 message is no longer where it was on the server."
          : "\(uids.count) messages are no longer where they were on the server.",
        remedy: "The next pull tells what became of them.", exitStatus: .done))
  }

  /// The file goes back to the folder where the server has the message.
  private func putBack(_ file: UnknownFile, _ record: MessageRecord, in mailbox: Int64) throws {
    guard let home = try context.folder(ofMailbox: mailbox) else { return }
    let place = context.local(try context.openFolder(file.folder))
    let moved = try place.withFile(file.file.base, lastFlags: file.marks.flags) { now in
      try place.folder.move(now, to: home.folder, policy: policy, dropsLetters: true)
    }
    guard let moved else { return }
    try home.sync()
    try place.sync()
    var kept = record
    kept.take(file)
    kept.name = moved.base
    try state.transaction { try $0.put(kept, in: mailbox) }
    context.noteChange()
  }

  // MARK: One batch

  /// Takes messages from one mailbox to another: by MOVE where the server has it, else by COPY, confirmed, then
  /// \Deleted and UID EXPUNGE. Nothing is expunged before the target is confirmed (DESIGN promise 5).
  func transfer(_ batch: [Transfer], from mailbox: Int64, to target: Int64) throws
    -> TransferOutcome
  {
    guard !batch.isEmpty, !isSkipped(target), let goal = records[target] else {
      return TransferOutcome()
    }
    guard isListed(goal) else {
      skip(target, .vanished(goal.name))
      return TransferOutcome()
    }
    guard try isSound(target, takesFiles: batch.contains { $0.file != nil }) else {
      return TransferOutcome()
    }
    let kind = RefusalSubject.moves(to: target)
    var tries = try triesSoFar(kind, mailbox)
    var outcome = TransferOutcome()
    var left = batch
    while true {
      // Whatever was looked for in the target: the UIDs are this mailbox's.
      guard try !isSkipped(target) && open(mailbox) else { return outcome }
      let now = try transferOnce(left, from: mailbox, to: target)
      outcome.done += now.done
      outcome.lost += now.lost
      outcome.places.merge(now.places) { _, last in last }
      for refused in now.refused { try stopIfThrottled(refused.result) }
      if !now.done.isEmpty { try forgive(kind, mailbox) }
      guard let first = now.refused.first else {
        try forgetTries(kind, mailbox)
        return outcome
      }
      let refused = Set(now.refused.map(\.uid))
      left = left.filter { refused.contains($0.record.uid) }
      guard first.result.isWorthAnotherTry, tries < delays.count else {
        try forgetTries(kind, mailbox)
        outcome.refused = now.refused
        return outcome
      }
      try waitBeforeRetry(tries, kind, mailbox, first.result)
      tries += 1
    }
  }

  /// Whether the target is the mailbox that the state knows: not renumbered, not made anew, not restored from an old
  /// backup. What goes to a mailbox that is not mirrored is not known there anyway.
  private func isSound(_ target: Int64, takesFiles: Bool) throws -> Bool {
    guard !soundTargets.contains(target), let goal = records[target] else { return true }
    if goal.uidValidity == 0 { return try !takesFiles || open(target) }
    var known = SelectedMailbox()
    if let status = listing(of: goal)?.status, status.uidValidity != nil, status.uidNext != nil {
      known.uidValidity = status.uidValidity
      known.uidNext = status.uidNext
      known.highestModSeq = status.highestModSeq == ModSequence.none ? nil : status.highestModSeq
      known.mailboxID = status.mailboxID
      if let objection = goal.objection(to: known) {
        skip(target, objection, known)
        return false
      }
    } else if try !open(target) {
      return false
    }
    soundTargets.insert(target)
    return true
  }

  private func transferOnce(_ batch: [Transfer], from mailbox: Int64, to target: Int64) throws
    -> TransferOutcome
  {
    let all = UIDSet(batch.map(\.record.uid))
    let uids = try remote.nameable(all)
    let gone = Array(all.subtracting(uids).uids)
    guard !uids.isEmpty else { return TransferOutcome(lost: gone) }
    let batch = batch.filter { uids.contains($0.record.uid) }
    let chunks = uids.chunks(textLength: remote.session.maximumCommandLength - 300)
    let steps = try begin(batch, from: mailbox, to: target)
    guard let raw = records[target]?.rawName else { return TransferOutcome() }
    let answers = try remote.run(
      chunks.map { remote.canMove ? .uidMove($0, to: raw) : .uidCopy($0, to: raw) }
        + (remote.canMove ? chunks.map { .uidSearch(.uids($0)) } : []))
    var outcome = TransferOutcome(lost: gone)
    var places: [UID: UID] = [:]
    for (index, chunk) in chunks.enumerated() {
      for copy in answers.copied[index] ?? [] {
        guard accepts(copy.validity, of: target), let pairs = copy.pairs() else { continue }
        for pair in pairs where chunk.contains(pair.source) {
          guard try state.message(in: target, pair.destination) == nil else { continue }
          places[pair.source] = pair.destination
        }
      }
    }
    var unplaced = UIDSet()
    for (index, chunk) in chunks.enumerated() {
      let result = answers.results[index] ?? TaggedResult(status: .no, text: "")
      for uid in chunk.uids where places[uid] == nil {
        if result.isOK {
          unplaced.insert(uid)
        } else {
          outcome.refused.append((uid, result))
        }
      }
    }
    var isKnown = batch.filter { places[$0.record.uid] != nil }
    if remote.canMove {
      var still = UIDSet(ranges: answers.found.values.flatMap(\.ranges)).intersection(uids)
      // Dovecot shows what a MOVE took away to a look that comes right behind it: only a second look is proof.
      if !still.isEmpty { still = try remote.existing(still) }
      try take(&isKnown, still, places, steps, from: mailbox, to: target, &outcome)
    } else {
      try confirm(isKnown, places, steps, from: mailbox, to: target)
    }
    outcome.done += isKnown.map(\.record.uid)
    outcome.places = places.filter { uid, _ in !outcome.refused.contains { $0.uid == uid } }
    try forget(steps.filter { uid, _ in outcome.refused.contains { $0.uid == uid } })
    if !unplaced.isEmpty {
      let rest = batch.filter { unplaced.contains($0.record.uid) }
      try settle(unplaced: rest, steps, from: mailbox, to: target, &outcome)
    }
    return outcome
  }
}

extension Array {
  func pieces(of size: Int) -> [[Element]] {
    stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
  }
}
