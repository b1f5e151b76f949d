import Foundation
import Ledger
import MailCore
import State

/// Steps under way. No step changes anything on the server before its row is on disk: after a crash it is looked for
/// (``Recovery``), and not made again.
final class PushJournal {
  private let context: AccountContext
  private let known: KnownMailboxes
  /// Steps of this run: what they are about was just seen.
  private var begunHere: Set<UInt32> = []

  init(_ context: AccountContext, _ known: KnownMailboxes) {
    self.context = context
    self.known = known
  }

  private var state: StateStore { context.state }

  func steps(_ isWanted: (PushStep) -> Bool) throws -> [PushStep] {
    try state.pushSteps().filter(isWanted)
  }

  func nextNumber() throws -> UInt32 { (try state.pushSteps().last?.number ?? 0) + 1 }

  func wasBegunHere(_ step: PushStep) -> Bool { begunHere.contains(step.number) }

  func put(_ steps: some Collection<PushStep>) throws {
    guard !steps.isEmpty else { return }
    begunHere.formUnion(steps.map(\.number))
    try context.write { transaction in
      for step in steps { try transaction.put(step) }
      // Pulls that look for these in vain are counted from here.
      for target in Set(steps.map(\.target)) { try transaction.setUndecidedPulls(0, of: target) }
    }
  }

  func drop(_ steps: some Collection<PushStep>) throws {
    guard !steps.isEmpty else { return }
    try context.write { transaction in for step in steps { try transaction.removeStep(step.number) }
    }
  }

  /// The message that a step takes away from its old place, as the state knows it: nil where the mailbox was renumbered
  /// since, or another message has that number now.
  func source(of step: PushStep) throws -> MessageRecord? {
    guard let source = step.source, source.uidValidity != 0,
      let mailbox = known.records[source.mailbox],
      !mailbox.isGone, mailbox.uidValidity == source.uidValidity,
      let record = try state.message(in: source.mailbox, source.uid),
      record.headerHash == source.headerHash, record.contentHash == source.contentHash
    else { return nil }
    return record
  }

  /// Those that can go on: the message that each takes away is the one that it was. The others are dropped.
  func dropUnsound(_ steps: [PushStep]) throws -> [PushStep] {
    let sound = try steps.filter { try source(of: $0) != nil }
    try drop(steps.without(sound))
    return sound
  }
}

extension [PushStep] {
  func without(_ others: [PushStep]) -> [PushStep] {
    let numbers = Set(others.map(\.number))
    return filter { !numbers.contains($0.number) }
  }
}

extension PushStep {
  /// - Parameter uids: of the mailbox that its message leaves.
  func isFrom(_ uids: UIDSet) -> Bool { source.map { uids.contains($0.uid) } ?? false }

  /// The server said OK, and perhaps where the message is.
  func taken(at uid: UID? = nil) -> PushStep {
    var taken = self
    taken.stage = .appended(at: uid, time: Int64(Date().timeIntervalSince1970))
    return taken
  }
}

extension StateTransaction {
  /// A record without a file that nobody takes for deleted, and no pull for missing: until the server has expunged it.
  func hide(_ record: MessageRecord, in mailbox: MailboxKey) throws {
    var hidden = record
    hidden.name = []
    hidden.traits.formUnion([.pruned, .leaving])
    hidden.unappliedRemote = nil
    try put(hidden, in: mailbox)
  }
}
