import IMAPWire
import Ledger
import MailCore
import Remote

/// The server's way of moving messages, chosen once for a connection (``Dialect``).
protocol MovingWay {
  /// What a step is recorded as before it is asked for.
  var stage: PushStep.Stage { get }

  func commands(_ chunks: [UIDSet], to rawName: [UInt8]) -> [IMAPCommand]

  /// The server said OK, and where these are now.
  ///
  /// - Parameter open: their old place.
  func confirm(
    placed: [Transfer], _ answers: ChangeAnswers, _ flight: TransferFlight,
    _ open: borrowing OpenMailbox, _ outcome: inout TransferOutcome) throws

  /// The server said OK, and not where these went: no UIDPLUS, or they were not there at all.
  ///
  /// - Parameter present: what is at its old place now.
  func look(
    forUnplaced unplaced: [Transfer], present: UIDSet, _ flight: TransferFlight,
    _ outcome: inout TransferOutcome) throws
}

/// By MOVE, with a look at what it left.
extension MovingWay where Self: PushPart {
  var stage: PushStep.Stage { .move }

  func commands(_ chunks: [UIDSet], to rawName: [UInt8]) -> [IMAPCommand] {
    chunks.map { .uidMove($0, to: rawName) } + chunks.map(session.look)
  }
}

extension OpenMailbox {
  /// Messages that a MOVE has left here.
  func left(by flight: TransferFlight, _ answers: ChangeAnswers) throws -> UIDSet {
    let left = answers.allFound.intersection(UIDSet(flight.steps.keys.sorted()))
    // Dovecot shows what a MOVE took away to a look that comes right after it: only a second look is proof.
    return left.isEmpty ? left : try existing(left)
  }
}

/// MOVE where mailboxes hold their messages for themselves.
struct MoveCommand: MovingWay, PushPart {
  let desk: PushDesk
  private var transfers: TransferJournal { TransferJournal(desk: desk) }

  /// Those that the server shows at their old place all the same were copied.
  func confirm(
    placed: [Transfer], _ answers: ChangeAnswers, _ flight: TransferFlight,
    _ open: borrowing OpenMailbox, _ outcome: inout TransferOutcome
  ) throws {
    let left = try open.left(by: flight, answers)
    let copied = placed.filter { left.contains($0.record.uid) }
    try transfers.confirm(copied, flight.places, flight, &outcome)
    let moved = placed.filter { !left.contains($0.record.uid) }
    try transfers.commit(moved, flight.places, flight, &outcome)
  }

  func look(
    forUnplaced unplaced: [Transfer], present: UIDSet, _ flight: TransferFlight,
    _ outcome: inout TransferOutcome
  ) throws {
    let moved = unplaced.filter { !present.contains($0.record.uid) }
    try look(forStuck: unplaced.filter { present.contains($0.record.uid) }, flight, &outcome)
    // A message that goes to Trash, and that the server moved there without a word of it, is not looked for.
    let isSilent =
      session.capabilities.contains(.uidPlus) && moved.allSatisfy { $0.file == nil }
    guard !moved.isEmpty, !isSilent else {
      outcome.lost += moved.map(\.record.uid)
      return try transfers.drop(moved, flight)
    }
    guard let found = try transfers.find(moved, flight, whole: false) else { return }
    try transfers.commit(found.placed, found.places, flight, &outcome)
    outcome.lost += found.missing.map(\.record.uid)
    try transfers.drop(found.missing, flight)
  }

  /// Moved, says the server, and the messages are where they were. It may have copied them: another MOVE would do that
  /// again.
  private func look(
    forStuck stuck: [Transfer], _ flight: TransferFlight, _ outcome: inout TransferOutcome
  ) throws {
    guard !stuck.isEmpty, let found = try transfers.find(stuck, flight, whole: true) else { return }
    try transfers.confirm(found.placed, found.places, flight, &outcome)
    outcome.refused += found.missing.map { ($0.record.uid, .stillThere(found.missing.count)) }
    try transfers.drop(found.missing, flight)
  }
}

/// COPY; what was copied, and is confirmed, is expunged from its old place later (``CopiedSources``).
struct CopyCommand: MovingWay, PushPart {
  let desk: PushDesk
  private var transfers: TransferJournal { TransferJournal(desk: desk) }

  let stage = PushStep.Stage.copy

  func commands(_ chunks: [UIDSet], to rawName: [UInt8]) -> [IMAPCommand] {
    chunks.map { .uidCopy($0, to: rawName) }
  }

  func confirm(
    placed: [Transfer], _ answers: ChangeAnswers, _ flight: TransferFlight,
    _ open: borrowing OpenMailbox, _ outcome: inout TransferOutcome
  ) throws {
    try transfers.confirm(placed, flight.places, flight, &outcome)
  }

  func look(
    forUnplaced unplaced: [Transfer], present: UIDSet, _ flight: TransferFlight,
    _ outcome: inout TransferOutcome
  ) throws {
    let copied = unplaced.filter { present.contains($0.record.uid) }
    let gone = unplaced.filter { !present.contains($0.record.uid) }
    outcome.lost += gone.map(\.record.uid)
    try transfers.drop(gone, flight)
    guard !copied.isEmpty, let found = try transfers.find(copied, flight, whole: true) else {
      return
    }
    try transfers.confirm(found.placed, found.places, flight, &outcome)
    try keepUnconfirmed(found.missing, flight)
  }

  /// Copied, says the server, and not to be found: the step stays, so that it is looked for and not copied again.
  private func keepUnconfirmed(_ transfers: [Transfer], _ flight: TransferFlight) throws {
    let steps = flight.steps(of: transfers)
    guard !steps.isEmpty else { return }
    try journal.put(
      steps.map { step in
        var unconfirmed = step
        unconfirmed.stage = .unconfirmed
        return unconfirmed
      })
    tell(
      flight.target,
      steps.count == 1
        ? "1 message was copied here, and is not to be recognised: the old one stays."
        : "\(steps.count) messages were copied here, and are not to be recognised: the old ones stay.",
      remedy: "It is looked for again on every push.")
  }
}
