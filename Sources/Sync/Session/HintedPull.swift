import IMAPClient
import Ledger
import MailCore
import Remote
import State
import SyncPlan

/// A pull of the mailboxes where the server said that something changed: over a connection that was kept, they are opened
/// without being listed again.
///
/// Opening one shows whether it is the mailbox that the state knows by that name. Wherever it is not, cannot be opened, or
/// anything fails that is not the whole run's, a whole pull follows: only the list tells what became of the names. So it
/// does where messages are gone: they may have been moved to a mailbox that nobody named, and a file goes only when
/// everything new is here. What was brought until then is in the state, as after a connection that was lost.
struct HintedPull {
  let run: AccountRun
  let options: PullOptions
  let context: AccountContext

  /// More of them are visited side by side, by a whole pull.
  private static let most = 8

  /// - Returns: false where a whole pull is needed.
  func pull(_ summary: inout PullSummary) throws -> Bool {
    guard !options.hinted.isEmpty, options.hinted.count <= Self.most, let kept = run.factory.kept,
      let session = kept.take()
    else { return false }
    guard let records = try records(session) else {
      run.factory.end(session)
      return false
    }
    let isDone = try visit(records, session, kept, &summary)
    context.missesMailboxes = isDone
    guard isDone else { return false }
    summary.mailboxesTotal = records.count
    summary.mayLeaveMoves = try records.contains(where: hasMessagesOfOthers)
    try AccountCleanup(context: context, folders: run.account.sync.folders).run(&summary)
    return true
  }

  /// - Returns: whether nothing is left to be asked.
  private func visit(
    _ records: [MailboxRecord], _ session: IMAPSession, _ kept: KeptConnections,
    _ summary: inout PullSummary
  ) throws -> Bool {
    context.serverCountsWrong = session.quirks.contains(.wrongSizes)
    context.viewIsPartial = session.quirks.contains(.partialView)
    do {
      for record in records {
        try context.checkInterrupt()
        try visit(record, session, &summary)
      }
      run.factory.end(session)
      return try context.state.mailboxesWithExpunged().isEmpty
    } catch {
      switch RunFailure(error) {
      case .mailbox: run.factory.end(session)
      case .connection:
        session.close()
        // The others were made over the same line.
        kept.closeAll()
      case .run:
        session.close()
        throw error
      }
      return false
    }
  }

  /// Whether another mailbox has one of the messages that came, too.
  ///
  /// - Parameter before: the mailbox as it was ahead of the visit.
  private func hasMessagesOfOthers(_ before: MailboxRecord) throws -> Bool {
    let id = before.id
    guard before.forwardCursor < UInt32.max else { return false }
    return try context.state.messages(in: id, before.forwardCursor + 1...UInt32.max).contains {
      guard $0.contentHash != .unknown else { return false }
      return try context.state.copies(ofContent: $0.contentHash).contains { $0.mailbox != id }
    }
  }

  /// What is known of these mailboxes, INBOX first; nil where the list has to be asked for.
  private func records(_ session: IMAPSession) throws -> [MailboxRecord]? {
    let state = context.state
    // Labels depend on all mailboxes, and so does a window by size.
    guard !session.capabilities.contains(.gmail), windowPlan != nil else { return nil }
    guard options.mailboxes.isEmpty, !context.isRehearsal, !context.allowsMassDelete,
      !context.adoptsNewMailboxes, try state.renameUnderWay() == nil,
      try !state.hasPushSteps()
    else { return nil }
    var found: [MailboxRecord] = []
    let known = try state.mailboxes()
    for name in options.hinted {
      guard let record = known.first(where: { $0.rawName == name }), !record.isGone,
        !record.needsAdoption, record.hasWholeHistory,
        run.account.sync.folders.matches(record.mailboxName)
      else { return nil }
      found.append(record)
    }
    return found.sorted { $0.mailboxName.order < $1.mailboxName.order }
  }

  private var windowPlan: WindowPlan? {
    let window = run.account.sync.window
    guard window.bytes == nil else { return nil }
    return window.days.map { .days($0, now: context.started) } ?? .open
  }

  private func visit(
    _ record: MailboxRecord, _ session: IMAPSession, _ summary: inout PullSummary
  ) throws {
    let pull = try MailboxPull(
      record, in: context, listed: .init(uidValidity: UIDValidity(record.uidValidity)),
      window: windowPlan ?? .open, isHinted: true)
    defer { summary.add(pull.mailbox.outcome) }
    let connection = RemoteConnection(
      session: session, labels: LabelPolicy(mirrored: [String]()), policy: context.policy)
    try connection.withMailbox(MailboxTarget(record)) { remote in
      try pull.visit(remote)
      while !pull.isDone { try pull.revisit(remote) }
    }
  }
}
