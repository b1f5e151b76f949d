import IMAPClient
import IMAPWire
import Ledger
import MailCore
import Maildir
import Remote
import SyncPlan

/// The server said OK to a MOVE or a COPY: what that came to.
extension PushExecutor {
  /// The server told where the moved messages are now. Those that it shows at their old place all the same were copied;
  /// Gmail, where that place is a label, is asked again.
  func take(
    _ moved: inout [Transfer], _ still: UIDSet, _ places: [UID: UID], _ steps: [UID: PushStep],
    from mailbox: Int64, to target: Int64, _ outcome: inout TransferOutcome
  ) throws {
    let stuck = moved.filter { still.contains($0.record.uid) }
    if !stuck.isEmpty, !remote.isGmail {
      moved.removeAll { still.contains($0.record.uid) }
      try confirm(stuck, places, steps, from: mailbox, to: target)
      outcome.done += stuck.map(\.record.uid)
    } else if !stuck.isEmpty, staysOnGmail(mailbox, movedTo: target) {
      try listAgain(mailbox)
    } else if !stuck.isEmpty {
      moved.removeAll { still.contains($0.record.uid) }
      outcome.refused += stuck.map { ($0.record.uid, .stillThere(stuck.count)) }
    }
    try commit(moved, places, steps, from: mailbox, to: target)
  }

  /// The server said OK, and not where the messages went: no UIDPLUS, or they were not there at all.
  func settle(
    unplaced: [Transfer], _ steps: [UID: PushStep], from mailbox: Int64, to target: Int64,
    _ outcome: inout TransferOutcome
  ) throws {
    let present = try remote.existing(UIDSet(unplaced.map(\.record.uid)))
    if remote.isGmail, remote.canMove {
      return try settleOnGmail(
        unplaced: unplaced, present: present, steps, from: mailbox, to: target, &outcome)
    }
    // Of copies those that are there were copied; of moves those that are not.
    let carried = unplaced.filter { present.contains($0.record.uid) != remote.canMove }
    let others = unplaced.filter { present.contains($0.record.uid) == remote.canMove }
    if remote.canMove {
      try settle(stuck: others, steps, from: mailbox, to: target, &outcome)
    } else {
      outcome.lost += others.map(\.record.uid)
      try forget(steps.filter { uid, _ in others.contains { $0.record.uid == uid } })
    }
    // A message that goes to Trash, and that the server moved there without a word of it, is not looked for.
    let isSilent =
      remote.canMove && remote.session.capabilities.contains(.uidPlus)
      && carried.allSatisfy { $0.file == nil }
    guard !carried.isEmpty, !isSilent else {
      outcome.lost += carried.map(\.record.uid)
      return try forget(steps.filter { uid, _ in carried.contains { $0.record.uid == uid } })
    }
    let wanted = carried.compactMap { steps[$0.record.uid] }
    guard let found = try find(wanted, in: target, whole: !remote.canMove) else { return }
    var places: [UID: UID] = [:]
    for step in wanted { places[step.sourceUID] = found[step.number] }
    let placed = carried.filter { places[$0.record.uid] != nil }
    outcome.done += placed.map(\.record.uid)
    if remote.canMove {
      try commit(placed, places, steps, from: mailbox, to: target)
      let missing = carried.map(\.record.uid).filter { places[$0] == nil }
      outcome.lost += missing
      try forget(steps.filter { missing.contains($0.key) })
    } else {
      try confirm(placed, places, steps, from: mailbox, to: target)
      try noteUnconfirmed(wanted.filter { places[$0.sourceUID] == nil }, target)
    }
    _ = try open(mailbox)
  }

  /// Moved, says the server, and the messages are where they were. It may have copied them: another MOVE would do that
  /// again.
  private func settle(
    stuck: [Transfer], _ steps: [UID: PushStep], from mailbox: Int64, to target: Int64,
    _ outcome: inout TransferOutcome
  ) throws {
    guard !stuck.isEmpty else { return }
    let wanted = stuck.compactMap { steps[$0.record.uid] }
    guard let found = try find(wanted, in: target, whole: true) else { return }
    var places: [UID: UID] = [:]
    for step in wanted { places[step.sourceUID] = found[step.number] }
    let copied = stuck.filter { places[$0.record.uid] != nil }
    try confirm(copied, places, steps, from: mailbox, to: target)
    outcome.done += copied.map(\.record.uid)
    let undone = stuck.map(\.record.uid).filter { places[$0] == nil }
    outcome.refused += undone.map { ($0, .stillThere(undone.count)) }
    try forget(steps.filter { undone.contains($0.key) })
    _ = try open(mailbox)
  }

  /// Copied, says the server, and not to be found: the step stays, so that it is looked for and not copied again.
  private func noteUnconfirmed(_ steps: [PushStep], _ target: Int64) throws {
    guard !steps.isEmpty else { return }
    try put(
      steps.map { step in
        var unconfirmed = step
        unconfirmed.kind = .unconfirmed
        return unconfirmed
      })
    context.note(
      RunProblem(
        mailbox: name(target),
        problem:
          steps.count == 1
          ? "1 message was copied here, and is not to be recognised: the old one stays."
          : "\(steps.count) messages were copied here, and are not to be recognised: the old ones stay.",
        remedy: "It is looked for again on every push."))
  }
}
