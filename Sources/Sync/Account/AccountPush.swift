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

/// One push of one account, from the lock to the backup. Blocks; runs on a thread of its own, which is also the
/// connection's.
struct AccountPush {
  let account: AccountSettings
  let root: String
  let options: PushOptions
  let observer: any RunObserver
  let interrupt: Interrupt
  let factory: ConnectionFactory
  let environment: [String: String]
  let advice: SentCopyAdvice

  private var path: String { root + "/" + account.name }

  func run() -> PushSummary {
    let begun = Date()
    var summary = PushSummary(account: account.name, dryRun: options.dryRun)
    do {
      if options.dryRun { try rehearse(&summary) } else { try push(&summary, begun) }
    } catch {
      let problem = RunProblem(error)
      observer.noticed(problem, account: account.name)
      summary.add(problem)
    }
    summary.seconds = Date().timeIntervalSince(begun)
    observer.entered(.idle, account: account.name)
    return summary
  }

  /// What a push would do, by the tree and the state alone: no server is asked, no lock taken, nothing written.
  private func rehearse(_ summary: inout PushSummary) throws {
    try TreeWitness(accountPath: path, environment: environment).checkMount(path: path, root: root)
    let survey = try PushSurvey(
      account: account, root: root, options: options, environment: environment)
    for problem in survey.problems { summary.add(problem) }
    for action in survey.actions { summary.add(action) }
  }

  private func push(_ summary: inout PushSummary, _ begun: Date) throws {
    let witness = TreeWitness(accountPath: path, environment: environment)
    try witness.checkMount(path: path, root: root)
    try witness.checkTree(path: path)
    guard FileManager.default.fileExists(atPath: path + "/.mirror") else {
      throw PushError.neverPulled
    }
    let tree = try AccountTree.openExisting(path: path)
    let lock = try tree.lock(program: RunLock.push, since: begun.formatted(.iso8601))
    do {
      try push(tree, witness, &summary, begun)
      lock.noteEnd(exitStatus: summary.exitStatus)
    } catch {
      lock.noteEnd(exitStatus: summary.exitStatus(with: error))
      throw error
    }
  }

  /// Under the lock.
  private func push(
    _ tree: AccountTree, _ witness: TreeWitness, _ summary: inout PushSummary, _ begun: Date
  ) throws {
    try tree.checkWritable()
    let opened = try StateOpening(
      tree: tree, witness: witness, durable: account.sync.fsync
    ).open()
    defer { opened.store.shut() }
    let context = try AccountContext(
      account: account.name, tree: tree, policy: MaildirPolicy(account.sync), state: opened.store,
      observer: observer, interrupt: interrupt, started: Int64(begun.timeIntervalSince1970))
    for notice in opened.notices { context.note(notice) }
    let work = PushRun(
      account: account, options: options, context: context, factory: factory,
      environment: environment, advice: advice)
    do {
      try work.push(&summary)
      try close(context, witness, &summary, begun)
    } catch {
      for problem in context.takeProblems() { summary.add(problem) }
      try? close(context, witness, &summary, begun, failure: error)
      throw error
    }
  }

  /// A run that changed nothing writes nothing (promise 10).
  private func close(
    _ context: AccountContext, _ witness: TreeWitness, _ summary: inout PushSummary, _ begun: Date,
    failure: (any Error)? = nil
  ) throws {
    for problem in context.takeProblems() { summary.add(problem) }
    guard context.hasChangedState else { return }
    summary.seconds = Date().timeIntervalSince(begun)
    var told = summary
    if let failure { told.add(RunProblem(failure)) }
    try context.recordRun(
      kind: "push", exitStatus: told.exitStatus,
      summary: String(decoding: try JSONEncoder().encode(told), as: UTF8.self),
      durable: account.sync.fsync, witness: witness, root: root, path: path)
  }
}
