import Foundation
import IMAPClient
import State

extension AccountPull {
  /// What an interrupted push had under way is settled first. Left to the messages' bodies, a file that a reader moved,
  /// edited or removed since would not be recognised: the message would come a second time, or come back.
  ///
  /// Where the connection is lost again and again, the mailboxes that it is about are left out of this pull, and that is
  /// told.
  func settleUnfinishedPush(_ context: AccountContext) throws {
    guard !context.isRehearsal,
      try context.state.pushSteps().contains(where: { $0.kind != .copied })
    else { return }
    let schedule = RetrySchedule(environment: environment)
    while true {
      let connectedAt = Date()
      do {
        return try settleSteps(context)
      } catch {
        guard case .connection(let seconds) = RunFailure(error) else { throw error }
        guard let delay = schedule.next(connectedAt: connectedAt) else {
          return try leaveOut(context, error)
        }
        observer.entered(.retryScheduled, account: account.name)
        guard interrupt.wait(seconds: max(delay, Double(min(seconds ?? 0, 300)))) else {
          throw SyncError.interrupted
        }
      }
    }
  }

  /// On a connection of its own: a mailbox is opened, and some extensions can be enabled only before that.
  private func settleSteps(_ context: AccountContext) throws {
    observer.entered(.connecting, account: account.name)
    let (session, listings) = try factory.openListed(context)
    defer { session.close() }
    // There a message may have to be labelled for that, which is for a push to do.
    guard !session.quirks.contains(.gmail) else { return session.logout() }
    let executor = try PushExecutor(
      context: context,
      remote: PushRemote(session: session, labels: LabelPolicy(mirrored: [String]())),
      settings: account.sync, listings: listings, delays: [], advice: .none)
    executor.onlyLooks = true
    try executor.recover()
    session.logout()
  }

  private func leaveOut(_ context: AccountContext, _ error: any Error) throws {
    for step in try context.state.pushSteps() where step.kind != .copied {
      context.unsettled.formUnion([step.target, step.source].filter { $0 != 0 })
    }
    for record in try context.state.mailboxes() where context.unsettled.contains(record.id ?? 0) {
      context.note(
        RunProblem(
          mailbox: record.name,
          problem:
            "A push was interrupted here, and what came of it cannot be found out: "
            + "\(RunProblem(error).problem) The mailbox is left out of this pull.",
          remedy: "Run `mirror push`, then pull again."))
    }
  }
}
