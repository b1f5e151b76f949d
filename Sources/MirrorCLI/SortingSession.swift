import ArgumentParser
import CLISupport
import Foundation
import MailCore
import MailIndex
import Reading
import Settings
import Sorting

/// One command that changes the tree by query: found, planned, asked, done, told.
struct SortingSession {
  let options: SortingOptions
  let reading: ReadingSession
  let tree: SortingTree
  private static let mostUnasked = 20

  /// A plan, and what made it, which knows what stays out of it and which folders it needs.
  struct Plan {
    var steps: [SortingStep]
    var sorter: Sorter
    var found: Int
    /// What leaves all folders that were looked at is still in another one.
    var staysElsewhere = false
  }

  /// - Throws: `SettingsError` where there is no configuration that can be used: these commands change its accounts only.
  init(_ options: SortingOptions) throws {
    self.options = options
    reading = try ReadingSession(options.reading, format: options.format.result)
    let environment = ProcessInfo.processInfo.environment
    let path = options.reading.config ?? Configuration.defaultPath(environment: environment)
    let configuration = try Configuration.load(path: path, environment: environment)
    tree = SortingTree(root: reading.root, accounts: configuration.accounts)
  }

  static func run(
    _ options: SortingOptions, verb: String, words: [String],
    _ plan: (SortingSession) throws -> Plan
  ) throws {
    let session = try SortingSession(options)
    do {
      if !options.isDryRun { try session.tree.hold() }
      try session.perform(
        try plan(session), command: ([verb] + words).joined(separator: " "))
    } catch let error as any Explained {
      throw session.told(error)
    }
  }

  /// - Throws: ``SortingError/noQuery`` for no words: all messages are asked for by a star.
  func plan(
    _ query: [String], _ make: (inout Sorter, [ChosenFile]) throws -> [SortingStep]
  ) throws -> Plan {
    // Without words the query would be everything.
    let words = QueryWords.of(query)
    guard words.contains(where: { !$0.allSatisfy(\.isWhitespace) }) else {
      throw SortingError.noQuery
    }
    let found = try FoundMessages(words, reading)
    var sorter = Sorter(tree)
    let files = try FileChoice.all(
      of: found.hits, query: found.query, matching: found.messages(matching:))
    let steps = try make(&sorter, files)
    return Plan(steps: steps, sorter: sorter, found: found.hits.count)
  }

  func perform(_ plan: Plan, command: String) throws {
    let report = reading.report
    let leftOut = plan.sorter.leftOut
    for left in leftOut {
      report.problem(left.subject, "is left as it is: \(left.reason).")
    }
    guard plan.found > 0 else {
      report.notice(report.program, "No message was found.")
      return try end(SortingRun.Outcome(), isWhole: false)
    }
    if options.isDryRun {
      var planned = SortingRun.Outcome()
      planned.steps = plan.steps
      for folder in plan.sorter.missingFolders(for: plan.steps) {
        report.line("would make \(folder.words)")
      }
      for step in plan.steps { report.line("would " + step.words) }
      return try end(planned, isWhole: leftOut.isEmpty)
    }
    guard
      isAgreed(plan.steps, SortingStep.question(plan.steps, staysElsewhere: plan.staysElsewhere))
    else {
      return try end(SortingRun.Outcome(), isWhole: false)
    }
    try plan.sorter.makeFolders(for: plan.steps)
    var run = SortingRun(tree)
    let outcome = try run.perform(plan.steps, command: command)
    if report.verbosity > 0 {
      for step in outcome.steps { report.line(step.words) }
    }
    bringIndexUpToDate(outcome.folders)
    try end(outcome, isWhole: leftOut.isEmpty)
  }

  /// Marks messages as read, without a word where all went well.
  func markRead(_ hits: [SearchHit]) throws {
    try tree.hold()
    var sorter = Sorter(tree)
    let (change, _) = try MarkChange.split(["+seen", "*"])
    let steps = try sorter.mark(FileChoice.all(of: hits), change)
    var run = SortingRun(tree)
    let outcome = try run.perform(steps, command: nil)
    bringIndexUpToDate(outcome.folders)
    for problem in outcome.problems {
      reading.report.problem(
        problem.subject, "is not marked as read: \(Self.sentence(problem.reason))")
    }
  }

  func takeBack() throws {
    var run = UndoRun(tree)
    var record = try run.record()
    let report = reading.report
    if options.isDryRun {
      report.line("would take back: mirror \(record.command)")
      for step in record.steps { report.detail(1, step.words) }
      return try tell(record.steps)
    }
    let count = Quantities.count(Set(record.steps.map(\.message)).count, "message")
    guard isAgreed(record.steps, "Take back “mirror \(record.command)” (\(count))?") else {
      return try end(SortingRun.Outcome(), isWhole: false, verb: "taken back")
    }
    try tree.hold()
    record = try run.record()
    let outcome = try run.perform(record)
    bringIndexUpToDate(outcome.folders)
    report.detail(1, "took back: mirror \(record.command)")
    try end(outcome, isWhole: true, verb: "taken back")
  }

  // MARK: Pieces

  /// On a terminal a person is asked about many messages at once.
  private func isAgreed(_ steps: [SortingStep], _ question: @autoclosure () -> String) -> Bool {
    let count = Set(steps.map(\.message)).count
    guard count > Self.mostUnasked, !options.yes, isatty(STDIN_FILENO) == 1 else { return true }
    tree.letGo()  // No other command is to wait for a person.
    FileHandle.standardError.write(
      Data("\(question().visible) [y/N] ".utf8))
    let answer = readLine()?.lowercased() ?? ""
    return answer == "y" || answer == "yes"
  }

  private func bringIndexUpToDate(_ folders: Set<String>) {
    guard !folders.isEmpty else { return }
    var updater = IndexUpdater(root: reading.root)
    updater.ownAddresses = reading.ownAddresses
    do throws(IndexError) {
      _ = try updater.run(only: folders)
    } catch {
      reading.report.notice("index", error.explanation.problem)
    }
  }

  /// An error that explains itself ends its sentences; a reason of ours is only a part of one.
  static func sentence(_ reason: String) -> String { reason.hasSuffix(".") ? reason : reason + "." }

  private func end(
    _ outcome: SortingRun.Outcome, isWhole: Bool, verb: String = "changed"
  ) throws {
    let report = reading.report
    for problem in outcome.problems {
      report.problem(problem.subject, "is left as it is: \(Self.sentence(problem.reason))")
    }
    let count = Set(outcome.steps.map(\.message)).count
    if !options.isDryRun { report.line("\(Quantities.count(count, "message")) \(verb)") }
    try tell(outcome.steps)
    try reading.end(isWhole && outcome.problems.isEmpty ? .done : .inPart)
  }

  /// In JSON.
  private func tell(_ steps: [SortingStep]) throws {
    for step in steps { try reading.report.record(SortingEntry(step)) }
    try reading.report.document(steps.map(SortingEntry.init))
  }

  func told(_ error: any Explained) -> ProgramEnd {
    reading.report.problem(error)
    return ProgramEnd(error.explanation.exitStatus)
  }
}

/// A step in JSON.
private struct SortingEntry: Encodable {
  var id: Int64
  var account: String
  var folder: String
  var subject: String
  var change: String

  init(_ step: SortingStep) {
    id = step.message
    account = step.account
    folder = step.folderName
    subject = step.subject
    change = step.change
  }
}
