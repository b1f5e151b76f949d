import Ledger
import State
import SyncPlan

/// What a push only writes down: a file's new name, what the window left behind, and files that are never sent.
struct PlanRecords {
  let context: AccountContext

  func write(_ plan: PushPlan) throws {
    guard !plan.renamedFiles.isEmpty || !plan.surplus.isEmpty || !plan.leftBehind.isEmpty else {
      return
    }
    let shut = Set(try context.state.mailboxes().filter(\.keepsNothing).map(\.id))
    try context.write { transaction in
      for renamed in plan.renamedFiles {
        var record = renamed.record
        record.take(renamed.file)
        try transaction.put(record, in: renamed.from)
        try transaction.removeSurplus(nameHash: renamed.file.file.baseHash, from: renamed.from)
      }
      for message in plan.leftBehind {
        if shut.contains(message.mailbox) {
          try transaction.remove(message.record.uid, from: message.mailbox)
          continue
        }
        var record = message.record
        record.traits.insert(.pruned)
        record.name = []
        try transaction.put(record, in: message.mailbox)
      }
      try add(plan.surplus, transaction)
    }
    for renamed in plan.renamedFiles {
      LocalFiles(context: context).setDate(of: renamed.file, renamed.record.internalDate)
    }
  }

  /// What repeated a message that was moved is new from then on, but for what the plan knew to be none.
  func writeSurplusAgain(_ plan: PushPlan) throws {
    guard !plan.moves.isEmpty, !plan.surplus.isEmpty else { return }
    try context.write { try add(plan.surplus, $0) }
  }

  private func add(_ surplus: [UnknownFile], _ transaction: StateTransaction) throws {
    for file in surplus {
      guard let mailbox = file.mailbox else { continue }
      try transaction.addSurplus(SurplusFile(file), to: mailbox)
    }
  }

  /// Of new files that are each other's equals in one folder one was sent: the others are its surplus.
  func writeTwins(_ twins: [UnknownFile]) throws {
    for twin in twins {
      guard let mailbox = twin.mailbox,
        try context.state.contents(in: mailbox, among: [twin.digest.contentHash]).isEmpty == false
      else { continue }
      try context.write { try $0.addSurplus(SurplusFile(twin), to: mailbox) }
    }
  }
}
