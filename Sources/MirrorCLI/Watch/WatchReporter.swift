import CLISupport
import Foundation
import MailCore
import Outbox
import Sync
import SyncPlan
import Synchronization
import WatchPlan

/// Turns what a watch does into lines: of text for a terminal or the journal, or of JSON.
///
/// Each problem of an account is reported once, until a run succeeds; one of its queue, until a send succeeds; one of the
/// copies of what was sent, until they are filed; one of the line, until it stands. What a person is advised to run again the watch does by itself, and leaves out.
final class WatchReporter: RunObserver {
  /// What goes on side by side, and well or not each for itself.
  enum Lane { case runs, queue, copies, line }

  private struct Told {
    var problems: [Lane: Set<String>] = [:]
    var state = ""
    var standing: AccountStanding?

    /// Of a refusal that another command met again, say: the rest of what it says is no news.
    nonisolated(unsafe) private static let time = /\(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\)/

    /// False where that was told, of whichever lane: a server that is away keeps runs, line and copies from their work.
    mutating func insert(_ subject: String, _ problem: String, of lane: Lane) -> Bool {
      let words = "\(subject)\0\(problem.replacing(Self.time, with: ""))"
      let isNews = !problems.values.contains { $0.contains(words) }
      problems[lane, default: []].insert(words)
      return isNews
    }
  }

  let report: Report
  private let status: WatchStatusFile
  private let told = Mutex<[String: Told]>([:])

  init(report: Report, status: WatchStatusFile) { (self.report, self.status) = (report, status) }

  // MARK: What runs say

  func entered(_ stage: RunStage, account: String) {
    // Between runs the standing tells.
    if stage != .idle { state(stage.rawValue, of: account) }
  }

  func progressed(_ progress: MailboxProgress, account: String) {}

  func noticed(_ problem: RunProblem, account: String) {
    // Who ended the watch, or moved the tree away, knows that.
    guard problem.exitStatus != ExitStatus.interrupted.rawValue else { return }
    tell(
      account, mailbox: problem.mailbox, uid: problem.uid, problem.problem,
      problem.lastingRemedy, isNotice: problem.exitStatus == 0)
  }

  func tell(
    _ account: String, mailbox: String? = nil, uid: UInt32? = nil, _ problem: String,
    _ remedy: String?, isNotice: Bool = false, of lane: Lane = .runs
  ) {
    let place = [account, mailbox].compactMap { $0 }.joined(separator: "/")
    let subject = uid.map { "\(place), UID \($0)" } ?? place
    let isNews = told.withLock { $0[account, default: Told()].insert(subject, problem, of: lane) }
    guard isNews else { return }
    if isNotice {
      report.notice(subject, problem + (remedy.map { " " + $0 } ?? ""))
    } else {
      report.problem(subject, problem, remedy: remedy)
    }
    try? report.record(
      WatchEvents.Problem(
        account: account, mailbox: mailbox, problem: problem, remedy: remedy))
  }

  /// What went wrong before is news again when it comes again.
  func wentWell(_ account: String, _ lane: Lane = .runs) {
    told.withLock { $0[account]?.problems[lane] = nil }
  }

  /// That the server lets in no run beside the line keeps the line from its work, too, soon after a run goes well.
  private func noticed(_ problems: [RunProblem], of account: String, isCrowded: Bool) {
    for problem in problems {
      noticed(problem, account: account)
      if isCrowded, problem.exitStatus == ExitStatus.unreachable.rawValue {
        told.withLock {
          _ = $0[account, default: Told()].insert(account, problem.problem, of: .line)
        }
      }
    }
  }

  // MARK: What was done

  func ended(_ summary: PullSummary) {
    noticed(summary.problems, of: summary.account, isCrowded: summary.isCrowded)
    guard summary.new + summary.changed + summary.gone > 0 || report.verbosity > 0 else { return }
    report.line(SummaryLine.text(summary))
    try? report.record(WatchEvents.Pulled(summary))
  }

