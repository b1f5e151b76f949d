import Foundation
import IMAPClient
import IMAPWire
import Ledger
import MailCore
import Maildir
import Remote
import State
import SyncPlan

/// Each MOVE and COPY is recorded before it is asked for: after a crash it is looked for and not made again, and a pull
/// in between looks for the file. Where the server has no MOVE, the source goes only when the copy is confirmed.
extension PushExecutor {
  func begin(_ batch: [Transfer], from mailbox: Int64, to target: Int64) throws
    -> [UID: PushStep]
  {
    guard let goal = records[target], let origin = records[mailbox] else { return [:] }
    var steps: [UID: PushStep] = [:]
    var number = try nextStepNumber()
    for transfer in batch {
      var record = transfer.record
      if let file = transfer.file { record.take(file) } else { record.name = [] }
      steps[transfer.record.uid] = PushStep(
        number: number, kind: remote.canMove ? .move : .copy, target: target, record: record,
        source: mailbox, sourceUID: transfer.record.uid, sourceValidity: origin.uidValidity,
        sourceHeaderHash: transfer.record.headerHash,
        sourceContentHash: transfer.record.contentHash, uidValidity: uidValidity(goal),
        uidNext: uidNext(goal))
      number += 1
    }
    try put(steps.values)
    return steps
  }

  func nextStepNumber() throws -> UInt32 { (try state.pushSteps().last?.number ?? 0) + 1 }

  /// UIDNEXT as the server told at the start of the run: nothing that this run makes lies below it.
  func uidNext(_ record: MailboxRecord) -> UInt32 {
    listing(of: record)?.status?.uidNext?.rawValue
      ?? max(1, record.uidNext)
  }

  private func uidValidity(_ record: MailboxRecord) -> UInt32 {
    if record.uidValidity != 0 { return record.uidValidity }
    return listing(of: record)?.status?.uidValidity?.rawValue ?? 0
  }

  func put(_ steps: some Collection<PushStep>) throws {
    guard !steps.isEmpty else { return }
    begunHere.formUnion(steps.map(\.number))
    try state.transaction { transaction in
      for step in steps { try transaction.put(step) }
      // Pulls that look for these in vain are counted from here.
      for target in Set(steps.map(\.target)) {
        try transaction.removeFact(Fact.undecided(target))
      }
      for step in steps where step.kind == .appended {
        try transaction.setFact(step.takenFact, "\(Int64(Date().timeIntervalSince1970))")
      }
    }
    context.noteChange()
  }

  func forget(_ steps: [UID: PushStep]) throws {
    guard !steps.isEmpty else { return }
    try state.transaction { transaction in
      for step in steps.values { try transaction.removeStep(step.number) }
    }
    context.noteChange()
  }

  /// A moved message lives on in the target's records; one that was deleted here is no longer known at all, so that a
  /// mirrored Trash brings it back.
  func commit(
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
        try transaction.removeSurplus(contentHash: transfer.record.contentHash, from: mailbox)
      }
      for changed in [mailbox, target] { try forgetCount(of: changed, transaction) }
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

  /// The copies are there: from now on they are the messages, and the sources are to be expunged.
  func confirm(
    _ transfers: [Transfer], _ places: [UID: UID], _ steps: [UID: PushStep], from mailbox: Int64,
    to target: Int64
  ) throws {
    guard !transfers.isEmpty else { return }
    try state.transaction { transaction in
      for transfer in transfers {
        guard var step = steps[transfer.record.uid], let place = places[transfer.record.uid] else {
          continue
        }
        step.kind = .copied
        step.copyUID = place
        try transaction.put(step)
        try hide(transfer.record, in: mailbox, transaction)
        if transfer.file != nil {
          try transaction.put(arrived(transfer, at: place), in: target)
          try transaction.removeSurplus(contentHash: transfer.record.contentHash, from: mailbox)
        }
      }
      for changed in [mailbox, target] { try forgetCount(of: changed, transaction) }
    }
    context.noteChange()
    for transfer in transfers {
      if let file = transfer.file { setDate(of: file, transfer.record.internalDate) }
    }
  }

  /// A record without a file that nobody takes for deleted, and no pull for missing: until the server has expunged it.
  func hide(_ record: MessageRecord, in mailbox: Int64, _ transaction: StateTransaction) throws {
    var hidden = record
    hidden.name = []
    hidden.traits.formUnion([.pruned, .leaving])
    hidden.unappliedRemote = nil
    try transaction.put(hidden, in: mailbox)
  }

