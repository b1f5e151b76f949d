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
  }

  /// - Throws: `SettingsError` where there is no configuration that can be used: these commands change its accounts only.
  init(_ options: SortingOptions) throws {
    self.options = options
    reading = try ReadingSession(options.reading, format: options.format.result)
    let environment = ProcessInfo.processInfo.environment
    let path = options.reading.config ?? Configuration.defaultPath(environment: environment)
    let configuration = try Configuration.load(path: path, environment: environment)
    reading.report.tellInterruptedRemovals(configuration)
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
    let found = try FoundMessages(words, reading, mayBeOld: options.isDryRun)
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
    if options.isDryRun { return try tellPlan(plan) }
    guard isAgreed(plan.steps, SortingStep.question(plan.steps)) else {
      return try end(SortingRun.Outcome(), isWhole: false)
    }
    try plan.sorter.makeFolders(for: plan.steps)
    var run = SortingRun(tree)
    let outcome = try run.perform(plan.steps, command: command)
    if report.verbosity > 0 {
      for step in outcome.steps { report.line(step.words) }
    }
    let isIndexed = bringIndexUpToDate(outcome.folders)
    try end(outcome, isWhole: leftOut.isEmpty && isIndexed)
  }

  /// What a dry run prints.
  private func tellPlan(_ plan: Plan) throws {
    let new = plan.sorter.missingFolders(for: plan.steps)
    for folder in new { reading.report.line("would make \(folder.words)") }
    for step in plan.steps { reading.report.line("would " + step.words) }
    let count = Set(plan.steps.map(\.message)).count
    reading.report.line("\(Quantities.count(count, "message")) would be changed")
    try tell(plan.steps, new: Set(new.map(\.title)))
    try reading.end(plan.sorter.leftOut.isEmpty ? .done : .inPart)
  }

  /// Marks messages as read, without a word where all went well.
  ///
  /// A dry run says on standard error what would be marked: standard output has the messages.
  func markRead(_ hits: [SearchHit]) throws -> ExitStatus {
    if !options.isDryRun { try tree.hold() }
    var sorter = Sorter(tree)
    let (change, _) = try MarkChange.split(["+seen", "*"])
    let steps = try sorter.mark(FileChoice.all(of: hits), change)
    var outcome = SortingRun.Outcome()
    if options.isDryRun {
      let count = Quantities.count(Set(steps.map(\.message)).count, "message")
      reading.report.notice(reading.report.program, "\(count) would be marked as read.")
    } else {
      var run = SortingRun(tree)
      outcome = try run.perform(steps, command: nil)
    }
    let isIndexed = bringIndexUpToDate(outcome.folders)
    let problems = sorter.leftOut + outcome.problems
    for problem in problems {
      reading.report.problem(
        problem.subject, "is not marked as read: \(Self.sentence(problem.reason))")
    }
    if outcome.isRefused { return .refused }
    return problems.isEmpty && isIndexed ? .done : .inPart
  }

  /// - Parameter count: of changes, one after the other.
  func takeBack(_ count: Int) throws {
    let areAllRead = tellDamaged()
    if options.isDryRun { return try tellUndo(UndoRun(tree).survey(next: count), areAllRead) }
    var whole = SortingRun.Outcome()
    var isWhole = areAllRead
    for number in 0..<count {
      do {
        let (outcome, isDone) = try takeBackOne()
        whole.add(outcome)
        isWhole = isWhole && isDone
        if !isDone { break }
      } catch SortingError.nothingToUndo where number > 0 {
        reading.report.notice(
          reading.report.program,
          "There were no more than \(Quantities.count(number, "change")) to take back.")
        isWhole = false
        break
      }
    }
    try end(whole, isWhole: isWhole, verb: "taken back")
  }

  private func takeBackOne() throws -> (outcome: SortingRun.Outcome, isWhole: Bool) {
    var run = UndoRun(tree)
    let record = try run.record()
    let count = Quantities.count(record.messages, "message")
    guard isAgreed(record.steps, "Take back “mirror \(record.command)” (\(count))?") else {
      return (SortingRun.Outcome(), false)
    }
    // Of what was asked about: a record that came since is another question.
    let outcome = try run.perform(record)
    let isIndexed = bringIndexUpToDate(outcome.folders)
    reading.report.detail(1, "took back: mirror \(record.command)")
    return (outcome, isIndexed && outcome.problems.isEmpty)
  }

  /// - Returns: whether there is no record that cannot be read.
  private func tellDamaged() -> Bool {
    let damaged = UndoRun(tree).damaged
    for error in damaged { reading.report.problem(error) }
    return damaged.isEmpty
  }

  /// What `undo` would take back, one after the other.
  func listChanges() throws {
    let areAllRead = tellDamaged()
    let records = UndoRun(tree).records()
    for (number, record) in records.enumerated() {
      let messages = Quantities.count(record.messages, "message")
      let left = record.wasTried == true ? ", left by an undo" : ""
      reading.report.line(
        "\(number + 1)  \(record.made.formatted(.iso8601))  mirror \(record.command) (\(messages)\(left))"
      )
    }
    let entries = records.enumerated().map { ChangeEntry($1, number: $0 + 1) }
    for entry in entries { try reading.report.record(entry) }
    try reading.report.document(entries)
    try reading.end(areAllRead ? .done : .inPart)
  }

  private func tellUndo(_ surveys: [UndoRun.Survey], _ areAllRead: Bool) throws {
    let report = reading.report
    for survey in surveys {
      report.line("would take back: mirror \(survey.record.command)")
      for step in survey.steps { report.line("would take back: \(step.words)") }
      for (step, reason) in survey.left {
        if report.format.isText {
          report.line("would leave \(step.name) as it is: \(Self.sentence(reason))")
        } else {
          report.problem(step.name, "would be left as it is: \(Self.sentence(reason))")
        }
      }
    }
    let steps = surveys.flatMap(\.steps)
    let count = Set(steps.map(\.message)).count
    report.line("\(Quantities.count(count, "message")) would be taken back")
    try tell(steps)
    try reading.end(areAllRead && surveys.allSatisfy(\.left.isEmpty) ? .done : .inPart)
  }

  // MARK: Pieces

  /// On a terminal a person is asked about many messages at once.
  private func isAgreed(_ steps: [SortingStep], _ question: @autoclosure () -> String) -> Bool {
    let count = Set(steps.map(\.message)).count
    guard count > Self.mostUnasked, !options.yes, isatty(STDIN_FILENO) == 1 else { return true }
    tree.letGo()  // No other command is to wait for a person.
    return TerminalQuestion.isAgreed(question())
  }

  /// False where that failed, which is told.
  private func bringIndexUpToDate(_ folders: Set<String>) -> Bool {
    guard !folders.isEmpty else { return true }
    do throws(IndexError) {
      try reading.bringIndexUpToDate(only: folders)
      return true
    } catch {
      let words = error.explanation
      reading.report.problem("index", words.problem, remedy: words.remedy)
      return false
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
    if outcome.isRefused { return try reading.end(.refused) }
    try reading.end(isWhole && outcome.problems.isEmpty ? .done : .inPart)
  }

  /// In JSON.
  ///
  /// - Parameter new: the folders that would be made.
  private func tell(_ steps: [SortingStep], new: Set<String> = []) throws {
    let entries = steps.map { SortingEntry($0, new: new) }
    for entry in entries { try reading.report.record(entry) }
    try reading.report.document(entries)
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
  /// True where the folder would be made; else it is left out.
  var newFolder: Bool?

  init(_ step: SortingStep, new: Set<String>) {
    id = step.message
    account = step.account
    folder = step.folderName
    subject = step.subject
    change = step.change
    newFolder = step.target.map(new.contains) == true ? true : nil
  }
}

/// A change that can be taken back, in JSON.
private struct ChangeEntry: Encodable {
  /// How many times `undo` has to be called for it.
  var number: Int
  var command: String
  var made: Date
  var messages: Int
  /// An undo took a part of it back, or none.
  var left: Bool

  init(_ record: UndoRecord, number: Int) {
    self.number = number
    command = "mirror " + record.command
    made = record.made
    messages = record.messages
    left = record.wasTried == true
  }
}