  func ended(_ summary: PushSummary) {
    noticed(summary.problems, of: summary.account, isCrowded: summary.isCrowded)
    let done =
      summary.marked + summary.moved + summary.uploaded + summary.deleted + summary.folders
    guard done > 0 || report.verbosity > 0 else { return }
    report.line(PushText.text(summary))
    try? report.record(WatchEvents.Pushed(summary))
  }

  /// - Parameter lane: what the run was about: messages, or copies of them.
  func ended(_ summary: OutboxSummary, of lane: Lane) {
    let status = lane == .copies ? summary.copiesStatus : summary.sendingStatus
    if status == 0 { wentWell(summary.account, lane) }
    for problem in summary.problems where !problem.isInterruption {
      tell(
        summary.account, problem.problem, problem.lastingRemedy,
        of: problem.isOfCopies ? .copies : .queue)
    }
    guard summary.sentCount > 0 else { return }
    report.line(
      "\(summary.account): \(Quantities.count(summary.sentCount, "queued message")) sent, "
        + "\(summary.waitingCount) waiting")
    for message in summary.sent {
      try? report.record(WatchEvents.Sent(message, account: summary.account))
    }
  }

  // MARK: Standings

  /// How an account stands between runs.
  ///
  /// - Parameter now: the moment that the standing's own are counted from.
  func stands(_ standing: AccountStanding, _ account: String, now: Moment) {
    let before = told.withLock { told in
      defer { told[account, default: Told()].standing = standing }
      return told[account]?.standing
    }
    switch standing {
    case .connecting: stand("connecting", of: account)
    case .working: return
    case .listening(let way):
      if way != .poll { wentWell(account, .line) }
      stand("listening", by: way, of: account)
      if before.flatMap(Self.way) != way {
        report.line("\(account): " + Self.words(way))
      }
    case .retrying(let moment):
      let date = Date() + Double((moment - now).components.seconds)
      stand("retry-scheduled", of: account, retry: date)
    case .refused: stand("refused", of: account)
    case .misconfigured: stand("misconfigured", of: account)
    case .treeGone: stand("tree-gone", of: account)
    case .ended: stand("idle", of: account)
    }
  }

  private func stand(
    _ word: String, by way: ListeningWay? = nil, of account: String, retry: Date? = nil
  ) {
    status.state(word, by: way, retry: retry, of: account)
    state(word, by: way, of: account, retry: retry)
  }

  /// One line for the service manager.
  var overview: String {
    told.withLock { told in
      told.keys.sorted().compactMap { name in
        told[name]?.standing.map { "\(name): " + Self.short($0) }
      }.joined(separator: ", ")
    }
  }

  private static func short(_ standing: AccountStanding) -> String {
    switch standing {
    case .connecting: "connecting"
    case .working: "at work"
    case .listening(let way): "watching (\(way.rawValue.uppercased()))"
    case .retrying: "server unreachable"
    case .refused: "log-in refused"
    case .misconfigured: "configuration"
    case .treeGone: "the tree is gone"
    case .ended: "ended"
    }
  }

  static func words(_ way: ListeningWay) -> String {
    switch way {
    case .notify: "the server tells of every mailbox (NOTIFY)"
    case .idle: "the server tells of one mailbox (IDLE); the others are looked at now and then"
    case .poll: "the server tells of nothing; it is looked at now and then"
    }
  }

  private static func way(_ standing: AccountStanding) -> ListeningWay? {
    if case .listening(let way) = standing { way } else { nil }
  }

  private func state(
    _ state: String, by way: ListeningWay? = nil, of account: String, retry: Date? = nil
  ) {
    let key = [state, way?.rawValue ?? "", retry?.description ?? ""].joined(separator: " ")
    let isNew = told.withLock { told in
      defer { told[account, default: Told()].state = key }
      return told[account]?.state != key
    }
    guard isNew else { return }
    try? report.record(
      WatchEvents.State(account: account, state: state, by: way, retry: retry))
  }
}
