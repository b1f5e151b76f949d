import Foundation
import IMAPClient
import IMAPWire
import Ledger
import MailCore
import Remote
import State
import SyncPlan

/// Finding, planning and doing, again and again where the connection is lost: what the server confirmed is in the
/// state, so a new beginning repeats nothing.
struct PushRun {
  let run: AccountRun
  let options: PushOptions
  let context: AccountContext
  let advice: SentCopyAdvice

  /// - Parameter wasLostInFlight: some servers, or what stands before them, may hang up on many commands at once.
  func push(_ summary: inout PushSummary, _ wasLostInFlight: inout Bool) throws {
    try HeldFiles(options.sending, in: context).tellUnsent()
    let schedule = run.schedule
    let cut = CutMailboxes()
    var leftOut = 0
    try schedule.repeating(in: context) {
      var actions: [PushAction] = []
      var bytes: Int64 = 0
      schedule.forgive(2 * (cut.leftOut.count - leftOut))
      leftOut = cut.leftOut.count
      defer {
        for action in actions { summary.add(action) }
        summary.bytes += bytes
        if !actions.isEmpty { schedule.succeeded() }
      }
      try once(&actions, &bytes, &wasLostInFlight, cut)
    }
  }

  private func once(
    _ actions: inout [PushAction], _ bytes: inout Int64, _ wasLostInFlight: inout Bool,
    _ cut: CutMailboxes
  ) throws {
    let state = context.state
    try FolderRelocations(context).finish()
    let known = try state.mailboxes()
    guard !known.isEmpty else { throw PushError.neverPulled }
    guard known.contains(where: { !$0.needsAdoption }) else { throw PushError.needsPull }
    try AwaitedMessages(context: context).releaseThoseHere()
    let isUnderWay = try state.hasPushSteps()
    let prefix = try NamePrefix(state)
    let isRenaming = try state.renameUnderWay() != nil
    var survey = try look(nil)
    try forgetOutdatedScans(survey.changes)
    var work = try savedCopies(in: survey)
    let held = try HeldFiles(options.sending, in: context)
    if work.isQuiet && !isUnderWay && !isRenaming && held.isEmpty {
      try finish(survey, &actions)
      // A plan with nothing for the server may still have something to write down.
      if !work.plan.isEmpty { try noteLocally(work.plan) }
      return
    }
    context.observer.entered(.connecting, account: context.account)
    let (session, listings) = try run.factory.openListed(context)
    var isAtEnd = false
    defer { if !isAtEnd { session.close() } }
    context.serverCountsWrong = session.quirks.contains(.wrongSizes)
    // Flags alone are sent sooner than the server agrees to compress them.
    if isUnderWay || !work.isOfMarksAlone {
      try? run.factory.compress(session, environment: run.environment)
    }
    context.observer.entered(.folders, account: context.account)
    let executor = try executor(
      session, listings, isListFresh: !isUnderWay && !wasLostInFlight, cut)
    defer {
      actions += executor.report.actions
      bytes += executor.report.bytesSent
      wasLostInFlight = wasLostInFlight || executor.isFlying
    }
    let hasSettled = try executor.finishRename()
    if isUnderWay { try executor.recovery.run() }
    // The first plan was made before the server was asked: with what the last list showed.
    let hasNewRoles = try executor.known.updateRoles() || executor.known.roles != survey.roles
    let hasReleased = try held.release(executor.desk)
    if try hasSettled || isUnderWay || hasReleased || hasNewRoles || prefix != NamePrefix(state) {
      survey = try look(executor)
      work = try savedCopies(in: survey)
    }
    var rounds = PushSurvey.folderRounds
    while try rounds > 0 && executor.carryOutFolders(survey.plan) {
      try executor.known.readRecords()
      _ = try executor.known.updateRoles()
      survey = try look(executor)
      work = try savedCopies(in: survey)
      rounds -= 1
    }
    context.observer.entered(.bodies, account: context.account)
    try executor.carryOut(work)
    try finish(survey, &actions)
    isAtEnd = true
    run.factory.end(session)
  }

  private func executor(
    _ session: IMAPSession, _ listings: [MailboxListing], isListFresh: Bool, _ cut: CutMailboxes
  ) throws -> PushExecutor {
    let desk = try PushDesk(
      context: context, session: session, listings: listings,
      folders: run.account.sync.folders,
      delays: RetrySchedule.delays(run.environment), triesAgain: options.full, cut: cut)
    return PushExecutor(desk: desk, advice: advice, isListFresh: isListFresh)
  }

  private func look(_ executor: PushExecutor?) throws -> PushSurvey {
    let survey = try PushSurvey(
      account: run.account, tree: context.tree, state: context.state, policy: context.policy,
      options: options, roles: executor?.known.roles, remembers: true,
      environment: run.environment,
      checkInterrupt: { try context.checkInterrupt() })
    // Before the server is asked: it may not be there, and a pull may come next.
    try survey.noteHolds(context)
    return survey
  }

  private func savedCopies(in survey: PushSurvey) throws -> SavedCopies {
    try SavedCopies(in: survey.plan, sent: survey.roles.sent, advice: advice, context)
  }

  /// A plan with nothing for the server may still have something to write down.
  private func noteLocally(_ plan: PushPlan) throws {
    try PlanRecords(context: context).write(plan)
  }

  /// The word was said, and heeded as far as the server went along: what counts from now on is what comes.
  private func forgetHoldsCarriedOut() throws {
    let state = context.state
    if try !state.carriedDeletions(since: 0).isEmpty {
      try state.transaction { try $0.forgetCarriedDeletions() }
      context.noteChange()
    }
    for var hold in try state.deletionHolds() {
      guard let uids = hold.uids else { continue }
      let left = UIDSet(
        try uids.uids.filter { uid in
          guard let record = try state.message(in: hold.mailbox, uid) else { return false }
          return !record.isPruned && !record.traits.contains(.expunged)
        })
      guard left != uids else { continue }
      hold.uids = left
      try state.transaction { transaction in
        if left.isEmpty {
          try transaction.removeHold(of: hold.mailbox)
        } else {
          try transaction.put(hold, at: context.started)
        }
      }
      context.noteChange()
    }
  }

  /// What waits goes on being found, whatever becomes of this run.
  private func forgetOutdatedScans(_ changes: TreeChanges) throws {
    guard !changes.outdatedScans.isEmpty else { return }
    try context.state.transaction { transaction in
      for mailbox in changes.outdatedScans { try transaction.removeScan(of: mailbox) }
    }
  }

  /// What was left undone is told; folders with nothing pending are passed over next time.
  private func finish(_ survey: PushSurvey, _ actions: inout [PushAction]) throws {
    for problem in survey.problems { context.note(problem) }
    actions += survey.unfinished
    if options.allowsMassDelete { try forgetHoldsCarriedOut() }
    try survey.noteEdits(context)
    // The scan itself is no reason to write (promise 10), unless it was a long one.
    let changes = survey.changes
    guard context.hasChangedState || survey.filesRead > 2000,
      !changes.scans.isEmpty || !changes.newIdentities.isEmpty
    else { return }
    try context.state.transaction { transaction in
      for scan in changes.scans { try transaction.put(scan) }
      // Of others the word was given to let go of what they lack.
      for (mailbox, identity) in changes.newIdentities
      where options.allowsMassDelete || !changes.replacedFolders.contains(mailbox) {
        try transaction.setFolderIdentity(identity.rawValue, of: mailbox)
      }
    }
  }
}
