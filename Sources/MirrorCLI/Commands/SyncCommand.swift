import ArgumentParser
import CLISupport
import MailCore
import Settings
import Sync
import SyncPlan

struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Push, then pull.",
    discussion: """
      An account that was never pulled has nothing to push: it is pulled, which is no mistake.

      Exit status: the graver one of the two, as in push and pull.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var choices: PushChoices

  @Argument(help: "Accounts; all where none is named.")
  var account: [String] = []

  @Flag(help: "Tell what a push would do, then what a pull would, and do nothing.")
  var dryRun = false

  @Flag(help: "Leave the index as it is.")
  var noIndex = false

  @Flag(help: "Show progress also where standard error is no terminal.")
  var progress = false

  /// One account's two halves, in JSON.
  struct Summary: Encodable, Sendable {
    var account: String
    var push: WholePush.Summary?
    var pull: PullSummary
  }

  func run() async throws {
    let session = try MirrorSession(common)
    let selected = try session.configuration.selectWhole(account)
    try choices.check(selected, in: session.configuration.root)
    let reporter = RunReporter(report: session.report, isForced: progress, recordsRuns: false)
    let push = WholePush(
      session: session, options: choices.options(dryRun: dryRun), reporter: reporter)
    let summaries = await session.sideBySide(selected) { account in
      let summary = await Self.sync(account, push)
      try? session.report.record(RunEvent(.synced, summary))
      return summary
    }
    reporter.end()
    if !dryRun, !noIndex, StopSignals.received == nil {
      let accounts = selected.map(\.settings.name)
      reporter.entered(.indexing, together: accounts)
      await session.updateIndex(showsProgress: progress)
      reporter.entered(.idle, together: accounts)
    }
    try session.report.document(summaries)
    try session.end(
      with: summaries.flatMap { ($0.push?.exitStatuses ?? []) + [$0.pull.exitStatus] })
  }

  /// What a push could not do is no reason not to pull; a server that is not there is.
  private static func sync(_ account: SelectedAccount, _ push: WholePush) async -> Summary {
    let run = push.session.run(account.settings, observer: push.reporter)
    return await run.inSession { open in
      let options = PullOptions(dryRun: push.options.dryRun)
      var pushed: WholePush.Summary?
      let wasPulled = run.wasPulled
      if wasPulled || push.hasQueue(account) {
        let push = push.run(account, in: open, wasPulled: wasPulled)
        pushed = push
        let stops: [ExitStatus] = [.unreachable, .busy, .refused, .interrupted, .configuration]
        if stops.contains(ExitStatus(rawValue: push.tree.exitStatus) ?? .done) {
          return Summary(
            account: account.settings.name, push: push,
            pull: PullSummary(account: account.settings.name, dryRun: options.dryRun))
        }
      }
      let pull = open.pull(options)
      push.reporter.ended(pull)
      return Summary(account: account.settings.name, push: pushed, pull: pull)
    }
  }
}
