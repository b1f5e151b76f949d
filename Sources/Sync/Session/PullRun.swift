import Foundation
import IMAPClient
import IMAPWire
import Ledger
import MailCore
import Maildir
import Remote
import State
import SyncPlan

/// One pull, once the account is open. Blocks; the thread is also the first connection's.
struct PullRun {
  let run: AccountRun
  let options: PullOptions
  let context: AccountContext

  func pull(_ summary: inout PullSummary) throws {
    try FolderRelocations(context).finish()
    if !context.isRehearsal { try AwaitedMessages(context: context).finish() }
    if try HintedPull(run: run, options: options, context: context).pull(&summary) { return }
    let folders = try context.tree.readableFolders(context.policy.layout).folders
    for folder in folders where !context.isRehearsal {
      try context.sparing(folder.text) {
        try MaildirFolder.open(folder, in: context.tree).cleanTemporaryFiles()
      }
    }
    try UnfinishedPush(run: run, options: options, context: context).resolve()
    context.observer.entered(.connecting, account: context.account)
    let (session, plan) = try planned()
    summary.mailboxesTotal = plan.total
    for outcome in plan.outcomes { summary.add(outcome) }
    let queue = PullQueue(plan.visits, survey: plan.survey)
    work(queue, session, plan.labels)
    for outcome in queue.outcomes { summary.add(outcome) }
    if let reason = queue.reasonToStop { throw reason }
    try FoundElsewhere(context: context).release()
    try UndecidedFiles(context: context, folders: run.account.sync.folders).decide()
    try EmptiedFolders(context: context, folders: run.account.sync.folders).record()
    try finishOnDemand()
    try tellOutOfView()
    try AccountCleanup(context: context, folders: run.account.sync.folders).run(&summary)
  }

  /// What was asked for while no server could be reached, and what the cache has too much of.
  private func finishOnDemand() throws {
    guard !context.isRehearsal,
      try context.state.hasOnDemandWork()
    else { return }
    try OnDemandLeftovers(context: context).settle()
    var outcome = OnDemandWork.Outcome()
    try OnDemandWork(run: run, context: context).fillWanted(awaitsMoved: false, &outcome)
    try CacheKeeping(run: run, context: context).run(&outcome)
  }

  /// On every run, until the messages are shown again or a person lets them go.
  private func tellOutOfView() throws {
    for problem in try SyncError.outOfView(in: context.state, folders: run.account.sync.folders)
    where options.choose(problem.mailbox.mailboxName) {
      context.note(RunProblem(problem.error, mailbox: problem.mailbox.name))
    }
  }

  /// A list that is out of date by the time it is read is asked for again, on a new connection. Some servers list what
  /// is not there: after a few tries that mailbox alone is told.
  private func planned() throws -> (IMAPSession, MailboxPlanning.Plan) {
    var attempt = 1
    var broken: [MailboxName: String] = [:]
    while true {
      let (session, listings) = try run.factory.openListed(context)
      do {
        try RenameJournal(context).finish(listings)
        context.serverCountsWrong = session.quirks.contains(.wrongSizes)
        context.viewIsPartial = session.quirks.contains(.partialView)
        context.viewLimits = session.quirks.contains(.limitedView) ? OpenMailbox.viewLimits : []
        context.observer.entered(.folders, account: context.account)
        let planning = MailboxPlanning(
          context: context, settings: run.account.sync, options: options, mayBeStale: attempt < 3,
          broken: broken)
        var plan = try planning.plan(session, listings)
        try noteCounts(listings)
        // What failed before had better not keep the others back.
        let failed = Set(try context.state.failures().filter { $0.uid == nil }.map(\.mailbox))
        let isLate = { (pull: MailboxPull) in failed.contains(pull.mailbox.id) }
        plan.visits = plan.visits.filter { !isLate($0) } + plan.visits.filter(isLate)
        return (session, plan)
      } catch is StaleList {
        session.close()
        attempt += 1
      } catch let failure as ConnectionBroken {
        session.close()
        broken[failure.name] = failure.reason
      } catch {
        session.close()
        throw error
      }
    }
  }

  /// Of mailboxes whose history is not whole: whoever asks after an interruption is told how much is missing.
  private func noteCounts(_ listings: [MailboxListing]) throws {
    let counts = Dictionary(
      listings.compactMap { listing in listing.status?.messages.map { (listing.name, $0) } },
      uniquingKeysWith: { $1 })
    let changed = try context.state.mailboxes().compactMap { record -> (MailboxKey, Int)? in
      let id = record.id
      guard !record.hasWholeHistory, let count = counts[record.mailboxName],
        try context.state.announced(in: id) != count
      else { return nil }
      return (id, count)
    }
    guard !changed.isEmpty else { return }
    try context.state.transaction { transaction in
      for (mailbox, count) in changed { try transaction.setAnnounced(count, in: mailbox) }
    }
    context.noteChange()
  }

  /// Ends with the session, too.
  private func work(_ queue: PullQueue, _ session: IMAPSession, _ labels: LabelPolicy) {
    guard queue.jobsExpected > 0 else { return run.factory.end(session) }
    let worker = ConnectionWorker(
      context: context, queue: queue, factory: run.factory, labels: labels,
      schedule: run.schedule, environment: run.environment)
    let helpers = DispatchGroup()
    let wanted = session.quirks.contains(.oneConnection) ? 1 : run.account.imap.connections
    for _ in 0..<min(wanted, queue.jobsExpected) - 1 {
      helpers.enter()
      let hasStarted = startThread(name: "pull") {
        worker.work(nil)
        helpers.leave()
      }
      // The others do its share.
      if !hasStarted { helpers.leave() }
    }
    // A failure shows in `isUsable`: the worker connects anew.
    try? run.factory.compress(session, environment: run.environment)
    worker.work(session)
    helpers.wait()
  }
}
