import ArgumentParser
import CLISupport
import Foundation
import MailCore
import MailIndex
import Settings
import Sorting
import Sync
import SyncPlan

struct RevertCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revert", abstract: "Give up what was changed here and not pushed.",
    discussion: """
      Flags, keywords, moves, renamed folders, deletions and edits of the accounts or mailboxes named become what the \
      server has, as of the last pull; what was deleted or edited is downloaded again. What exists only here, such as \
      a new message or a draft that was never sent to the server, stays, and is told. An edited file is set aside, \
      and undo brings it back, as it does flags and moves.

      Exit status: 0 done; 1 in part; 69 what is to be downloaded comes with the next pull; 75 another run holds \
      the account.
      """)

  @OptionGroup var common: CommonOptions

  @Argument(
    help: ArgumentHelp("An account, or one of its mailboxes.", valueName: "account[/mailbox]"))
  var selection: [String] = []

  @Flag(help: "Tell what would be given up, and change nothing.")
  var dryRun = false

  @Flag(name: .shortAndLong, help: "Do not ask, however many changes are meant.")
  var yes = false

  private static let mostUnasked = 20

  func run() async throws {
    let session = try MirrorSession(common)
    let selected = try session.configuration.select(selection)
    guard try await isAgreed(session, selected) else { throw ProgramEnd(.inPart) }
    let reporter = RunReporter(report: session.report, isForced: false)
    let command = (["revert"] + selection).joined(separator: " ")
    let dryRun = dryRun
    let summaries = await session.sideBySide(selected) { account in
      await Self.revert(
        session, account, reporter, dryRun: dryRun, command: command)
    }
    reporter.end()
    if !dryRun, summaries.contains(where: { !$0.actions.isEmpty }), StopSignals.received == nil {
      await session.updateIndexIfThere()
    }
    for summary in summaries { try tell(summary, session.report, reporter) }
    try session.report.document(summaries)
    try session.end(with: summaries.map(\.exitStatus))
  }

  private static func revert(
    _ session: MirrorSession, _ account: SelectedAccount, _ observer: any RunObserver,
    dryRun: Bool, command: String
  ) async -> RevertSummary {
    let (name, configuration) = (account.settings.name, session.configuration)
    return await session.run(account.settings, observer: observer).revert(
      RevertOptions(mailboxes: account.mailboxes, dryRun: dryRun)
    ) { plan in
      let index = try? IndexReader.open(root: configuration.root)
      let steps = RevertSteps(plan, account: name) { file, folder in
        guard let hit = try? index?.hit(ofFile: file, in: folder) else { return nil }
        return .init(message: hit.id, subject: hit.subject)
      }
      let tree = SortingTree(root: configuration.root, accounts: configuration.accounts)
      return try steps.carryOut(in: tree, command: command)
    }
  }

  /// At a terminal a person is asked about many changes at once.
  private func isAgreed(_ session: MirrorSession, _ selected: [SelectedAccount]) async throws
    -> Bool
  {
    guard !yes, !dryRun, isatty(STDIN_FILENO) == 1 else { return true }
    let plans = await session.sideBySide(selected) { account in
      await Self.revert(session, account, SilentObserver(), dryRun: true, command: "")
    }
    let count = plans.map(\.givenUp).reduce(0, +)
    guard count > Self.mostUnasked else { return true }
    let names = selected.map(\.settings.name).joined(separator: ", ")
    return TerminalQuestion.isAgreed(
      "Give up \(Quantities.count(count, "change")) that \(count == 1 ? "was" : "were") not pushed (\(names))?"
    )
  }

  private func tell(_ summary: RevertSummary, _ report: Report, _ reporter: RunReporter) throws {
    for problem in summary.problems { reporter.tell(problem, account: summary.account) }
    for action in summary.actions
    where summary.dryRun || report.verbosity > 0 || action.kind.isKept {
      report.line("\(summary.account)/\(action.mailbox): \(RevertText.words(action))")
    }
    report.line(RevertText.text(summary))
    try report.record(RunEvent(.reverted, summary))
  }
}

/// What a revert did, or would do, in words.
///
/// `personal: 3 marked, 1 moved, 2 restored, 0 set aside, 0 folders, 1 kept, 0.1 s`: the form never changes with the
/// figures.
enum RevertText {
  static func text(_ summary: RevertSummary) -> String {
    summary.account + (summary.dryRun ? ": dry run" : "")
      + ": \(summary.marked) marked, \(summary.moved) moved, \(summary.restored) restored"
      + ", \(summary.setAside) set aside, \(Quantities.count(summary.folders, "folder"))"
      + ", \(summary.kept) kept, \(Quantities.seconds(summary.seconds))"
      + (summary.awaited.isEmpty ? "" : "; what is to be downloaded comes with the next pull")
  }

  static func words(_ action: RevertAction) -> String {
    let messages = Quantities.count(action.count, "message")
    let detail = action.detail ?? ""
    return switch action.kind {
    case .rename: "its folder has its name again (it was \(detail))"
    case .mark: "\(detail) on \(messages)"
    case .move: "\(messages) back from \(detail)"
    case .restore: "\(messages) deleted here come\(action.count == 1 ? "s" : "") back"
    case .setAside: "\(messages) edited here set aside"
    case .keep:
      "\(messages) that exist\(action.count == 1 ? "s" : "") only here stay\(action.count == 1 ? "s" : "")"
    case .keepCopy:
      "\(Quantities.count(action.count, "copy", "copies")) made here and not pushed "
        + (action.count == 1
          ? "stays; delete its file to take it back" : "stay; delete their files to take them back")
    case .keepFolder: "this folder exists only here, and stays"
    }
  }
}

extension RevertSummary {
  /// How many changes it is about.
  var givenUp: Int { marked + moved + restored + setAside + folders }
}
