import Foundation
import IMAPClient
import IMAPWire
import Ledger
import LocalChanges
import MailCore
import Maildir
import Remote
import Settings
import State
import SyncPlan
import Transport

/// One pull of one account, from the lock to the backup. Blocks; runs on a thread of its own, which is also the first
/// connection's.
struct AccountPull {
  let account: AccountSettings
  let root: String
  let options: PullOptions
  let observer: any RunObserver
  let interrupt: Interrupt
  let factory: ConnectionFactory
  let environment: [String: String]

  private var path: String { root + "/" + account.name }

  func run() -> PullSummary {
    let begun = Date()
    var summary = PullSummary(account: account.name, dryRun: options.dryRun)
    do {
      do {
        try once(&summary, begun, attempt: 1)
      } catch is RestartNeeded {
        try once(&summary, begun, attempt: 2)
      }
    } catch {
      let problem = RunProblem(error)
      observer.noticed(problem, account: account.name)
      summary.add(problem)
    }
    summary.seconds = Date().timeIntervalSince(begun)
    observer.entered(.idle, account: account.name)
    return summary
  }

  private func once(_ summary: inout PullSummary, _ begun: Date, attempt: Int) throws {
    if options.dryRun {
      try rehearse(&summary, begun, attempt: attempt)
    } else {
      try pull(&summary, begun, attempt: attempt)
    }
  }

  /// Goes through all of it on a copy of the state, and without a lock: nothing on disk changes, and no message is
  /// asked for but the headers and identities by which it might be recognised.
  private func rehearse(_ summary: inout PullSummary, _ begun: Date, attempt: Int) throws {
    let witness = TreeWitness(accountPath: path, environment: environment)
    try witness.checkMount(path: path, root: root)
    let tree = try AccountTree.forReading(path: path)
    if tree.isControlled { try tree.checkWritable() }
    let opened = try StateOpening(tree: tree, witness: witness, durable: false)
      .rehearse(withoutState: attempt > 1)
    defer { opened.store.shut() }
    let context = try AccountContext(
      account: account.name, tree: tree, policy: MaildirPolicy(account.sync), state: opened.store,
      observer: observer, interrupt: interrupt, started: Int64(begun.timeIntervalSince1970),
      isRehearsal: true, allowsMassDelete: options.allowsMassDelete)
    try context.policy.keywords.checkKept(in: opened.store)
    for notice in opened.notices { context.note(notice) }
    defer { for problem in context.takeProblems() { summary.add(problem) } }
    do {
      try pull(context, &summary)
    } catch StateError.damaged(let words) where attempt == 1 {
      context.note(RunProblem(StateError.damaged(words)))
      summary = PullSummary(account: account.name, dryRun: true)
      throw RestartNeeded()
    }
  }

  private func pull(_ summary: inout PullSummary, _ begun: Date, attempt: Int) throws {
    let witness = TreeWitness(accountPath: path, environment: environment)
    try witness.checkMount(path: path, root: root)
    let tree = try AccountTree.open(path: path, create: true)
    let lock = try tree.lock(program: RunLock.pull, since: begun.formatted(.iso8601))
    do {
      try pull(tree, witness, &summary, begun, attempt: attempt)
      lock.noteEnd(exitStatus: summary.exitStatus)
    } catch let error where !(error is RestartNeeded) {
      lock.noteEnd(exitStatus: summary.exitStatus(with: error))
      throw error
    }
  }

  /// Under the lock.
  private func pull(
    _ tree: AccountTree, _ witness: TreeWitness, _ summary: inout PullSummary, _ begun: Date,
    attempt: Int
  ) throws {
    try tree.checkWritable()
    let opened = try StateOpening(
      tree: tree, witness: witness, durable: account.sync.fsync
    ).open()
    defer { opened.store.shut() }
    let context = try AccountContext(
      account: account.name, tree: tree, policy: MaildirPolicy(account.sync), state: opened.store,
      observer: observer, interrupt: interrupt, started: Int64(begun.timeIntervalSince1970),
      allowsMassDelete: options.allowsMassDelete)
    try context.policy.keywords.checkKept(in: opened.store)
    for notice in opened.notices { context.note(notice) }
    do {
      try pull(context, &summary)
      try close(context, witness, &summary, begun)
    } catch StateError.damaged(let words) where attempt == 1 {
      // Torn in a place that only now was read: rebuilt, once.
      opened.store.shut()
      StateStore.setAside(tree.control.path + "/state.db")
      context.note(RunProblem(StateError.damaged(words)))
      for problem in context.takeProblems() { summary.add(problem) }
      throw RestartNeeded()
    } catch {
      for problem in context.takeProblems() { summary.add(problem) }
      try? close(context, witness, &summary, begun, failure: error)
      throw error
    }
  }

  /// The state was damaged and is set aside: a second attempt rebuilds it.
  private struct RestartNeeded: Error {}

  private func pull(_ context: AccountContext, _ summary: inout PullSummary) throws {
    try context.settleRelocation()
    let folders = try context.tree.readableFolders(context.policy.layout).folders
    for folder in folders where !context.isRehearsal {
      try context.sparing(folder.text) {
        try MaildirFolder.open(folder, in: context.tree).cleanTemporaryFiles()
      }
    }
    try settleUnfinishedPush(context)
    observer.entered(.connecting, account: account.name)
    let (session, plan) = try planned(context)
    defer { session.close() }
    summary.mailboxesTotal = plan.total
    for outcome in plan.outcomes { summary.add(outcome) }
    let queue = PullQueue(plan.visits, survey: plan.survey)
    work(queue, context, session, plan.labels)
    for outcome in queue.outcomes { summary.add(outcome) }
    if let reason = queue.reasonToStop { throw reason }
    try tellOutOfView(context)
    try cleanUp(context, &summary)
  }

