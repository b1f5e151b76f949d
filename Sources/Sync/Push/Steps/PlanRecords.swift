import Ledger
import State
import SyncPlan

/// What a push only writes down: a file's new name, what the window left behind, and files that are never sent.
struct PlanRecords {
  let context: AccountContext

  func write(_ plan: PushPlan) throws {
    guard
      !plan.renamedFiles.isEmpty || !plan.surplus.isEmpty || !plan.discarded.isEmpty
        || !plan.leftBehind.isEmpty
    else { return }
    try context.write { transaction in
      for renamed in plan.renamedFiles {
        var record = renamed.record
        record.take(renamed.file)
        try transaction.put(record, in: renamed.from)
        try transaction.removeSurplus(nameHash: renamed.file.file.baseHash, from: renamed.from)
      }
      for message in plan.leftBehind {
        var record = message.record
        record.traits.insert(.pruned)
        record.name = []
        try transaction.put(record, in: message.mailbox)
      }
      try add(plan.surplus + plan.discarded, transaction)
    }
    try tell(plan.discarded)
    for renamed in plan.renamedFiles {
      LocalFiles(context: context).setDate(of: renamed.file, renamed.record.internalDate)
    }
  }

  /// What repeated a message that was moved is new from then on, but for what the plan knew to be none.
  func writeSurplusAgain(_ plan: PushPlan) throws {
    let surplus = plan.surplus + plan.discarded
    guard !plan.moves.isEmpty, !surplus.isEmpty else { return }
    try context.write { try add(surplus, $0) }
  }

  private func tell(_ discarded: [UnknownFile]) throws {
    guard !discarded.isEmpty else { return }
    let names = Dictionary(
      try context.state.mailboxes().map { ($0.id ?? 0, $0.name) }, uniquingKeysWith: { $1 })
    for (mailbox, files) in Dictionary(grouping: discarded, by: { $0.mailbox ?? 0 }) {
      context.note(
        RunProblem(PullNotice.movedOnServer(files.count), mailbox: names[mailbox] ?? "?"))
    }
  }

  private func add(_ surplus: [UnknownFile], _ transaction: StateTransaction) throws {
    for file in surplus {
      try transaction.addSurplus(SurplusFile(file), to: file.mailbox ?? 0)
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
