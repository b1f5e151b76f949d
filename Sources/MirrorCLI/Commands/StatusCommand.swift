import ArgumentParser
import CLISupport
import Foundation
import MailCore
import Settings
import Sorting
import Sync
import SyncPlan
import Transport

struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Tell of accounts, last runs, pending changes, problems.",
    discussion: """
      Reads the tree, the state, the queue and the index only: no server is asked. Exit status 1 says that a \
      queued message needs you, or that an account is only half removed. With --ready it says instead that an account is not ready to go offline: its history \
      is not whole, something could not be pulled, or the index is behind; what waits to be pushed or sent does \
      not count.
      """)

  @OptionGroup var options: StatusOptions

  @Argument(help: "Accounts; all where none is named.")
  var accounts: [String] = []

  @Flag(help: "Tell by exit status 0 or 1 whether all is here that one needs offline.")
  var ready = false

  func run() async throws {
    let session = try MirrorSession(options.common)
    let selected = try session.configuration.select(accounts)
    let report = session.report
    let root = session.configuration.root
    let index = await onOwnThread { IndexReadiness(root: root).hindrance }
    let statuses = await session.sideBySide(selected) { account in
      var status = await session.run(account.settings, observer: SilentObserver()).status()
      let servers = [account.settings.imap, account.settings.smtp].compactMap(\.self)
      status.problems += servers.compactMap {
        session.refusedLogIn(account.settings, at: $0)?.explanation.map {
          RunProblem(problem: $0.problem, remedy: $0.remedy, exitStatus: $0.exitStatus)
        }
      }
      return WholeStatus(
        account: status,
        queue: QueueStatus(account: root + "/" + account.settings.name),
        watch: session.watchWords(account.settings), indexHindrance: index,
        setAside: await onOwnThread {
          FilesAside.look(account: account.settings.name, root: root)
        })
    }
    if options.format == .prometheus {
      report.console.printResult(StatusMetrics(statuses, now: Date()).text)
    }
    for status in statuses {
      if options.format == .text { tell(status, report) }
      try report.record(status)
    }
    try report.document(
      Dictionary(
        statuses.map { ($0.account.account, $0) }, uniquingKeysWith: { first, _ in first }))
    let halfRemoved = InterruptedRemoval.all(root: root).map(\.explanation.exitStatus.rawValue)
    guard ready else {
      return try session.end(with: statuses.map(\.queue.exitStatus) + halfRemoved)
    }
    let isReady = statuses.allSatisfy(\.isReady) && halfRemoved.isEmpty
    try session.end(with: [(isReady ? ExitStatus.done : .inPart).rawValue])
  }

  private func tell(_ status: WholeStatus, _ report: Report) {
    if ready {
      return report.line("\(status.account.account): \(StatusText.readiness(status))")
    }
    for line in StatusText(status, now: Date(), isVerbose: report.verbosity > 0).lines {
      report.line(line)
    }
  }
}

/// The common options, with one format more.
struct StatusOptions: ParsableArguments {
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text, json, jsonl, prometheus
  }

  @Option(
    name: .customLong("config"),
    help: ArgumentHelp(
      "The configuration.",
      discussion:
        "Default: $MIRROR_CONFIG, else mirror/config.toml in $XDG_CONFIG_HOME or ~/.config.",
      valueName: "file"))
  var config: String?

  @Option(
    help: ArgumentHelp(
      "How results are printed: text, json (one document), jsonl (a line each), or prometheus.",
      discussion: "prometheus prints metrics as the node exporter's textfile collector reads them.")
  )
  var format = Format.text

  @Flag(name: .shortAndLong, help: "Print problems only.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Tell more.")
  var verbose: Int

  func validate() throws {
    if quiet, verbose > 0 { throw ValidationError("-q and -v exclude each other.") }
  }

  var common: CommonOptions {
    var common = CommonOptions()
    common.config = config
    common.format = OutputFormat(rawValue: format.rawValue) ?? .text
    common.quiet = quiet
    common.verbose = verbose
    return common
  }
}
