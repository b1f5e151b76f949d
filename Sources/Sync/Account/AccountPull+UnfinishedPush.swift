import Foundation
import IMAPClient
import State

extension AccountPull {
  /// What an interrupted push had under way is settled first. Left to the messages' bodies, a file that a reader moved,
  /// edited or removed since would not be recognised: the message would come a second time, or come back.
  ///
  /// Where the connection is lost again and again, or a mailbox cannot be looked into, those that it is about are left
  /// out of this pull, and that is told.
  func settleUnfinishedPush(_ context: AccountContext) throws {
    guard try context.state.pushSteps().contains(where: { $0.kind != .copied }) else { return }
    do {
      try RetrySchedule(environment: environment).repeating(in: context) {
        try settleSteps(context)
      }
    } catch {
      guard case .connection = RunFailure(error) else { throw error }
      let steps = try openSteps(context)
      try leaveOut(Set(steps.flatMap { [$0.target, $0.source] }), context, RunProblem(error))
    }
  }

  /// On a connection of its own: a mailbox is opened, and some extensions can be enabled only before that.
  private func settleSteps(_ context: AccountContext) throws {
    observer.entered(.connecting, account: account.name)
    let (session, listings) = try factory.openListed(context)
    defer { session.close() }
    let catalogue = MailboxCatalogue(
      listings: listings, records: try context.state.mailboxes(), folders: account.sync.folders)
    let labels = LabelPolicy(mirrored: catalogue.mirrored.map(\.listing.name.text))
    let executor = try PushExecutor(
      context: context, remote: PushRemote(session: session, labels: labels),
      settings: account.sync, listings: listings, delays: [], advice: .none)
    executor.onlyLooks = true
    try executor.recover()
    session.logout()
    for (target, problem) in executor.unseen {
      let isListed = executor.records[target].map(executor.isListed) ?? false
      try leaveOut(target, context, problem, isRefused: isListed)
    }
    for (target, problem) in executor.strange {
      // It is matched anew by this pull, and the next look finds what came.
      let sources = Set(try openSteps(context).filter { $0.target == target }.map(\.source))
      try leaveOut(sources.subtracting(executor.strange.keys), context, problem)
    }
  }

  private func openSteps(_ context: AccountContext) throws -> [PushStep] {
    try context.state.pushSteps().filter { $0.kind != .copied }
  }

  /// A mailbox that cannot be looked into, together with those that messages were to leave for it: what is no longer
  /// there may be here. Where that does not pass, they are pulled again after a few runs.
  private func leaveOut(
    _ target: Int64, _ context: AccountContext, _ problem: RunProblem, isRefused: Bool
  ) throws {
    let steps = try openSteps(context).filter { $0.target == target }
    guard !steps.isEmpty else { return }
    var isPassing = true
    if isRefused {
      try context.state.recordFailure(
        mailbox: target, uid: 0, at: context.started, reason: problem.problem)
      context.noteChange()
      let failure = try context.state.failures().first { $0.mailbox == target && $0.uid == 0 }
      isPassing = failure.map { $0.attempts <= 3 } ?? true
    }
    let sources = isPassing ? steps.map(\.source) : []
    try leaveOut(Set(sources + [target]), context, problem)
  }

  private func leaveOut(_ mailboxes: Set<Int64>, _ context: AccountContext, _ problem: RunProblem)
    throws
  {
    context.unsettled.formUnion(mailboxes)
    for record in try context.state.mailboxes() where mailboxes.contains(record.id ?? 0) {
      let place = problem.mailbox.flatMap { $0 == record.name ? nil : "“\($0.visible)”: " }
      context.note(
        RunProblem(
          mailbox: record.name,
          problem:
            "A push was interrupted here, and what came of it cannot be found out: "
            + "\(place ?? "")\(problem.problem) The mailbox is left out of this pull.",
          remedy: "Run `mirror push`, then pull again."))
    }
  }
}
