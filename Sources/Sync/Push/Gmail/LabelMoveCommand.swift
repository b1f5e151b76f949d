import IMAPWire
import Ledger
import MailCore
import Remote
import SyncPlan

/// MOVE where mailboxes are labels: what is left at its old place may have to stay there, and what is not told of may
/// have been at the new one before.
struct LabelMoveCommand: MovingWay, PushPart {
  let desk: PushDesk
  private var transfers: TransferJournal { TransferJournal(desk: desk) }
  private var identities: LabelFinder { LabelFinder(desk: desk) }

  func confirm(
    placed: [Transfer], _ answers: ChangeAnswers, _ flight: TransferFlight,
    _ open: borrowing OpenMailbox, _ outcome: inout TransferOutcome
  ) throws {
    let left = try open.left(by: flight, answers)
    let stuck = placed.filter { left.contains($0.record.uid) }
    var moved = placed
    if !stuck.isEmpty {
      if stays(flight) {
        try known.listAgain(flight.mailbox)
      } else {
        moved.removeAll { left.contains($0.record.uid) }
        outcome.refused += stuck.map { ($0.record.uid, .stillThere(stuck.count)) }
      }
    }
    try transfers.commit(moved, flight.places, flight, &outcome)
  }

  /// To where they were already, perhaps.
  func look(
    forUnplaced unplaced: [Transfer], present: UIDSet, _ flight: TransferFlight,
    _ outcome: inout TransferOutcome
  ) throws {
    let staysThere = stays(flight)
    if staysThere, !present.isEmpty { try known.listAgain(flight.mailbox) }
    let left = unplaced.filter { staysThere || !present.contains($0.record.uid) }
    let still = unplaced.filter { !staysThere && present.contains($0.record.uid) }
    outcome.refused += still.map { ($0.record.uid, .stillThere(still.count)) }
    try transfers.drop(still, flight)
    let deleted = left.filter { $0.file == nil }
    try transfers.commit(deleted, [:], flight, &outcome)
    var wanted: [Transfer] = []
    for transfer in left {
      guard let file = transfer.file else { continue }
      guard let known = try identities.knownCopy(of: transfer.record, in: flight.target) else {
        wanted.append(transfer)
        continue
      }
      try repeats(file, transfer, known, flight)
      outcome.done.append(transfer.record.uid)
    }
    guard !wanted.isEmpty else { return }
    let found = FoundTransfers(
      wanted, at: try identities.find(wanted.map(\.record), in: flight.target))
    try transfers.commit(found.placed, found.places, flight, &outcome)
    outcome.lost += found.missing.map(\.record.uid)
    try transfers.drop(found.missing, flight)
  }

  /// A move out of such a mailbox is a copy.
  private func stays(_ flight: TransferFlight) -> Bool {
    let labels = known.gmailLabels
    return labels.isLasting(flight.mailbox) && !labels.isExclusive(flight.target)
  }

  /// The target had the message before: one message, and one file of it is enough.
  private func repeats(
    _ file: UnknownFile, _ transfer: Transfer, _ known: MessageRecord, _ flight: TransferFlight
  ) throws {
    try write { transaction in
      if let step = flight.steps[transfer.record.uid] { try transaction.removeStep(step.number) }
      try transaction.remove(transfer.record.uid, from: flight.mailbox)
      try transaction.removeSurplus(contentHash: transfer.record.contentHash, from: flight.mailbox)
    }
    guard try !identities.dropRepetition(file, of: known, in: flight.target) else { return }
    try state.transaction { try $0.addSurplus(SurplusFile(file), to: flight.target) }
  }
}
