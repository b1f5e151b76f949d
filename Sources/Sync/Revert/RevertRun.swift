import Foundation
import Ledger
import LocalChanges
import MailCore
import Maildir
import Settings
import State
import SyncPlan

/// One revert, once the account is open: asks no server. Blocks.
///
/// Whatever interrupts it, nothing that it did counts as a deletion: what is to be downloaded again is forgotten in the
/// state, and an edited file is set aside only when the state knows that it will be. The next revert finds what is left.
struct RevertRun {
  let run: AccountRun
  let options: RevertOptions
  let context: AccountContext
  /// Marks, moves and sets files aside.
  let carryOut: (RevertPlan) throws -> RevertedFiles
  /// Folders, then files; more where a mail reader is at work.
  private static let rounds = 4

  private var state: StateStore { context.state }
  private var awaited: AwaitedMessages { AwaitedMessages(context: context) }

  func revert(_ summary: inout RevertSummary) throws {
    try FolderRelocations(context).finish()
    if try state.renameUnderWay() != nil { throw PushError.foldersMoving }
    try awaited.finish()
    var plan = try plan()
    var rounds = Self.rounds
    while !plan.isEmpty, rounds > 0 {
      try context.checkInterrupt()
      try carryOut(plan, &summary)
      plan = try self.plan()
      rounds -= 1
    }
    for (mailbox, messages) in Dictionary(grouping: plan.savedAnew, by: \.mailbox) {
      try awaited.release(messages.map(\.uid), mailbox)
    }
    for action in plan.keptActions { summary.add(action) }
    tellLeft(plan)
    // What an earlier run was to bring, and was cut off.
    let unfinished = plan.chosen.compactMap { plan.mailboxes[$0] }.filter {
      $0.isDirty && !$0.needsAdoption && $0.hasWholeHistory
        && run.account.sync.folders.matches($0.mailboxName)
    }
    summary.awaited.formUnion(unfinished.map(\.name))
  }

  private func plan() throws -> RevertPlan {
    let survey = try PushSurvey(
      account: run.account, tree: context.tree, state: state, policy: context.policy,
      options: PushOptions(full: true), environment: run.environment,
      checkInterrupt: { try context.checkInterrupt() })
    let leftOut = try survey.leftOut(
      run.account, context.tree, state, comparesAll: true,
      checkInterrupt: { try context.checkInterrupt() })
    return try RevertPlan(survey, leftOut, state, options, context.policy)
  }

  private func tellLeft(_ plan: RevertPlan) {
    for problem in plan.problems { context.note(problem) }
    let left = plan.actions.filter { !$0.kind.isKept }
    for action in left {
      context.note(
        RunProblem(
          mailbox: action.mailbox,
          problem: "\(Quantities.count(action.count, "change")) could not be given up.",
          remedy: "Run `mirror revert` again."))
    }
  }

  // MARK: Doing

  private func carryOut(_ plan: RevertPlan, _ summary: inout RevertSummary) throws {
    if try renameBack(plan, &summary) { return }
    for move in plan.moves { try makeHome(move.from, plan) }
    let edits = Dictionary(grouping: plan.edits, by: \.mailbox)
    for (mailbox, edits) in edits { try awaited.begin(edits.map(\.record.uid), mailbox) }
    let files = try carryOut(plan)
    for action in files.actions { summary.add(action) }
    for problem in files.problems { context.note(problem) }
    var wanted = Dictionary(grouping: plan.gone, by: \.mailbox).mapValues { $0.map(\.record.uid) }
    for (mailbox, edits) in edits { wanted[mailbox, default: []] += try setAside(edits, mailbox) }
    for (mailbox, uids) in wanted { try awaited.forget(uids, mailbox) }
    try awaited.releaseThoseHere()
    for (mailbox, messages) in Dictionary(grouping: plan.gone, by: \.mailbox) {
      summary.add(
        RevertAction(.restore, mailbox: plan.name(mailbox), count: messages.count))
    }
    summary.awaited.formUnion(wanted.filter { !$0.value.isEmpty }.keys.map { plan.name($0) })
  }