  /// On every run, until the messages are shown again or a person lets them go.
  private func tellOutOfView(_ context: AccountContext) throws {
    for problem in try SyncError.outOfView(in: context.state, folders: account.sync.folders)
    where options.choose(problem.mailbox.mailboxName) {
      context.note(RunProblem(problem.error, mailbox: problem.mailbox.name))
    }
  }

  /// A list that is out of date by the time it is read is asked for again, on a new connection. Some servers list what
  /// is not there: after a few tries that mailbox alone is told.
  private func planned(_ context: AccountContext) throws -> (IMAPSession, MailboxPlanning.Plan) {
    var attempt = 1
    var broken: [MailboxName: String] = [:]
    while true {
      let (session, listings) = try factory.openListed(context)
      do {
        try context.settleRename(listings)
        context.serverCountsWrong = session.quirks.contains(.wrongSizes)
        context.viewIsPartial = session.quirks.contains(.partialView)
        observer.entered(.folders, account: account.name)
        let planning = MailboxPlanning(
          context: context, settings: account.sync, options: options, mayBeStale: attempt < 3,
          broken: broken)
        return (session, try planning.plan(session, listings))
      } catch is MailboxPlanning.StaleList {
        session.close()
        attempt += 1
      } catch let failure as MailboxPlanning.ConnectionBroken {
        session.close()
        broken[failure.name] = failure.reason
      } catch {
        session.close()
        throw error
      }
    }
  }

  private func work(
    _ queue: PullQueue, _ context: AccountContext, _ session: IMAPSession, _ labels: LabelPolicy
  ) {
    guard queue.jobsExpected > 0 else { return session.logout() }
    let worker = ConnectionWorker(
      context: context, queue: queue, factory: factory, labels: labels,
      schedule: RetrySchedule(environment: environment), environment: environment)
    let helpers = DispatchGroup()
    let wanted = session.quirks.contains(.oneConnection) ? 1 : account.imap.connections
    for _ in 0..<min(wanted, queue.jobsExpected) - 1 {
      helpers.enter()
      let thread = Thread {
        worker.work(nil)
        helpers.leave()
      }
      thread.stackSize = 1 << 20
      thread.start()
    }
    // A failure shows in `isUsable`: the worker connects anew.
    try? factory.compress(session, environment: environment)
    worker.work(session)
    helpers.wait()
  }

  /// Files of messages that the server expunged, or the window left behind, go now that everything new is here.
  private func cleanUp(_ context: AccountContext, _ summary: inout PullSummary) throws {
    let expunged = try context.state.mailboxesWithExpunged()
    let unapplied = try context.state.mailboxesWithUnapplied()
    var isThrough = true
    for record in try context.state.mailboxes() {
      let id = record.id ?? 0
      let start = record.prunableBefore
      guard expunged.contains(id) || unapplied.contains(id) || start != nil,
        !context.unsettled.contains(id)
      else { continue }
      var outcome = MailboxOutcome(mailbox: record.name)
      var hasCleanedUp = false
      try context.sparing(record.name) {
        if let cleanup = try AccountCleanup(context: context, mailbox: record) {
          if unapplied.contains(id) { outcome.changed = try cleanup.applyAgain() }
          if expunged.contains(id) { outcome.gone = try cleanup.unlinkExpunged() }
          if let start { outcome.pruned = try cleanup.prune(before: start) }
        }
        hasCleanedUp = true
      }
      isThrough = isThrough && hasCleanedUp
      summary.add(outcome)
    }
    try joinCarriedFiles(context)
    // What could not be held against the new messages is held against them by the next run.
    guard try isThrough && !context.missesMailboxes && context.state.hasArrivals() else { return }
    try context.state.settleArrivals(Fact.wholePull, String(context.started))
    context.noteChange()
  }

  private func joinCarriedFiles(_ context: AccountContext) throws {
    guard let carried = context.carriedIfRead, !carried.unnamed.isEmpty, !context.isRehearsal else {
      return
    }
    for record in try context.state.mailboxes() where !record.isGone {
      try AccountCleanup(context: context, mailbox: record)?.join(carried)
    }
  }

  // MARK: Beginning and end

  /// A run that changed nothing writes nothing (promise 10).
  private func close(
    _ context: AccountContext, _ witness: TreeWitness, _ summary: inout PullSummary, _ begun: Date,
    failure: (any Error)? = nil
  ) throws {
    for problem in context.takeProblems() { summary.add(problem) }
    let state = context.state
    let isWhole = failure == nil && options.mailboxes.isEmpty && summary.exitStatus == 0
    let adopted = context.adoptsNewMailboxes && isWhole
    guard context.hasChangedState || adopted else { return }
    if adopted { try state.removeFact(Fact.adoptsNewMailboxes) }
    summary.seconds = Date().timeIntervalSince(begun)
    var told = summary
    if let failure { told.add(RunProblem(failure)) }
    try context.recordRun(
      kind: "pull", exitStatus: told.exitStatus,
      summary: String(decoding: try JSONEncoder().encode(told), as: UTF8.self),
      durable: account.sync.fsync, witness: witness, root: root, path: path)
  }
}
