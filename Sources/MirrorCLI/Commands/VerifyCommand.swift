import ArgumentParser
import CLISupport
import MailCore
import Settings
import Sorting
import Sync

struct VerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Compare tree, state and server; change nothing.",
    discussion: """
      What is there, flags, keywords and sizes are compared with the server, and the files with what was \
      pulled. With --headers every header is fetched and compared, with --deep the bytes of some messages \
      of each mailbox, chosen anew each time.

      Exit status: 0 all agree, 1 something differs, 69, 75, 77 and 78 as in pull.
      """)

  @OptionGroup var common: CommonOptions

  @Argument(
    help: ArgumentHelp("An account, or one of its mailboxes.", valueName: "account[/mailbox]"))
  var selection: [String] = []

  @Flag(help: "Fetch and compare the header of every message.")
  var headers = false

  @Flag(help: "Fetch some messages of each mailbox, and compare their bytes.")
  var deep = false

  @Option(
    help: ArgumentHelp("How many messages of each mailbox --deep fetches.", valueName: "count"))
  var sample: Int?

  func validate() throws {
    guard let sample else { return }
    if !deep { throw ValidationError("--sample tells how many messages --deep fetches.") }
    if sample < 1 { throw ValidationError("--sample takes a number from 1 up.") }
  }

  /// What `--deep` fetches of each mailbox where nothing is said.
  static let usualSample = 20

  func run() async throws {
    let session = try MirrorSession(common)
    let selected = try session.configuration.select(selection)
    let report = session.report
    let reporter = RunReporter(report: report, isForced: false)
    let headers = headers
    let sample = deep ? sample ?? Self.usualSample : nil
    let root = session.configuration.root
    let results = await session.sideBySide(selected) { account in
      var result = await session.run(account.settings, observer: reporter).verify(
        VerifyOptions(mailboxes: account.mailboxes, headers: headers, sample: sample))
      if account.mailboxes.isEmpty {
        result.findings += await onOwnThread {
          FilesAside.look(account: account.settings.name, root: root).notes
        }
      }
      return result
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
    let compared = compared(result)
    let found = result.findings.filter { $0.exitStatus != 0 }.count
    return found == 0
      ? "\(result.account): \(checked) checked\(compared), all as on the server"
      : "\(result.account): \(checked) checked\(compared), \(Quantities.count(found, "difference"))"
  }

  private static let stub = "stub without its absent parts"
  private static let stubs = "stubs without their absent parts"

  /// By what, beyond flags and keywords.
  private static func compared(_ result: VerifyReport) -> String {
    let parts = [
      (result.sizesCompared, "size"), (result.headersCompared, "header"),
      (result.bodiesCompared, "whole message"),
      (result.stubs, Self.stub),
    ].filter { $0.0 > 0 }.map { Quantities.count($0.0, $0.1, $0.1 == Self.stub ? Self.stubs : nil) }
    return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
  }
}
