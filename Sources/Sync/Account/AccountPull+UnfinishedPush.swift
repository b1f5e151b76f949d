import IMAPClient
import State

extension AccountPull {
  /// What an interrupted push had under way is settled first. Left to the messages' bodies, a file that a reader moved,
  /// edited or removed since would not be recognised: the message would come a second time, or come back.
  ///
  /// On a connection of its own: a mailbox is opened, and some extensions can be enabled only before that. Where it is
  /// lost, the steps stay for the next run, and the pull goes on.
  func settleUnfinishedPush(_ context: AccountContext) throws {
    guard !context.isRehearsal,
      try context.state.pushSteps().contains(where: { $0.kind != .copied })
    else { return }
    do {
      try settleSteps(context)
    } catch {
      if case .run = RunFailure(error) { throw error }
    }
  }

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
}
