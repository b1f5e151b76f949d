import ArgumentParser
import CLISupport
import Foundation
import MailCore
import Settings
import Sync
import SyncPlan

struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Tell of accounts, last runs, pending changes, problems.",
    discussion: """
      Reads the tree, the state and the queue only: no server is asked. Exit status 1 says that a \
      queued message needs you.
      """)

  @OptionGroup var common: CommonOptions

  func run() async throws {
    let session = try MirrorSession(common)
    let selected = try session.configuration.select([])
    let report = session.report
    let root = session.configuration.root
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
        watch: session.watchWords(account.settings))
    }
    for status in statuses {
      for line in StatusText(status, now: Date(), isVerbose: report.verbosity > 0).lines {
        report.line(line)
      }
      try report.record(status)
    }
    try report.document(
      Dictionary(
        statuses.map { ($0.account.account, $0) }, uniquingKeysWith: { first, _ in first }))
    try session.end(with: statuses.map(\.queue.exitStatus))
  }
}
