import CLISupport
import MailCore
import Sync
import SyncPlan
import Synchronization
import Transport

/// Turns what a run says into progress, messages and, with `jsonl`, events.
final class RunReporter: RunObserver {
  private let report: Report
  private let board: ProgressBoard?
  private let writesEvents: Bool
  private let recordsRuns: Bool
  private let told = Mutex<Set<String>>([])
  private let lastEvent = Mutex<[String: Double]>([:])

  /// - Parameters:
  ///   - isForced: `--progress`: also where standard error is no terminal.
  ///   - recordsRuns: each run's end is a line of `jsonl`; false where it is half of one.
  init(report: Report, isForced: Bool, recordsRuns: Bool = true) {
    self.report = report
    self.recordsRuns = recordsRuns
    writesEvents = isForced && report.format == .jsonl
    let isTerminal = report.console.errorsAreTerminal
    let isWanted = (isTerminal || isForced) && !report.isQuiet && !writesEvents
    board =
      isWanted
      ? ProgressBoard(
        console: report.console, style: isTerminal ? .panel : .lines, now: Self.steadySeconds)
      : nil
  }

  func entered(_ stage: RunStage, account: String) {
    board?.entered(stage.rawValue, account: account)
    guard writesEvents else { return }
    try? report.record(StageEvent(account: account, stage: stage))
  }

  /// Tells of a stage that all accounts enter together, when their runs are over.
  func entered(_ stage: RunStage, together accounts: [String]) {
    guard writesEvents else { return }
    for account in accounts { try? report.record(StageEvent(account: account, stage: stage)) }
  }

  func progressed(_ progress: MailboxProgress, account: String) {
    board?.progressed(
      account: account, mailbox: progress.mailbox, messages: progress.messages,
      expected: progress.messagesExpected, bytes: progress.bytes)
    guard writesEvents, isDue(account + "/" + progress.mailbox, progress) else { return }
    try? report.record(ProgressEvent(account: account, progress: progress))
  }

  func noticed(_ problem: RunProblem, account: String) { tell(problem, account: account) }

  /// Prints a problem, unless the run has told it already.
  func tell(_ problem: RunProblem, account: String) {
    let place = [account, problem.mailbox].compactMap { $0 }.joined(separator: "/")
    let subject = problem.uid.map { "\(place), UID \($0)" } ?? place
    let key = "\(subject)\0\(problem.problem)"
    guard told.withLock({ $0.insert(key).inserted }) else { return }
    if problem.exitStatus == 0 {
      let remedy = problem.remedy.map { " " + $0 } ?? ""
      report.notice(subject, problem.problem + remedy)
    } else {
      report.problem(subject, problem.problem, remedy: problem.remedy)
    }
  }

  /// The account's run is over: what was not told yet, and its line.
  func ended(_ summary: PullSummary) {
    board?.left(account: summary.account)
    for problem in summary.problems { tell(problem, account: summary.account) }
    if summary.dryRun || report.verbosity > 0 {
      for outcome in summary.mailboxes {
        report.line(SummaryLine.text(outcome, account: summary.account))
      }
    }
    report.line(SummaryLine.text(summary))
    if recordsRuns { try? report.record(RunEvent(.pulled, summary)) }
  }

  func ended(_ whole: WholePush.Summary) {
    let summary = whole.tree
    board?.left(account: summary.account)
    for problem in summary.problems { tell(problem, account: summary.account) }
    if summary.dryRun || report.verbosity > 0 {
      for action in summary.actions {
        report.line(PushText.text(action, account: summary.account))
      }
    }
    report.line(PushText.text(summary))
    if recordsRuns { try? report.record(RunEvent(.pushed, whole, sent: summary.uploaded)) }
  }

  func end() { board?.end() }

  /// At most ten events a second for each mailbox, and always the last one.
  private func isDue(_ subject: String, _ progress: MailboxProgress) -> Bool {
    let now = Self.steadySeconds()
    return lastEvent.withLock { last in
      let isLast = progress.messages >= progress.messagesExpected
      guard isLast || now - (last[subject] ?? -1) >= 0.1 else { return false }
      last[subject] = now
      return true
    }
  }

  private static let start = ContinuousClock.now

  @Sendable private static func steadySeconds() -> Double {
    let elapsed = (ContinuousClock.now - start).components
    return Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18
  }
}

/// `{"account":"personal","event":"stage","stage":"folders"}`
private struct StageEvent: Encodable {
  var event = "stage"
  var account: String
  var stage: RunStage
}

/// `{"account":"personal","bytes":…,"event":"progress","mailbox":"INBOX","messages":…,"messages_expected":…}`
private struct ProgressEvent: Encodable {
  var event = "progress"
  var account: String
  var mailbox: String
  var messages: Int
  var messagesExpected: Int
  var bytes: Int64

  init(account: String, progress: MailboxProgress) {
    self.account = account
    mailbox = progress.mailbox
    messages = progress.messages
    messagesExpected = progress.messagesExpected
    bytes = progress.bytes
  }
}
