import ArgumentParser
import CLISupport
import Foundation
import IMAPWire
import MailCore
import Settings
import Setup
import Transport

struct ForgetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget", abstract: "Remove an account: configuration, mail here, tokens.",
    discussion: """
      Nothing on the server is touched. It is refused while a change or a message waits to be pushed or sent, or where \
      something exists only here, unless --force is given. What was interrupted, another call finishes.

      Exit status: 0 done; 1 refused, or the answer was no; 64 usage; 75 a run or a watch holds the account; \
      77 the account's directory is a link, or a disk of its own; 78 configuration.
      """)

  @OptionGroup var common: CommonOptions

  @Argument(help: "The account.")
  var account: String

  @Flag(help: "Tell what would go, and what would be lost, and change nothing.")
  var dryRun = false

  @Flag(name: .shortAndLong, help: "Do not ask.")
  var yes = false

  @Flag(help: "Also where something waits to be pushed or sent, or exists only here: it is lost.")
  var force = false

  func run() async throws {
    try AccountPlace.checkName(account)
    let environment = ProcessInfo.processInfo.environment
    let path = common.config ?? Configuration.defaultPath(environment: environment)
    let configuration = try Configuration.load(
      path: path, environment: environment, knownQuirks: Quirk.allCases.map(\.rawValue),
      needsAccounts: false)
    let interrupt = Interrupt()
    StopSignals.watch { interrupt.trigger() }
    let session = MirrorSession(
      configuration: configuration,
      report: Report(
        program: "mirror", options: common, console: Console(), environment: environment),
      interrupt: interrupt)
    let removal = ForgetRun(
      account: account, session: session,
      file: try ConfigurationFile(path: path, environment: environment), environment: environment,
      isForced: force)
    if dryRun { return try await rehearse(removal, session) }
    let command = self
    let outcome = try await onOwnThread { Result { try removal.run(isAgreed: command.isAgreed) } }
      .get()
    try tell(outcome, session)
  }

  private func rehearse(_ removal: ForgetRun, _ session: MirrorSession) async throws {
    if AccountPlace.isBegun(root: session.configuration.root, account: account) {
      return session.report.line(
        "\(account): dry run: what an interrupted forget began would be ended, or put back")
    }
    let losses = try await onOwnThread { Result { try removal.rehearse() } }.get()
    for path in losses.stays {
      session.report.line("\(account): stays: \(ForgetRun.linked(path))")
    }
    let isRefused = !losses.isNothing && !force
    let messages = Quantities.count(losses.messages, "message")
    session.report.line(
      "\(account): dry run: would "
        + (isRefused ? "not be removed" : "be removed, with \(messages)")
        + (losses.isNothing ? "" : "; lost would be: \(losses.reasons.joined(separator: ", "))"))
    try session.report.document(
      Rehearsed(account: account, messages: losses.messages, losses: losses.reasons))
    try session.end(with: [(isRefused ? ExitStatus.inPart : .done).rawValue])
  }

  private func isAgreed(_ losses: Losses) throws -> Bool {
    if yes { return true }
    guard isatty(STDIN_FILENO) == 1 else { throw ForgetError.nobodyToAsk(account) }
    let loss =
      losses.isNothing ? "" : " Lost for good: \(losses.reasons.joined(separator: ", "))."
    return TerminalQuestion.isAgreed(
      "Remove the account \(account) and its \(Quantities.count(losses.messages, "message")) here?\(loss)"
    )
  }

  private func tell(_ outcome: ForgetRun.Outcome, _ session: MirrorSession) throws {
    let report = session.report
    for words in outcome.stays { report.line("\(account): stays: \(words)") }
    for path in outcome.left {
      report.problem(
        account, "\(path) came while it was being removed: it stays.",
        remedy: "Look at it, move it away, then run `mirror forget \(account)` again.")
    }
    let messages = Quantities.count(outcome.messages, "message")
    report.line("\(account): removed, with \(messages) here; the server keeps what it has")
    try report.record(outcome)
    try report.document(outcome)
    try session.end(with: [(outcome.left.isEmpty ? ExitStatus.done : .inPart).rawValue])
  }
}

/// A dry run in JSON.
private struct Rehearsed: Encodable {
  var account: String
  var messages: Int
  var losses: [String]
}
