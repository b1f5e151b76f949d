import IMAPClient
import IMAPWire
import MailCore
import Maildir
import State

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
}

extension PushExecutor {
  func push(moves: [PushPlan.PlannedMove], from mailbox: Int64) throws {
    guard !moves.isEmpty else { return }
    for (target, group) in Dictionary(grouping: moves, by: \.to).sorted(by: {
      ($0.key ?? 0) < ($1.key ?? 0)
    }) {
      guard let target else { continue }
      let transfers = try group.compactMap { move -> Transfer? in
        // Flags may have been agreed anew since the plan was made.
        guard let record = try state.message(in: mailbox, move.record.uid),
          record.name == move.record.name
        else { return nil }
        return Transfer(record: record, file: move.file)
      }
      for batch in transfers.pieces(of: 500) {
        try context.checkInterrupt()
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
    if !outcome.lost.isEmpty { noteLost(outcome.lost.count, mailbox) }
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

  func noteLost(_ count: Int, _ mailbox: Int64) {
    context.note(
      RunProblem(
        mailbox: name(mailbox),
        problem: "\(count) messages are no longer where they were on the server.",
        remedy: "The next pull tells what became of them.", exitStatus: .done))
  }

  /// The file goes back to the folder where the server has the message.
  private func putBack(_ file: UnknownFile, _ record: MessageRecord, in mailbox: Int64) throws {
    guard let home = try context.folder(ofMailbox: mailbox) else { return }
    let place = context.local(try context.openFolder(file.folder))
    let moved = try place.withFile(file.file.base, lastFlags: file.marks.flags) { now in
      try place.folder.move(now, to: home.folder, policy: policy)
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
    guard try open(mailbox) else { return TransferOutcome() }
    var tries = 0
    var outcome = TransferOutcome()
    var left = batch
    while true {
      let now = try transferOnce(left, from: mailbox, to: target)
      outcome.done += now.done
      outcome.lost += now.lost
      guard let first = now.refused.first else { return outcome }
      let refused = Set(now.refused.map(\.uid))
      left = left.filter { refused.contains($0.record.uid) }
      guard first.result.isWorthAnotherTry, tries < delays.count else {
        outcome.refused = now.refused
        return outcome
      }
      try waitBeforeRetry(tries)
      tries += 1
    }
  }

  private func transferOnce(_ batch: [Transfer], from mailbox: Int64, to target: Int64) throws
    -> TransferOutcome
  {
    let uids = UIDSet(batch.map(\.record.uid))
    let chunks = uids.chunks(textLength: remote.session.maximumCommandLength - 300)
    let steps = try begin(batch, from: mailbox, to: target)
    guard let raw = records[target]?.rawName else { return TransferOutcome() }
    let answers = try remote.run(
      chunks.map { remote.canMove ? .uidMove($0, to: raw) : .uidCopy($0, to: raw) })
    var outcome = TransferOutcome()
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
    let isKnown = batch.filter { places[$0.record.uid] != nil }
    if remote.canMove {
      try commit(isKnown, places, steps, from: mailbox, to: target)
    } else {
      try confirm(isKnown, places, steps, from: mailbox, to: target)
    }
    outcome.done += isKnown.map(\.record.uid)
    try forget(steps.filter { uid, _ in outcome.refused.contains { $0.uid == uid } })
    if !unplaced.isEmpty {
      let rest = batch.filter { unplaced.contains($0.record.uid) }
      try settle(unplaced: rest, steps, from: mailbox, to: target, &outcome)
    }
    return outcome
  }

  /// The server said OK, and not where the messages went: no UIDPLUS, or they were not there at all.
  private func settle(
    unplaced: [Transfer], _ steps: [UID: PushStep], from mailbox: Int64, to target: Int64,
    _ outcome: inout TransferOutcome
  ) throws {
    let present = try remote.existing(UIDSet(unplaced.map(\.record.uid)))
    if !remote.canMove {
      // Those that are there were copied; the others were gone before.
      let copied = unplaced.filter { present.contains($0.record.uid) }
      let places = try find(copied, in: target)
      let found = copied.filter { places[$0.record.uid] != nil }
      guard try open(mailbox) else { return }
      try confirm(found, places, steps, from: mailbox, to: target)
      outcome.done += found.map(\.record.uid)
      let others = unplaced.map(\.record.uid).filter { places[$0] == nil }
      outcome.lost += others
      try forget(steps.filter { others.contains($0.key) })
      return
    }
    let moved = unplaced.filter { !present.contains($0.record.uid) }
    if moved.contains(where: { $0.file != nil }) || !remote.session.capabilities.contains(.uidPlus)
    {
      let places = try find(moved, in: target)
      let found = moved.filter { places[$0.record.uid] != nil }
      try commit(found, places, steps, from: mailbox, to: target)
      outcome.done += found.map(\.record.uid)
      outcome.lost += moved.map(\.record.uid).filter { places[$0] == nil }
      _ = try open(mailbox)
    } else {
      outcome.lost += moved.map(\.record.uid)
    }
    outcome.lost += present.uids
    try forget(steps.filter { uid, _ in outcome.lost.contains(uid) })
  }

  /// Where messages lie in a mailbox now, among those that no record tells of: by their headers.
  func find(_ transfers: [Transfer], in target: Int64) throws -> [UID: UID] {
    guard !transfers.isEmpty, try open(target) else { return [:] }
    let known = try state.uids(.known, in: target)
    let fresh = try remote.uids(from: 1).subtracting(known)
    var places: [UID: UID] = [:]
    let hashes = try remote.hashes(of: fresh, whole: false, labelName: policy.keywords.line?.name)
    var free: [UInt64: [UID]] = [:]
    for (uid, hash) in hashes.sorted(by: { $0.key < $1.key }) {
      free[hash, default: []].append(uid)
    }
    for transfer in transfers where transfer.record.headerHash != 0 {
      guard let found = free[transfer.record.headerHash]?.popLast() else { continue }
      places[transfer.record.uid] = found
    }
    return places
  }

  /// COPYUID and APPENDUID speak of the mailbox that the state knows; of one that was never opened they tell.
  func accepts(_ validity: UIDValidity, of mailbox: Int64) -> Bool {
    guard let record = records[mailbox] else { return false }
    return record.uidValidity == 0 || record.uidValidity == validity.rawValue
  }

  // MARK: State

  /// A moved message lives on in the target's records; one that was deleted here is no longer known at all, so that a
  /// mirrored Trash brings it back.
  private func commit(
    _ transfers: [Transfer], _ places: [UID: UID], _ steps: [UID: PushStep], from mailbox: Int64,
    to target: Int64
  ) throws {
    guard !transfers.isEmpty else { return }
    try state.transaction { transaction in
      for transfer in transfers {
        if let step = steps[transfer.record.uid] { try transaction.removeStep(step.number) }
        try transaction.remove(transfer.record.uid, from: mailbox)
        guard let place = places[transfer.record.uid], transfer.file != nil else { continue }
        try transaction.put(arrived(transfer, at: place), in: target)
      }
    }
    context.noteChange()
    for transfer in transfers {
      if let file = transfer.file { setDate(of: file, transfer.record.internalDate) }
    }
  }

  func arrived(_ transfer: Transfer, at uid: UID) -> MessageRecord {
    var record = transfer.record
    record.uid = uid
    if let file = transfer.file { record.take(file) }
    return record
  }
}

extension Array {
  func pieces(of size: Int) -> [[Element]] {
    stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
  }
}
