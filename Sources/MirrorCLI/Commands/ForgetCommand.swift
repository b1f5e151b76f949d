import ArgumentParser
import CLISupport
import Foundation
import IMAPWire
import LocalChanges
import MailCore
import Maildir
import Settings
import Setup
import Sorting
import Sync
import SyncPlan
import Transport

struct ForgetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget", abstract: "Remove an account: configuration, mail here, tokens.",
    discussion: """
      Nothing on the server is touched. It is refused while a change or a message waits to be pushed or sent, or where \
      mail exists only here, unless --force is given. What was interrupted, another call finishes.

      Exit status: 0 done; 1 refused, or nobody agreed; 64 usage; 75 a run or a watch holds the account; \
      78 configuration.
      """)

  @OptionGroup var common: CommonOptions

  @Argument(help: "The account.")
  var account: String

  @Flag(name: .shortAndLong, help: "Do not ask.")
  var yes = false

  @Flag(help: "Also where something waits to be pushed or sent, or exists only here: it is lost.")
  var force = false

  func run() async throws {
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
    let removal = AccountRemoval(
      root: configuration.root, account: account,
      file: try ConfigurationFile(path: path, environment: environment),
      forgetSecrets: { [account] in Self.forgetSecrets(of: account, session) })
    guard let settings = configuration.account(named: account) else {
      // The last steps of one that was interrupted.
      guard removal.isUnfinished else {
        let names = configuration.accounts.map(\.name)
        throw SelectionError.unknownAccount(
          account, nearest: nearestWord(to: account, among: names), known: names)
      }
      try removal.perform(.tree)
      return try await end(session, messages: 0)
    }
    let run = session.run(settings, observer: SilentObserver())
    guard !run.witness.isWatched else { throw ForgetError.watched(account) }
    // Before anything is touched: it may be written in another way.
    _ = try removal.file?.text(without: account)
    let lock = try lock(configuration.root + "/" + account)
    defer { withExtendedLifetime(lock) {} }
    let reasons = try await waiting(session, settings, run)
    let found = (try? await onOwnThread { Result { try run.onlyHere() } }.get()) ?? OnlyHere()
    if !reasons.isEmpty, !force { throw ForgetError.pending(account, reasons) }
    try ask(found, reasons)
    try await onOwnThread {
      Result { for step in AccountRemoval.Step.allCases { try removal.perform(step) } }
    }.get()
    try await end(session, messages: found.files)
  }

  private func end(_ session: MirrorSession, messages: Int) async throws {
    await session.updateIndexIfThere()
    let told = Forgotten(account: account, messages: messages)
    session.report.line(
      "\(account): removed, with \(Quantities.count(messages, "message")) here; the server keeps what it has"
    )
    try session.report.record(told)
    try session.report.document(told)
    try session.end(with: [])
  }

  /// Nil where there is no tree to lock.
  private func lock(_ path: String) throws -> RunLock? {
    let tree = try AccountTree.forReading(path: path)
    guard tree.isControlled else { return nil }
    return try tree.lock(program: "mirror forget", since: Date().formatted(.iso8601))
  }

  /// Why it would be a loss.
  private func waiting(
    _ session: MirrorSession, _ settings: AccountSettings, _ run: AccountRun
  ) async throws -> [String] {
    var reasons: [String] = []
    let path = session.configuration.root + "/" + account
    let status = await run.status()
    let changes = (status.push ?? []).reduce(0) { $0 + $1.count }
    if changes > 0 { reasons.append("\(Quantities.count(changes, "change")) not pushed") }
    let queue = QueueStatus(account: path)
    if !queue.messages.isEmpty {
      reasons.append("\(Quantities.count(queue.messages.count, "message")) not sent")
    }
    if FileManager.default.fileExists(atPath: path) {
      let only = try await onOwnThread { Result { try run.onlyHere() } }.get()
      if only.messages > 0 {
        reasons.append("\(Quantities.count(only.messages, "message")) nowhere but here")
      }
      // Where the tree cannot be compared, nobody knows what waits.
      if status.push == nil, only.files > 0 {
        reasons.append(
          status.problems.first.map { "what waits cannot be told: \($0.problem)" }
            ?? "what waits cannot be told")
      }
    }
    return reasons
  }

  private func ask(_ found: OnlyHere, _ lost: [String]) throws {
    if yes { return }
    guard isatty(STDIN_FILENO) == 1 else { throw ForgetError.nobodyToAsk(account) }
    let loss = lost.isEmpty ? "" : " Lost for good: \(lost.joined(separator: ", "))."
    guard
      TerminalQuestion.isAgreed(
        "Remove the account \(account) and its \(Quantities.count(found.files, "message")) here?\(loss)"
      )
    else { throw ProgramEnd(.inPart) }
  }

  private static func forgetSecrets(of account: String, _ session: MirrorSession) {
    guard let settings = session.configuration.account(named: account) else { return }
    if let tokens = session.tokens(settings) {
      do {
        _ = try tokens.signOut()
      } catch {
        session.report.notice(
          account, error.explanation.problem + (error.explanation.remedy.map { " " + $0 } ?? ""))
      }
    }
    for server in [settings.imap, settings.smtp].compactMap(\.self) {
      session.refusedLogIn(settings, at: server)?.forget()
    }
    session.run(settings, observer: SilentObserver()).witness.forget()
  }
}

/// Why an account is left as it is.
enum ForgetError: Error, Explained, Equatable {
  case pending(String, [String])
  case watched(String)
  case nobodyToAsk(String)

  var explanation: Explanation {
    switch self {
    case .pending(let account, let reasons):
      Explanation(
        problem:
          "\(account) has what would be lost: \(reasons.joined(separator: ", ")). Nothing was removed.",
        remedy:
          "Run `mirror push`; `mirror status` and `mirror outbox` show what waits. With --force it is removed "
          + "all the same.", exitStatus: .inPart)
    case .watched(let account):
      Explanation(
        problem: "`mirror watch` watches \(account). Nothing was removed.",
        remedy: "Stop it, then run this again.", exitStatus: .busy)
    case .nobodyToAsk(let account):
      Explanation(
        problem: "Nobody can be asked whether \(account) is to go. Nothing was removed.",
        remedy: "Run it with --yes.", exitStatus: .usage)
    }
  }
}

/// In JSON.
private struct Forgotten: Encodable {
  var account: String
  /// Files of messages that were removed here.
  var messages: Int
}
