import Foundation
import Ledger
import Remote
import State
import SyncPlan

/// What an interrupted push had under way, as a pull finds it. Left to the messages' bodies, a file that a reader moved,
/// edited or removed since would not be recognised: the message would come a second time, or come back.
struct UnfinishedPush {
  let run: AccountRun
  let options: PullOptions
  let context: AccountContext

  /// Finds out what came of it, before anything else is done.
  ///
  /// Where the connection is lost again and again, or a mailbox cannot be looked into, those that it is about are left
  /// out of this pull, and that is told.
  func resolve() throws {
    guard try !openSteps().isEmpty else { return }
    var decided: Set<MailboxKey> = []
    do {
      try RetrySchedule(environment: run.environment).repeating(in: context) {
        try lookIntoMailboxes(&decided)
      }
    } catch {
      guard case .connection = RunFailure(error) else { throw error }
      for target in Set(try openSteps().map(\.target)).subtracting(decided) {
        try leaveOut(target, besides: [], RunProblem(error))
      }
    }
  }

  /// On a connection that the pull does not use: a mailbox is opened, and some extensions can be enabled only before
  /// that.
  ///
  /// - Parameter decided: targets that were looked into, also where the connection is lost then.
  private func lookIntoMailboxes(_ decided: inout Set<MailboxKey>) throws {
    context.observer.entered(.connecting, account: context.account)
    let (session, listings) = try run.factory.openListed(context)
    defer { session.close() }
    try RenameJournal(context).finish(listings)
    let desk = try PushDesk(
      context: context, session: session, listings: listings,
      folders: run.account.sync.folders, onlyLooks: true)
    let recovery = PushExecutor(desk: desk, advice: .none).recovery
    defer { decided.formUnion(recovery.decided) }
    try recovery.run()
    session.logout()
    for (target, problem) in recovery.undecided {
      try leaveOut(target, besides: Set(desk.mailboxes.strange.keys), problem)
    }
  }

  private func openSteps() throws -> [PushStep] {
    try context.state.pushSteps().filter { !$0.isCopied }
  }

  /// A mailbox that cannot be looked into, together with those that messages were to leave for it: what is no longer
  /// there may be here. Where that does not pass, they are pulled again after a few runs that were to visit one of them.
  ///
  /// - Parameter strange: are matched anew by this pull, and the next look finds what came.
  private func leaveOut(
    _ target: MailboxKey, besides strange: Set<MailboxKey>, _ problem: RunProblem
  ) throws {
    let steps = try openSteps().filter { $0.target == target }
    let count = try context.state.undecidedPulls(of: target) + 1
    guard !steps.isEmpty, count <= 3 else { return }
    let mailboxes = Set(steps.compactMap(\.source?.mailbox) + [target]).subtracting(strange)
    let wanted = try context.state.mailboxes().filter {
      mailboxes.contains($0.id) && options.choose($0.mailboxName)
    }
    if !wanted.isEmpty {
      try context.state.transaction { try $0.setUndecidedPulls(count, of: target) }
      context.noteChange()
    }
    for record in wanted where !context.unsettled.contains(record.id) {
      let place = problem.mailbox.flatMap { $0 == record.name ? nil : "“\($0.visible)”: " }
      context.note(
        RunProblem(
          mailbox: record.name,
          problem:
            "A push was interrupted here, and what came of it cannot be found out: "
            + "\(place ?? "")\(problem.problem) The mailbox is left out of this pull.",
          again: "Run `mirror push`, then pull again."))
    }
    context.unsettled.formUnion(mailboxes)
  }
}
