import Ledger
import LocalChanges
import MailCore
import Maildir
import State
import SyncPlan

/// Dry runs that need no server.
extension AccountRun {
  /// What a push would do, by the tree and the state alone: no server is asked, no lock taken, nothing written.
  func rehearse(_ options: PushOptions, _ summary: inout PushSummary) throws {
    try witness.checkMount(path: path, root: root)
    let survey = try PushSurvey(
      account: account, root: root, options: options, environment: environment)
    for problem in survey.problems { summary.add(problem) }
    for action in survey.actions { summary.add(action) }
  }

  /// What a fill would fetch, by the state alone; of its reverse, what is large enough.
  func rehearse(_ options: FillOptions, _ summary: inout FillSummary) throws {
    try witness.checkMount(path: path, root: root)
    let state = try StateStore(
      path: path + "/.mirror/state.db", durable: false, readOnly: true)
    defer { state.shut() }
    let limit = account.sync.onDemand
    if options.direction == .stub, limit == nil { throw OnDemandError.isOff }
    for message in try FillRun.chosen(options, state) {
      if options.direction == .stub, message.record.serverSize <= limit ?? 0 { continue }
      summary.messages += 1
      summary.bytes += message.record.serverSize
    }
  }

  /// The same of a revert.
  func rehearse(_ options: RevertOptions, _ summary: inout RevertSummary) throws {
    try witness.checkMount(path: path, root: root)
    let survey = try PushSurvey(
      account: account, root: root, options: PushOptions(full: true),
      environment: environment, foresees: false)
    let state = try StateStore(
      path: path + "/.mirror/state.db", durable: false, readOnly: true)
    defer { state.shut() }
    if try state.renameUnderWay() != nil { throw PushError.foldersMoving }
    let tree = try AccountTree.openExisting(path: path)
    let leftOut = try survey.leftOut(account, tree, state, comparesAll: true)
    let plan = try RevertPlan(survey, leftOut, state, options, MaildirPolicy(account.sync))
    for problem in plan.problems { summary.add(problem) }
    for action in plan.actions { summary.add(action) }
  }
}
