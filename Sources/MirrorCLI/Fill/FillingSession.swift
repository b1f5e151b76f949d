import ArgumentParser
import CLISupport
import Foundation
import IMAPWire
import MailCore
import MailIndex
import Maildir
import Reading
import Settings
import Sorting
import Sync
import SyncPlan
import Transport

/// One `fill` or `stub`: found, asked about, done, told.
struct FillingSession {
  private let options: FillingOptions
  private let direction: FillOptions.Direction
  private let words: [String]
  private let takesAll: Bool
  private let reading: ReadingSession
  private let session: MirrorSession
  /// More than this is asked about at a terminal.
  private static let mostUnasked: Int64 = 25_000_000

  static func check(_ words: [String], all: Bool) throws {
    try QueryWords.check(words)
    let query = QueryWords.of(words)
    if all, !query.isEmpty {
      throw ValidationError("--all means every message: leave the query out.")
    }
    if !all, !query.contains(where: { !$0.allSatisfy(\.isWhitespace) }) {
      throw ValidationError("Say which messages are meant: a query, or --all.")
    }
  }

  /// A number alone is a message's, as for `show`.
  private static func query(_ words: [String]) -> [String] {
    guard words.count == 1, words[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      !words[0].isEmpty
    else { return words }
    return ["id:" + words[0]]
  }

  init(
    _ options: FillingOptions, _ direction: FillOptions.Direction, words: [String], all: Bool
  ) throws {
    self.options = options
    self.direction = direction
    self.words = Self.query(words)
    takesAll = all
    reading = try ReadingSession(options.reading, format: options.format.result)
    let environment = ProcessInfo.processInfo.environment
    let configuration = try Configuration.load(
      path: options.reading.config ?? Configuration.defaultPath(environment: environment),
      environment: environment, knownQuirks: QuirkSettings.names)
    reading.report.tellInterruptedRemovals(configuration)
    let interrupt = Interrupt()
    StopSignals.watch { interrupt.trigger() }
    var session = MirrorSession(
      configuration: configuration, report: reading.report, interrupt: interrupt)
    session.isUnattended = isatty(STDIN_FILENO) == 0 && isatty(STDERR_FILENO) == 0
    self.session = session
  }

  func run() async throws {
    let targets = try targets()
    guard !targets.isEmpty else {
      session.report.notice(session.report.program, "No message was found.")
      throw ProgramEnd(.inPart)
    }
    if options.isDryRun { return try await tellPlan(targets) }
    guard try await isAgreed(targets) else { throw ProgramEnd(.inPart) }
    let reporter = RunReporter(report: session.report, isForced: options.progress)
    let summaries = await carryOut(targets, dryRun: false, reporter)
    reporter.end()
    if summaries.contains(where: { $0.messages > 0 }), StopSignals.received == nil {
      await session.updateIndexIfThere()
    }
    for summary in summaries {
      for problem in summary.problems { reporter.tell(problem, account: summary.account) }
      session.report.line(Self.line(summary, direction))
      try session.report.record(RunEvent(direction == .fill ? .filled : .stubbed, summary))
    }
    try session.report.document(summaries)
    try session.end(with: summaries.map(\.exitStatus))
  }

  // MARK: Which messages

  private struct Target: Sendable {
    var account: SelectedAccount
    /// Base names of files; nil for all.
    var names: Set<[UInt8]>?
  }

  private func targets() throws -> [Target] {
    let selected = try session.configuration.select(options.only)
    if takesAll { return selected.map { Target(account: $0) } }
    let found: FoundMessages
    do {
      found = try FoundMessages(words, reading, mayBeOld: true)
    } catch let error as any Explained {
      session.report.problem(error)
      throw ProgramEnd(error.explanation.exitStatus)
    }
    let files = try FileChoice.all(
      of: found.hits, query: found.query, matching: found.messages(matching:))
    let names = Dictionary(grouping: files, by: \.account).mapValues { Set($0.map(\.file.base)) }
    return selected.compactMap { account in
      names[account.settings.name].map { Target(account: account, names: $0) }
    }
  }

  private func carryOut(_ targets: [Target], dryRun: Bool, _ observer: any RunObserver) async
    -> [FillSummary]
  {
    let names = Dictionary(
      targets.map { ($0.account.settings.name, $0.names) }, uniquingKeysWith: { first, _ in first })
    let (session, direction) = (session, direction)
    return await session.sideBySide(targets.map(\.account)) { account in
      await session.run(account.settings, observer: observer).fill(
        FillOptions(
          direction, names: names[account.settings.name] ?? nil, mailboxes: account.mailboxes,
          dryRun: dryRun))
    }
  }

  // MARK: Words

  private func tellPlan(_ targets: [Target]) async throws {
    let summaries = await carryOut(targets, dryRun: true, SilentObserver())
    for summary in summaries {
      for problem in summary.problems {
        session.report.problem(summary.account, problem.problem, remedy: problem.remedy)
      }
      session.report.line(Self.line(summary, direction))
      try session.report.record(RunEvent(direction == .fill ? .filled : .stubbed, summary))
    }
    try session.report.document(summaries)
    try session.end(with: summaries.map(\.exitStatus))
  }

  private func isAgreed(_ targets: [Target]) async throws -> Bool {
    guard direction == .fill, !options.yes, isatty(STDIN_FILENO) == 1 else { return true }
    let plans = await carryOut(targets, dryRun: true, SilentObserver())
    let bytes = plans.reduce(0) { $0 + $1.bytes }
    guard bytes > Self.mostUnasked else { return true }
    let count = Quantities.count(plans.reduce(0) { $0 + $1.messages }, "message")
    return TerminalQuestion.isAgreed("Fetch \(count), \(Quantities.bytes(bytes))?")
  }

  /// `personal: 3 filled, 12 MB, 0 waiting, 0.8 s`: the form never changes with the figures.
  static func line(_ summary: FillSummary, _ direction: FillOptions.Direction) -> String {
    let verb = direction == .fill ? "filled" : "made stubs"
    return summary.account + (summary.dryRun ? ": dry run" : "")
      + ": \(summary.messages) \(verb), \(Quantities.bytes(summary.bytes))"
      + (direction == .fill ? ", \(summary.waiting) waiting" : "")
      + ", \(Quantities.seconds(summary.seconds))"
  }
}
