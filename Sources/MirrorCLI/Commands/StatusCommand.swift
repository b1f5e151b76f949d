import ArgumentParser
import CLISupport
import Foundation
import MailCore
import Settings
import Sync

struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Tell of accounts, last runs, pending changes, problems.",
    discussion: "Reads the tree and the state only: no server is asked.")

  @OptionGroup var common: CommonOptions

  func run() async throws {
    let session = try MirrorSession(common)
    let selected = try session.configuration.select([])
    let report = session.report
    let statuses = await session.sideBySide(selected) { account in
      await session.run(account.settings, observer: SilentObserver()).status()
    }
    for status in statuses {
      for line in StatusText(status, now: Date(), isVerbose: report.verbosity > 0).lines {
        report.line(line)
      }
      try report.record(status)
    }
    try report.document(
      Dictionary(statuses.map { ($0.account, $0) }, uniquingKeysWith: { first, _ in first }))
    try session.end(with: [])
  }
}
