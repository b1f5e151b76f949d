import Foundation
import Ledger
import LocalChanges
import MailCore
import Maildir
import Remote
import State
import SyncPlan

/// One account that this process has to itself. The first run opens it: lock, tree and state; the others find it open,
/// until ``release()`` or ``close()``. What only concerns one run (its list of mailboxes, its problems) is its
/// ``AccountContext``'s.
///
/// Blocks; belongs to the thread that made it, which is also the first connection's.
package final class AccountSession {
  package let run: AccountRun
  private let held: HeldAccount
  private var backup: StateBackup
  /// The last push lost its connection while many commands were under way.
  private var wasLostInFlight = false
  /// Content hashes of what pushes moved to Trash; until a pull has looked at all mailboxes.
  private var trashed: Set<ContentHash> = []

  /// The state was damaged and is set aside: a second attempt rebuilds it.
  private struct StateSetAside: Error {}

  package init(_ run: AccountRun) {
    self.run = run
    held = HeldAccount(run)
    backup = StateBackup(interval: run.backUpInterval)
  }

  /// Lets other processes have the account until the next run, and keeps nothing but connections: another run may write
  /// the state, put its backup in its place or make it anew, and the tree may be moved away or unmounted. To open both
  /// once more is a matter of a few system calls and a page or two of the database, far less than one round trip.
  package func release() { held.release() }

  /// Lets go of the account and of all that was open for it. The session is over: a backup that waited is made now.
  package func close() {
    letGo()
    // Whoever else is at work there makes one.
    try? backup.writeIfPutOff(account: run.path, durable: run.account.sync.fsync)
  }

  private func letGo() {
    release()
    run.factory.kept?.closeAll()
  }

  /// Logs out connections that have waited long enough for a run.
  ///
  /// - Returns: when it is to be called next; nil where none waits.
  package func closeIdleConnections() -> ContinuousClock.Instant? {
    run.factory.kept?.closeIdle()
  }

  /// The machine slept, or its network is another one: what waits is not worth a try.
  package func closeWaitingConnections() { run.factory.kept?.closeAll() }

  /// Brings the server's changes into the tree.
  package func pull(_ options: PullOptions) -> PullSummary {
    telling(PullSummary(account: run.account.name, dryRun: options.dryRun)) { summary, begun in
      let attempt = options.dryRun ? rehearse(_:_:_:isLast:) : pull(_:_:_:isLast:)
      do {
        try attempt(options, &summary, begun, false)
      } catch is StateSetAside {
        letGo()
        try attempt(options, &summary, begun, true)
      }
    }
  }

  /// Carries the tree's changes to the server.
  ///
  /// - Parameter advice: what the send queue knows of copies in Sent.
  package func push(_ options: PushOptions, advice: SentCopyAdvice) -> PushSummary {
    telling(PushSummary(account: run.account.name, dryRun: options.dryRun)) { summary, begun in
      if options.dryRun { return try run.rehearse(options, &summary) }
      try underLock(.push, &summary, begun) { tree, summary in
        let (state, notices) = try held.state(in: tree)
        let context = try context(tree, state, begun)
        for notice in notices { context.note(notice) }
        defer { trashed.formUnion(context.trashed) }
        try recorded(.push, context, &summary, begun) { summary in
          try PushRun(run: run, options: options, context: context, advice: advice)
            .push(&summary, &wasLostInFlight)
          wasLostInFlight = false
        }
      }
    }
  }

  /// Gives up what was changed in the tree and not pushed.
  ///
  /// - Parameter carryOut: marks, moves and sets aside files.
  package func revert(
    _ options: RevertOptions, carryOut: (RevertPlan) throws -> RevertedFiles
  ) -> RevertSummary {
    withoutActuallyEscaping(carryOut) { carryOut in
      telling(RevertSummary(account: run.account.name, dryRun: options.dryRun)) { summary, begun in
        if options.dryRun { return try run.rehearse(options, &summary) }
        try underLock(.revert, &summary, begun) { tree, summary in
          let (state, notices) = try held.state(in: tree)
          let context = try context(tree, state, begun)
          for notice in notices { context.note(notice) }
          try recorded(.revert, context, &summary, begun) { summary in
            try RevertRun(run: run, options: options, context: context, carryOut: carryOut)
              .revert(&summary)
          }
        }
      }
    }
  }

  /// Makes stubs whole, or whole messages stubs.
  package func fill(_ options: FillOptions) -> FillSummary {
    let empty = FillSummary(account: run.account.name, dryRun: options.dryRun)
    return telling(empty) { summary, begun in
      if options.dryRun { return try run.rehearse(options, &summary) }
      let kind: RunKind = options.direction == .fill ? .fill : .stub
      try underLock(kind, &summary, begun) { tree, summary in
        let (state, notices) = try held.state(in: tree)
        let context = try context(tree, state, begun)
        for notice in notices { context.note(notice) }
        try recorded(kind, context, &summary, begun) { summary in
          try FillRun(run: run, options: options, context: context).fill(&summary)
          var outcome = OnDemandWork.Outcome()
          if options.direction == .fill {
            try CacheKeeping(run: run, context: context).run(&outcome)
          }
        }
      }
    }
  }

  // MARK: Beginnings

  private func pull(
    _ options: PullOptions, _ summary: inout PullSummary, _ begun: Date, isLast: Bool
  ) throws {
    let isWhole = options.mailboxes.isEmpty && options.hinted.isEmpty
    try underLock(.pull, &summary, begun, isWholePull: isWhole) { tree, summary in
      let (state, notices) = try held.state(in: tree)
      let leavesWord = !options.isOfWatch && run.witness.isWatched
      let context = try context(
        tree, state, begun, allowsMassDelete: options.allowsMassDelete,
        tellsArrivals: options.tellsArrivals || leavesWord)
      try context.policy.keywords.checkKept(in: state)
      for notice in notices { context.note(notice) }
      try recorded(.pull, context, &summary, begun, rebuilds: !isLast) { summary in
        defer {
          summary.leavesPush = context.leavesPush
          if leavesWord { run.witness.noteArrivals(summary.arrivals) }
        }
        try PullRun(run: run, options: options, context: context).pull(&summary)
        for problem in context.takeProblems() { summary.add(problem) }
        if options.hinted.isEmpty, options.mailboxes.isEmpty, summary.exitStatus == 0 {
          trashed = []
        }
        // Mailboxes that were not opened yet stay to be matched, each by its own record.
        let folders = run.account.sync.folders
        if context.adoptsNewMailboxes, try context.hasLookedIntoAll(of: folders, butClosed: true) {
          try state.changeAccount { $0.adoptsNewMailboxes = false }
          context.noteChange()
        }
      }
    }
  }

  /// Goes through all of it on a copy of the state, and without a lock: nothing on disk changes, and no message is
  /// asked for but the headers and identities by which it might be recognised.
  private func rehearse(
    _ options: PullOptions, _ summary: inout PullSummary, _ begun: Date, isLast: Bool
  ) throws {
    try run.witness.checkMount(path: run.path, root: run.root)
    let tree = try AccountTree.forReading(path: run.path)
    if tree.isControlled { try tree.checkWritable() }
    let opened = try StateOpening(tree: tree, witness: run.witness, durable: false)
      .rehearse(withoutState: isLast)
    defer { opened.store.shut() }
    let context = try context(
      tree, opened.store, begun, isRehearsal: true, allowsMassDelete: options.allowsMassDelete)
    try context.policy.keywords.checkKept(in: opened.store)
    for notice in opened.notices { context.note(notice) }
    defer { for problem in context.takeProblems() { summary.add(problem) } }
    do {
      try PullRun(run: run, options: options, context: context).pull(&summary)
    } catch StateError.damaged(let words) where !isLast {
      context.note(RunProblem(StateError.damaged(words)))
      summary = PullSummary(account: run.account.name, dryRun: true)
      throw StateSetAside()
    }
  }

  private func context(
    _ tree: AccountTree, _ state: StateStore, _ begun: Date, isRehearsal: Bool = false,
    allowsMassDelete: Bool = false, tellsArrivals: Bool = false
  ) throws -> AccountContext {
    try AccountContext(
      account: run.account.name, tree: tree, policy: MaildirPolicy(run.account.sync),
      mirrored: run.account.sync.folders, state: state, observer: run.observer,
      interrupt: run.interrupt,
      patience: RetrySchedule.delays(run.environment, otherwise: [1, 2, 3]),
      longestLag: RetrySchedule.longestLag(run.environment),
      batchLimits: BatchLimits(run.environment),
      started: Int64(begun.timeIntervalSince1970), isRehearsal: isRehearsal,
      allowsMassDelete: allowsMassDelete, tellsArrivals: tellsArrivals, trashedBefore: trashed,
      onDemand: run.account.sync.onDemand)
  }

  // MARK: What every run has around it

  /// What ends the run is told, and closes the account.
  private func telling<Summary: RunSummary>(
    _ empty: Summary, _ work: (inout Summary, Date) throws -> Void
  ) -> Summary {
    let begun = Date()
    var summary = empty
    do {
      try work(&summary, begun)
    } catch {
      letGo()
      let problem = RunProblem(error)
      let failure = error as? any ReachingFailure
      summary.isLogInRefused = failure?.isLogInRefused ?? false
      summary.isCrowded = failure?.isCrowded ?? false
      // A password command may have failed, or a person put things right by the next run.
      if problem.exitStatus == ExitStatus.refused.rawValue { run.factory.credentials.renew() }
      run.observer.noticed(problem, account: summary.account)
      summary.add(problem)
    }
    summary.seconds = Date().timeIntervalSince(begun)
    run.observer.entered(.idle, account: summary.account)
    return summary
  }

  /// The lock's words tell which run is at work, and how it ended.
  private func underLock<Summary: RunSummary>(
    _ kind: RunKind, _ summary: inout Summary, _ begun: Date, isWholePull: Bool = false,
    _ work: (AccountTree, inout Summary) throws -> Void
  ) throws {
    let (tree, lock) = try held.lock(
      kind, since: begun.formatted(.iso8601), isWholePull: isWholePull)
    do {
      try tree.checkWritable()
      try work(tree, &summary)
      lock.noteEnd(exitStatus: summary.exitStatus)
    } catch let error where !(error is StateSetAside) {
      lock.noteEnd(exitStatus: summary.with(error).exitStatus)
      throw error
    }
  }

  /// Does the work, and leaves a record of it, also where it fails.
  ///
  /// - Parameter rebuilds: a state that turns out to be damaged is set aside, and ``StateSetAside`` thrown.
  private func recorded<Summary: RunSummary>(
    _ kind: RunKind, _ context: AccountContext, _ summary: inout Summary, _ begun: Date,
    rebuilds: Bool = false, _ work: (inout Summary) throws -> Void
  ) throws {
    do {
      try work(&summary)
      try record(kind, context, &summary, begun)
    } catch StateError.damaged(let words) where rebuilds {
      // Torn in a place that only now was read: rebuilt, once.
      context.state.shut()
      StateStore.setAside(context.tree.control.path + "/state.db")
      context.note(RunProblem(StateError.damaged(words)))
      for problem in context.takeProblems() { summary.add(problem) }
      throw StateSetAside()
    } catch {
      try? record(kind, context, &summary, begun, failure: error)
      throw error
    }
  }

  /// The end of a run that changed the state: its record, the backup, and what this machine remembers of the tree. One
  /// that changed nothing writes nothing (promise 10).
  private func record<Summary: RunSummary>(
    _ kind: RunKind, _ context: AccountContext, _ summary: inout Summary, _ begun: Date,
    failure: (any Error)? = nil
  ) throws {
    for problem in context.takeProblems() { summary.add(problem) }
    guard context.hasChangedState else {
      return try backup.follow(context, durable: run.account.sync.fsync)
    }
    summary.seconds = Date().timeIntervalSince(begun)
    let told = summary.with(failure)
    let words = String(decoding: try JSONEncoder().encode(told), as: UTF8.self)
    let state = context.state
    let runs = try state.account().runs + 1
    try state.changeAccount { $0.runs = runs }
    try context.policy.keywords.remember(in: state)
    if let server = context.server { try state.changeAccount { $0.server = server.text } }
    try state.append(
      RunRecord(
        kind: kind.rawValue, started: context.started,
        ended: Int64(Date().timeIntervalSince1970), exitStatus: told.exitStatus, summary: words))
    try backup.follow(context, durable: run.account.sync.fsync)
    guard let device = TreeWitness.device(of: run.root) else { return }
    run.witness.write(
      TreeWitness.Record(
        runs: runs, device: device, accountDevice: TreeWitness.device(of: run.path)))
  }
}
