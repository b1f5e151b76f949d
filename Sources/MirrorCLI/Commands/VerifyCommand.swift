import ArgumentParser
import CLISupport
import MailCore
import Settings
import Sync

struct VerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Compare tree, state and server; change nothing.",
    discussion: "Exit status: 0 all agree, 1 something differs, 69, 75, 77 and 78 as in pull.")

  @OptionGroup var common: CommonOptions

  @Argument(
    help: ArgumentHelp("An account, or one of its mailboxes.", valueName: "account[/mailbox]"))
  var selection: [String] = []

  func run() async throws {
    let session = try MirrorSession(common)
    let selected = try session.configuration.select(selection)
    let report = session.report
    let reporter = RunReporter(report: report, isForced: false)
    let results = await session.sideBySide(selected) { account in
      await session.run(account.settings, observer: reporter).verify(mailboxes: account.mailboxes)
    }
    reporter.end()
    for result in results {
      for finding in result.findings { reporter.tell(finding, account: result.account) }
      report.line(Self.line(result))
      try report.record(result)
    }
    try report.document(results)
    try session.end(with: results.map(\.exitStatus))
  }

  static func line(_ result: VerifyReport) -> String {
    let checked =
      "\(Quantities.count(result.messagesChecked, "message"))"
      + " in \(Quantities.count(result.mailboxesChecked, "mailbox", "mailboxes"))"
    let found = result.findings.filter { $0.exitStatus != 0 }.count
    return found == 0
      ? "\(result.account): \(checked) checked, all as on the server"
      : "\(result.account): \(checked) checked, \(Quantities.count(found, "difference"))"
  }
}
