import ArgumentParser
import CLISupport
import MailCore
import Maildir
import Settings
import Sync
import SyncPlan

struct PushCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push", abstract: "Carry your changes in the tree to the server.",
    discussion: """
      Flags, keywords, moves, new messages and deletions go to the server, those of all accounts \
      side by side; then what `mirror sendmail` queued is sent. Where more than 20 messages and half of a folder are gone, or more than 200 in \
      all, deletions wait for --allow-mass-delete, or for the files to come back, and everything \
      else goes on.

      Exit status: 0 done, 1 in part, 69 server unreachable, 75 another run holds the account, \
      77 log-in refused or the tree is gone, 78 configuration.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var choices: PushChoices

  @Argument(help: "Accounts; all where none is named.")
  var account: [String] = []

  @Flag(help: "Tell what would be done, and do nothing; no server is asked.")
  var dryRun = false

  @Flag(help: "Show progress also where standard error is no terminal.")
  var progress = false

  func run() async throws {
    let session = try MirrorSession(common)
    let selected = try session.configuration.selectWhole(account)
    try choices.check(selected, in: session.configuration.root)
    let reporter = RunReporter(report: session.report, isForced: progress)
    let push = WholePush(
      session: session, options: choices.options(dryRun: dryRun), reporter: reporter)
    let summaries = await session.sideBySide(selected) { await push.run($0) }
    reporter.end()
    try session.report.document(summaries)
    try session.end(with: summaries.flatMap(\.exitStatuses))
  }
}

/// What `push` and `sync` have in common.
struct PushChoices: ParsableArguments {
  @Flag(help: "Delete on the server however many messages are gone here.")
  var allowMassDelete = false

  @Flag(help: "Look at every file, and try again what was given up.")
  var full = false

  @Option(
    help: ArgumentHelp(
      "Send this file, too, though the server may have its message and not show it.",
      valueName: "file"))
  var send: [String] = []

  func validate() throws {
    if let path = send.first(where: { realPath($0) == nil }) {
      throw ValidationError("There is no file \"\(path.visible)\" to send.")
    }
  }

  /// A file to be sent lies in one of the accounts that are pushed.
  func check(_ accounts: [SelectedAccount], in root: String) throws {
    let trees = accounts.compactMap { realPath("\(root)/\($0.settings.name)") }.map { $0 + "/" }
    for path in send.compactMap(realPath) where !trees.contains(where: path.hasPrefix) {
      throw ValidationError("\"\(path.visible)\" lies in no account that is pushed.")
    }
  }

  func options(dryRun: Bool) -> PushOptions {
    PushOptions(
      dryRun: dryRun, allowsMassDelete: allowMassDelete, full: full,
      sending: Set(send.compactMap(realPath)))
  }
}

extension Configuration {
  /// Accounts by name; a push is never of one mailbox alone, since messages move between them.
  func selectWhole(_ names: [String]) throws -> [SelectedAccount] {
    let selected = try select(names)
    if let name = names.first(where: { $0.contains("/") }) {
      throw WholeAccountsOnly(argument: name)
    }
    return selected
  }
}

private struct WholeAccountsOnly: Explained {
  let argument: String

  var explanation: Explanation {
    Explanation(
      problem: "“\(argument.visible)” names a mailbox, and a push is always of a whole account.",
      remedy: "Leave out what stands behind the slash.", exitStatus: .usage)
  }
}