  /// The message that a step takes away from its old place, as the state knows it: nil where the mailbox was renumbered
  /// since, or another message has that number now.
  func source(of step: PushStep) throws -> MessageRecord? {
    guard step.source != 0, step.sourceValidity != 0, let mailbox = records[step.source],
      !mailbox.isGone, mailbox.uidValidity == step.sourceValidity,
      let record = try state.message(in: step.source, step.sourceUID),
      record.headerHash == step.sourceHeaderHash, record.contentHash == step.sourceContentHash
    else { return nil }
    return record
  }

  /// Expunges the sources of all confirmed copies and replaced drafts.
  func finishCopies() throws {
    let steps = try state.pushSteps().filter { $0.kind == .copied }
    for (mailbox, group) in Dictionary(grouping: steps, by: \.source).sorted(by: {
      $0.key < $1.key
    }) {
      try context.checkInterrupt()
      guard let record = records[mailbox], !record.isGone else {
        try drop(group)
        continue
      }
      if try isGivenUp(mailbox, .deletions) { continue }
      try sparing(mailbox) {
        guard try open(mailbox) else { return }
        try finish(group, in: mailbox)
      }
    }
  }

  private func finish(_ steps: [PushStep], in mailbox: Int64) throws {
    var sound: [PushStep] = []
    for step in steps {
      if try source(of: step) != nil { sound.append(step) }
    }
    try drop(steps.filter { step in !sound.contains { $0.number == step.number } })
    sound = try stillThere(sound)
    guard !sound.isEmpty else { return }
    let (done, refusal) = try expunge(UIDSet(sound.map(\.sourceUID)), in: mailbox)
    try state.transaction { transaction in
      for step in sound where done.contains(step.sourceUID) {
        try transaction.removeStep(step.number)
        // Without UIDPLUS it stays there, marked; it is known, and not kept here.
        if remote.canExpunge { try transaction.remove(step.sourceUID, from: mailbox) }
      }
      try forgetCount(of: mailbox, transaction)
    }
    context.noteChange()
    guard let refusal else { return }
    try stopIfThrottled(refusal)
    if refusal.code == .noPermission { try refuse(mailbox, .deletions, refusal.text) }
    context.note(
      RunProblem(
        mailbox: name(mailbox),
        problem:
          "The server refuses to expunge \(Quantities.count(sound.count, "message")) moved on or "
          + "replaced\(refusal.quoted).", remedy: "It is tried again on the next push."))
  }

  /// What is to be expunged must be the message that was meant. Looked at are what an earlier run left, and drafts; a
  /// message that this run copied was looked at before.
  private func stillThere(_ steps: [PushStep]) throws -> [PushStep] {
    let doubtful = steps.filter { step in
      step.sourceHeaderHash != 0
        && (!begunHere.contains(step.number) || step.source == step.target)
    }
    guard !doubtful.isEmpty else { return steps }
    let uids = try remote.existing(UIDSet(doubtful.map(\.sourceUID)))
    let headers = try remote.headers(of: uids, labelName: policy.keywords.line?.name)
    var others: [PushStep] = []
    var left = Set(steps.map(\.number))
    for step in doubtful where uids.contains(step.sourceUID) {
      guard let found = headers[step.sourceUID] else {
        // It is there, and not shown: it waits for the next push.
        left.remove(step.number)
        continue
      }
      if found.hash == step.sourceHeaderHash { continue }
      // The server may have rewritten it; what replaces it has its Message-ID.
      if begunHere.contains(step.number), let old = try source(of: step) {
        let identity = try messageID(of: step, in: step.target)
        if !isStranger(found, to: old, messageID: identity, in: step.source) { continue }
      }
      others.append(step)
    }
    left.subtract(others.map(\.number))
    try leaveAlone(others)
    return steps.filter { left.contains($0.number) }
  }

  private func leaveAlone(_ others: [PushStep]) throws {
    guard let mailbox = others.first?.source else { return }
    context.note(
      RunProblem(
        mailbox: name(mailbox),
        problem: others.count == 1
          ? "1 message is not what it was when it was moved on: left alone."
          : "\(others.count) messages are not what they were when they were moved on: left alone.",
        remedy: "The next pull brings what is there."))
    try drop(others)
    // The records that hide them are of what was meant.
    try forget(Set(others.map(\.sourceUID)), in: mailbox)
  }

  func drop(_ steps: [PushStep]) throws {
    guard !steps.isEmpty else { return }
    try state.transaction { transaction in
      for step in steps { try transaction.removeStep(step.number) }
    }
    context.noteChange()
  }
}