  /// - Returns: whether the tree is another one now.
  private func renameBack(_ plan: RevertPlan, _ summary: inout RevertSummary) throws -> Bool {
    var isDone = false
    for folder in plan.folders {
      guard let record = plan.mailboxes[folder.mailbox] else { continue }
      do throws(MaildirError) {
        try context.folders.rename(folder.folder, to: record.folder)
        summary.add(
          RevertAction(.rename, mailbox: record.name, detail: folder.folder.text))
        isDone = true
      } catch {
        if error.stopsRun { throw error }
        // Else it went with the one above it, or its files are moved one by one.
      }
    }
    return isDone
  }

  private func makeHome(_ mailbox: MailboxKey, _ plan: RevertPlan) throws {
    guard let record = plan.mailboxes[mailbox], try !context.folders.holds(record.folder)
    else { return }
    _ = try context.folders.make(of: record)
  }

  /// Those whose files are in their folder no longer.
  private func setAside(_ edits: [EditedMessage], _ mailbox: MailboxKey) throws -> [UID] {
    guard let folder = try context.folders.local(ofMailbox: mailbox) else {
      return edits.map(\.record.uid)
    }
    return try edits.filter {
      try folder.locate($0.record.name, lastFlags: $0.file.marks.flags) == nil
    }.map(\.record.uid)
  }
}

extension RevertPlan {
  init(
    _ survey: PushSurvey, _ leftOut: LeftOutChanges, _ state: StateStore, _ options: RevertOptions,
    _ policy: MaildirPolicy
  ) throws {
    let mailboxes = try state.mailboxes()
    let chosen = mailboxes.filter { !$0.isGone && options.choose($0.mailboxName) }
    for wanted in options.mailboxes
    where !chosen.contains(where: { FolderPatterns.pattern(wanted, matches: $0.mailboxName) }) {
      throw SyncError.noSuchMailbox(
        wanted, nearest: mailboxes.map(\.name).filter { $0.nearlyEquals(wanted) })
    }
    let scope = options.mailboxes.isEmpty ? nil : Set(chosen.map(\.id))
    var changes = survey.changes
    // No pull brings anything there.
    let shut = Set(mailboxes.filter(\.keepsNothing).map(\.id))
    changes.gone.removeAll { shut.contains($0.mailbox) }
    self.init(
      changes, mailboxes, in: scope, steps: try state.pushSteps(),
      copies: survey.plan.uploads.filter { $0.source != nil }.map(\.file),
      kept: survey.plan.outsideWindow.filter { $0.content == .same }.map(\.file),
      keywordsAreLetters: policy.keywords == .dovecot)
    self.chosen = Set(chosen.map(\.id))
    let unread = survey.folderNotes
    problems = unread + unmatched(chosen) + (survey.changes.isRaced ? [Self.raced] : [])
    problems += leftOut.problems { self.chosen.contains($0.id) }
    if !underWay.isEmpty { problems.append(interrupted) }
    if !notShown.isEmpty { problems.append(outOfView) }
    if !savedAnew.isEmpty { problems.append(underAnotherName) }
  }

  private static let raced = RunProblem(
    problem: "Mail readers changed the tree all the while: moves and deletions were left.",
    remedy: "Run `mirror revert` again when they rest.")

  private func unmatched(_ chosen: [MailboxRecord]) -> [RunProblem] {
    chosen.filter(\.needsAdoption).map {
      RunProblem(
        mailbox: $0.name, problem: "This mailbox has to be matched with the server first.",
        remedy: "Run `mirror pull`, then revert again.")
    }
  }

  private var interrupted: RunProblem {
    let messages = Quantities.count(underWay.count, "message")
    return RunProblem(
      problem:
        "A push was interrupted, and may have been carried out: what it had under way (\(messages)) was left.",
      remedy: "Run `mirror pull`, which finds out, then revert again.")
  }

  private var underAnotherName: RunProblem {
    RunProblem(
      problem:
        "\(Quantities.count(savedAnew.count, "message")) edited here and saved under another name: what the "
        + "server has is not brought back while the new file is there.",
      remedy: "Move the new file out of the tree, then revert again; or push it.")
  }

  private var outOfView: RunProblem {
    RunProblem(
      problem:
        "\(Quantities.count(notShown.count, "message")) deleted here cannot be brought back: the server does "
        + "not show what it had.",
      remedy: "`mirror undo` may have it; else wait until the server shows it again.")
  }
}
