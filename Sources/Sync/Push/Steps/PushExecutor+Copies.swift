import IMAPClient
import IMAPWire
import MailCore
import Maildir
import State

/// Each MOVE and COPY is recorded before it is asked for: after a crash it is looked for and not made again, and a pull
/// in between looks for the file. Where the server has no MOVE, the source goes only when the copy is confirmed.
extension PushExecutor {
  func begin(_ batch: [Transfer], from mailbox: Int64, to target: Int64) throws
    -> [UID: PushStep]
  {
    guard let goal = records[target] else { return [:] }
    var steps: [UID: PushStep] = [:]
    var number = try nextStepNumber()
    for transfer in batch {
      var record = transfer.record
      if let file = transfer.file { record.take(file) } else { record.name = [] }
      steps[transfer.record.uid] = PushStep(
        number: number, kind: .copy, target: target, record: record, source: mailbox,
        sourceUID: transfer.record.uid, uidValidity: goal.uidValidity, uidNext: uidNext(goal))
      number += 1
    }
    try put(steps.values)
    return steps
  }

  func nextStepNumber() throws -> UInt32 { (try state.pushSteps().last?.number ?? 0) + 1 }

  /// UIDNEXT as the server told at the start of the run: nothing that this run makes lies below it.
  func uidNext(_ record: MailboxRecord) -> UInt32 {
    listings.first { $0.name == record.mailboxName }?.status?.uidNext?.rawValue
      ?? max(1, record.uidNext)
  }

  func put(_ steps: some Sequence<PushStep>) throws {
    try state.transaction { transaction in for step in steps { try transaction.put(step) } }
    context.noteChange()
  }

  func forget(_ steps: [UID: PushStep]) throws {
    guard !steps.isEmpty else { return }
    try state.transaction { transaction in
      for step in steps.values { try transaction.removeStep(step.number) }
    }
    context.noteChange()
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
        }
      }
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
    hidden.traits.insert(.pruned)
    hidden.unappliedRemote = nil
    try transaction.put(hidden, in: mailbox)
  }

  /// Expunges the sources of all confirmed copies and replaced drafts.
  func finishCopies() throws {
    let steps = try state.pushSteps().filter { $0.kind == .copied }
    for (mailbox, group) in Dictionary(grouping: steps, by: \.source).sorted(by: {
      $0.key < $1.key
    }) {
      try context.checkInterrupt()
      guard records[mailbox] != nil else {
        try forget(group)
        continue
      }
      try sparing(mailbox) {
        guard try open(mailbox) else { return }
        let uids = UIDSet(group.map(\.sourceUID))
        let refusal = try expunge(uids, in: mailbox)
        if let refusal {
          context.note(
            RunProblem(
              mailbox: name(mailbox),
              problem:
                "The server refuses to expunge \(uids.count) messages that were moved on or replaced"
                + "\(refusal.quoted).", remedy: "It is tried again on every push."))
          return
        }
        try state.transaction { transaction in
          for step in group {
            try transaction.removeStep(step.number)
            // Without UIDPLUS it stays there, marked; it is known, and not kept here.
            if remote.canExpunge { try transaction.remove(step.sourceUID, from: mailbox) }
          }
        }
        context.noteChange()
      }
    }
  }

  private func forget(_ steps: [PushStep]) throws {
    try state.transaction { transaction in
      for step in steps { try transaction.removeStep(step.number) }
    }
    context.noteChange()
  }
}
