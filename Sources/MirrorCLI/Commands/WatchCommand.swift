import ArgumentParser
import CLISupport
import Foundation
import MailCore
import MailIndex
import Settings
import Transport
import TreeWatch
import Watch

struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "Stay, and let mail come and go by itself.",
    discussion: """
      New mail comes, your changes and queued messages go, and the index follows, until SIGTERM or \
      Ctrl-C. SIGHUP reads the configuration again, SIGUSR1 looks at everything at once. Other \
      commands work beside it.

      With --format jsonl each thing that happens is a line: mirror-watch(1) lists them.

      Exit status: 0 ended by a signal, 75 another watch has the account, 78 configuration.
      """)

  @OptionGroup var common: CommonOptions

  @Argument(help: "Accounts; all where none is named.")
  var account: [String] = []

  func validate() throws {
    if common.format == .json { throw ValidationError("A watch prints text or jsonl.") }
  }

  func run() throws {
    IndexMemory.keepLittle()
    let environment = ProcessInfo.processInfo.environment
    let output = QueuedStream(StandardStream.output)
    let errors = QueuedStream(StandardStream.errors)
    defer { for stream in [output, errors] { stream.finish(within: 0.2) } }
    let report = Report(
      program: "mirror", options: common, console: Console(output: output, errors: errors),
      environment: environment)
    let configuration = try MirrorSession.configuration(common)
    report.tellInterruptedRemovals(configuration)
    let notice = ServiceNotice(environment: environment)
    let team = WatchTeam(
      common, names: account, configuration: configuration, report: report, notice: notice)
    let accounts = try team.begin()
    let signals = WatchSignals.begin()
    let loop = WatchLoop(accounts: accounts, crew: team, notice: notice, signals: signals)
    guard let loop else { throw TooManyOpenFiles() }
    loop.run()
    RunningCommands.ofProcess.end()
    // All of it within the three seconds that were promised.
    let left = loop.stopped.map { $0 + .milliseconds(2700) - .now } ?? .zero
    RunningCommands.ofArrivals.end(after: min(left, .seconds(2)))
  }
}

private struct TooManyOpenFiles: Explained {
  var explanation: Explanation {
    Explanation(
      problem: "The process may not open another file.",
      remedy: "Raise its limit: `ulimit -n 1024`.", exitStatus: .inPart)
  }
}
