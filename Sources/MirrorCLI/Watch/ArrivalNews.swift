import CLISupport
import MailCore
import Settings
import Sync
import SyncPlan

/// Tells of the new mail of an account that is watched, one by one, and gives it to the `on-arrival` program.
struct ArrivalNews: Sendable {
  private let account: String
  private let root: String
  private let reporter: WatchReporter
  private let hook: ArrivalHook

  init(_ settings: AccountSettings, root: String, reporter: WatchReporter) {
    (account, self.root, self.reporter) = (settings.name, root, reporter)
    hook = ArrivalHook(
      account: settings.name, argv: settings.watch.onArrival, reporter: reporter)
  }

  private var path: String { root + "/" + account }

  /// Whether messages came that the queue may wait for, in Sent or All Mail; anywhere, where the server names neither.
  func mayHoldCopies(_ summary: PullSummary) -> Bool {
    guard summary.new > 0 else { return false }
    let names = OwnCopies.mailboxes(account: path)
    return summary.mailboxes.contains {
      $0.new > 0 && (names.isEmpty || names.contains($0.mailbox))
    }
  }

  /// When the files are durable and indexed. The mail is there, whatever keeps it from being told.
  func tell(_ summary: PullSummary, of run: AccountRun) {
    guard summary.mailboxes.contains(where: { !$0.arrived.isEmpty && !$0.isFirst }) else { return }
    var lines: [String] = []
    do {
      let messages = ArrivedMessages(root: root)
      let own = OwnCopies(account: path)
      try messages.forEach(of: run, summary, newsOnly: true) { message in
        guard !own.contain(message) else { return }
        try reporter.report.record(message)
        lines.append(try JSONText.encode(message, pretty: false))
      }
    } catch {
      let words = (error as? any Explained)?.explanation.problem ?? "\(error)"
      reporter.tell(
        account, "What arrived cannot be told one by one: \(words)", nil, isNotice: true)
    }
    hook.give(lines)
  }
}
