import ArgumentParser
import CLISupport
import Foundation
import MailCore
import MailIndex
import Settings
import Sync
import SyncPlan

struct PullCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull", abstract: "Bring the server's changes into the tree.",
    discussion: """
      Without arguments all accounts are pulled, side by side. Nothing on the server is changed, \
      and no local change is overwritten. Where more than 20 messages and half of a mailbox are no longer \
      shown, or more than 200, the oldest ones, and the server did not say that they are expunged, their \
      files wait for --allow-mass-delete, or for the messages to be shown again.

      Exit status: 0 done, 1 in part, 69 server unreachable, 75 another run holds the account, \
      77 log-in refused, 78 configuration.
      """)

  @OptionGroup var common: CommonOptions

  @Argument(
    help: ArgumentHelp("An account, or one of its mailboxes.", valueName: "account[/mailbox]"))
  var selection: [String] = []

  @Option(
    help: ArgumentHelp(
      "Fetch what arrived from then on, beyond the window too, and keep it. Dates as in queries.",
      valueName: "date"))
  var since: String?

  @Flag(help: "Tell what would be done, and do nothing.")
  var dryRun = false

  @Flag(help: "Remove here however many messages the server shows no longer.")
  var allowMassDelete = false

  @Flag(help: "Leave the index as it is.")
  var noIndex = false

  @Flag(help: "Show progress also where standard error is no terminal.")
  var progress = false

  func run() async throws {
    let since = try since.map(Self.moment)
    let session = try MirrorSession(common)
    let selected = try session.configuration.select(selection)
    let reporter = RunReporter(report: session.report, isForced: progress)
    let (dryRun, allowMassDelete) = (dryRun, allowMassDelete)
    let isIndexed = !dryRun && !noIndex
    let tellsArrivals = isIndexed && session.report.format == .jsonl
    let summaries = await session.sideBySide(selected) { account in
      let run = session.run(account.settings, observer: reporter)
      let summary = await run.pull(
        PullOptions(
          mailboxes: account.mailboxes, beyond: BeyondWindow(since: since), dryRun: dryRun,
          allowsMassDelete: allowMassDelete,
          tellsArrivals: tellsArrivals))
      reporter.ended(summary)
      return summary
    }
    reporter.end()
    if isIndexed, StopSignals.received == nil {
      let accounts = selected.map(\.settings.name)
      reporter.entered(.indexing, together: accounts)
      await session.updateIndex(
        showsProgress: progress, pullTook: summaries.map(\.seconds).max())
      reporter.entered(.idle, together: accounts)
      if tellsArrivals { await Self.tellArrivals(session, selected, summaries) }
    }
    try session.report.document(summaries)
    try session.end(with: summaries.map(\.exitStatus))
  }

  private static func moment(_ text: String) throws -> Int64 {
    let now = Int64(Date().timeIntervalSince1970)
    if let period = QueryPeriod(text, clock: .local(now: now)) { return period.moments.lowerBound }
    throw ValidationError("--since takes \(QueryPeriod.expected), not \"\(text)\".")
  }

  /// The mail is there, whatever keeps it from being told.
  private static func tellArrivals(
    _ session: MirrorSession, _ selected: [SelectedAccount], _ summaries: [PullSummary]
  ) async {
    let messages = ArrivedMessages(root: session.configuration.root)
    await onOwnThread {
      for (account, summary) in zip(selected, summaries) {
        let run = session.run(account.settings, observer: SilentObserver())
        do {
          try messages.forEach(of: run, summary, newsOnly: false) { try session.report.record($0) }
        } catch {
          let words = (error as? any Explained)?.explanation.problem ?? String(describing: error)
          session.report.notice(
            summary.account, "What arrived cannot be told one by one: \(words)")
        }
      }
    }
  }
}
