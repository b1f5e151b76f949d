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
    guard !context.isRehearsal,
      try context.state.pushSteps().contains(where: { $0.kind != .copied })
    else { return }
    do {
      try RetrySchedule(environment: environment).repeating(in: context) {
        try settleSteps(context)
      }
    } catch {
      guard case .connection = RunFailure(error) else { throw error }
      var about: Set<Int64> = []
      for step in try context.state.pushSteps() where step.kind != .copied {
        about.formUnion([step.target, step.source])
      }
      try leaveOut(about, context, error)
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
    for (mailbox, error) in executor.unseen { try leaveOut([mailbox], context, error) }
  }

  private func leaveOut(
    _ mailboxes: Set<Int64>, _ context: AccountContext, _ error: any Error
  ) throws {
    context.unsettled.formUnion(mailboxes)
    for record in try context.state.mailboxes() where mailboxes.contains(record.id ?? 0) {
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
