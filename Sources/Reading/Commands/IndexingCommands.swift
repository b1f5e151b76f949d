import ArgumentParser
import CLISupport
import MailCore
import MailIndex

package struct UpdateCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "update", abstract: "Bring the index up to date.",
    discussion: """
      Reads only directories that changed, and only messages that are new. Makes the index where there is \
      none, and makes it anew where it is damaged or of another version.

      Exit status: 0 done; 1 some files could not be read; 75 another run is at it; 77 no permission; \
      78 no mail there.
      """)

  @OptionGroup package var options: ReadingOptions
  @OptionGroup package var format: DocumentFormat

  @Flag(help: "Look also for messages that were edited in place.")
  package var full = false

  @Flag(help: "Show progress also where standard error is no terminal.")
  package var progress = false

  @Flag(help: "Look also through all old mail for warnings, however long that takes.")
  package var warnings = false

  @Flag(help: "Tell what would be done, and do nothing.")
  package var dryRun = false

  package init() {}

  package func run() throws {
    try IndexingRun(options, format, showsProgress: progress, examinesAll: warnings).run(
      full ? .thorough : .update, isDry: dryRun)
  }
}

package struct RebuildCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "rebuild", abstract: "Make the index from nothing.",
    discussion: """
      Readers may have the index open meanwhile. No mail is touched.

      Exit status: as of update.
      """)

  @OptionGroup package var options: ReadingOptions
  @OptionGroup package var format: DocumentFormat

  @Flag(help: "Show progress also where standard error is no terminal.")
  package var progress = false

  @Flag(help: "Tell what would be done, and do nothing.")
  package var dryRun = false

  package init() {}

  package func run() throws {
    try IndexingRun(options, format, showsProgress: progress).run(
      .rebuild, isDry: dryRun)
  }
}

/// One run of the indexer, asked for by hand.
struct IndexingRun {
  let session: ReadingSession
  let showsProgress: Bool
  let examinesAll: Bool

  init(
    _ options: ReadingOptions, _ format: DocumentFormat, showsProgress: Bool,
    examinesAll: Bool = false
  ) throws {
    self.examinesAll = examinesAll
    session = try ReadingSession(options, format: format.result)
    self.showsProgress = showsProgress
  }

  func run(_ mode: IndexUpdater.Mode, isDry: Bool = false) throws {
    if isDry { return try foretell(mode) }
    let view = IndexProgressView(session.report, isForced: showsProgress)
    defer { view.end() }
    var updater = IndexUpdater(root: session.root)
    updater.ownAddresses = session.ownAddresses
    updater.examiner = session.examiner
    updater.examinesAll = examinesAll
    let summary = try updater.run(mode) { view.show($0) }
    view.end()
    let told = IndexRunReport(summary: summary)
    told.tellProblems(session.report)
    session.report.line(told.line)
    session.report.detail(2, told.detail)
    if !session.format.isText { session.report.console.printResult(told.json.text + "\n") }
    try session.end(summary.problems.isEmpty ? .done : .inPart)
  }

  private func foretell(_ mode: IndexUpdater.Mode) throws {
    let forecast = try UpdateForecast.of(mode, root: session.root)
    for problem in forecast.problems { session.report.problem(problem.path, problem.error) }
    let told = UpdateForecastReport(forecast: forecast)
    session.report.line(told.line)
    if !session.format.isText { session.report.console.printResult(told.json.text + "\n") }
    try session.end(forecast.problems.isEmpty ? .done : .inPart)
  }
}
