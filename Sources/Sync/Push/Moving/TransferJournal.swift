import Ledger
import MailCore
import State

/// Each MOVE and COPY is recorded before it is asked for: after a crash it is looked for and not made again, and a pull
/// in between looks for the file. Where the server has no MOVE, the source goes only when the copy is confirmed.
struct TransferJournal: PushPart {
  let desk: PushDesk

  func begin(
    _ batch: [Transfer], _ stage: PushStep.Stage, from mailbox: MailboxKey, to target: MailboxKey
  ) throws -> TransferFlight {
    var steps: [UID: PushStep] = [:]
    if let goal = known.records[target], let origin = known.records[mailbox] {
      var number = try journal.nextNumber()
      for transfer in batch {
        var record = transfer.record
        if let file = transfer.file { record.take(file) } else { record.name = [] }
        steps[transfer.record.uid] = PushStep(
          number: number, stage: stage, target: target, record: record,
          source: PushStep.Source(transfer.record, in: mailbox, uidValidity: origin.uidValidity),
          uidValidity: known.uidValidity(of: goal), uidNext: known.uidNext(of: goal))
        number += 1
      }
    }
    try journal.put(steps.values)
    context.noteTrashed(steps.values)
    return TransferFlight(mailbox: mailbox, target: target, steps: steps)
  }

  func drop(_ transfers: [Transfer], _ flight: TransferFlight) throws {
    try journal.drop(flight.steps(of: transfers))
  }

  /// Where messages went, by where they were; nil where the target cannot be opened.
  func find(_ transfers: [Transfer], _ flight: TransferFlight, whole: Bool) throws
    -> FoundTransfers?
  {
    let steps = flight.steps(of: transfers)
    guard let found = try finder.find(steps, in: flight.target, whole: whole) else { return nil }
    var places: [UID: UID] = [:]
    for step in steps {
      if let source = step.source { places[source.uid] = found[step.number] }
    }
    // A server that does not tell where a copy lies may not have copied the flags, either.
    let shown =
      places.isEmpty
      ? [:]
      : try mailboxes.with(flight.target, asPlace: true) {
        try $0.marks(of: UIDSet(places.values.sorted()))
      } ?? [:]
    return FoundTransfers(transfers, at: places, shown)
  }

  /// A moved message lives on in the target's records; one that was deleted here is no longer known at all, so that a
  /// mirrored Trash brings it back.
  func commit(
    _ transfers: [Transfer], _ places: [UID: UID], _ flight: TransferFlight,
    _ outcome: inout TransferOutcome
  ) throws {
    outcome.done += transfers.map(\.record.uid)
    try put(transfers, flight) { transfer, transaction in
      let uid = transfer.record.uid
      if let step = flight.steps[uid] { try transaction.removeStep(step.number) }
      try transaction.remove(uid, from: flight.mailbox)
      return places[uid]
    }
  }

  /// The copies are there: from now on they are the messages, and the sources are to be expunged.
  func confirm(
    _ transfers: [Transfer], _ places: [UID: UID], _ flight: TransferFlight,
    _ outcome: inout TransferOutcome
  ) throws {
    outcome.done += transfers.map(\.record.uid)
    try put(transfers, flight) { transfer, transaction in
      let uid = transfer.record.uid
      guard var step = flight.steps[uid], let place = places[uid] else { return nil }
      step.stage = .copied(at: place)
      try transaction.put(step)
      try transaction.hide(transfer.record, in: flight.mailbox)
      return place
    }
  }

  /// - Parameter leave: writes down what becomes of a message's old place, and tells the new one.
  private func put(
    _ transfers: [Transfer], _ flight: TransferFlight,
    leave: (Transfer, StateTransaction) throws -> UID?
  ) throws {
    guard !transfers.isEmpty else { return }
    try write { transaction in
      for transfer in transfers {
        guard let place = try leave(transfer, transaction), let file = transfer.file else {
          continue
        }
        var record = transfer.record
        record.uid = place
        record.take(file)
        try transaction.put(record, in: flight.target)
        try transaction.removeSurplus(
          contentHash: transfer.record.contentHash, from: flight.mailbox)
        try transaction.removeSurplus(nameHash: file.file.baseHash, from: flight.target)
      }
      for changed in [flight.mailbox, flight.target] {
        try known.forgetCount(of: changed, transaction)
      }
    }
    for transfer in transfers {
      if let file = transfer.file { files.setDate(of: file, transfer.record.internalDate) }
    }
  }
}
