import MailCore
import SyncPlan

extension AccountRun {
  /// Pulls and pushes that follow one another, on a thread of their own; the account is closed when `work` is done.
  package func inSession<Result: Sendable>(
    _ work: @escaping @Sendable (AccountSession) -> Result
  ) async -> Result {
    await onOwnThread {
      let session = AccountSession(self)
      defer { session.close() }
      return work(session)
    }
  }

  /// Brings the server's changes into the tree.
  package func pull(_ options: PullOptions) async -> PullSummary {
    await inSession { $0.pull(options) }
  }

  /// Makes stubs whole, or whole messages stubs.
  package func fill(_ options: FillOptions) async -> FillSummary {
    await inSession { $0.fill(options) }
  }

  /// Gives up what was changed in the tree and not pushed, then pulls what was deleted or edited here.
  package func revert(
    _ options: RevertOptions,
    carryOut: @escaping @Sendable (RevertPlan) throws -> RevertedFiles
  ) async -> RevertSummary {
    await inSession { session in
      var summary = session.revert(options, carryOut: carryOut)
      if !summary.awaited.isEmpty {
        summary.add(session.pull(PullOptions(mailboxes: summary.awaited.sorted())))
      }
      return summary
    }
  }
}
