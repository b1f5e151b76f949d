import MailIndex

/// One run of the indexer, asked for by hand, however its command line was read.
struct IndexingTask: Sendable, Equatable {
  var place = ReadingPlace()
  var format = ResultFormat.text
  var mode = IndexUpdater.Mode.update
  /// Also where standard error is no terminal.
  var showsProgress = false
  /// Looks all old mail through for warnings.
  var examinesAll = false
  var isDry = false

  /// - Throws: `IndexError`, `SettingsError`; `ProgramEnd` where everything was told.
  func run() throws {
    let session = try ReadingSession(place, format: format)
    if isDry { return try foretell(session) }
    let view = IndexProgressView(session.report, isForced: showsProgress)
    defer { view.end() }
    var updater = IndexUpdater(root: session.root)
    updater.ownAddresses = session.ownAddresses
    updater.examiner = session.examiner
    updater.examinesAll = examinesAll
    updater.endsProcess = true
    let summary = try updater.run(mode) { view.show($0) }
    view.end()
    let told = IndexRunReport(summary: summary)
    told.tellProblems(session.report)
    session.report.line(told.line)
    session.report.detail(2, told.detail)
    if !session.format.isText { session.report.console.printResult(told.json.text + "\n") }
    try session.end(summary.problems.isEmpty ? .done : .inPart)
  }

  private func foretell(_ session: ReadingSession) throws {
    let forecast = try UpdateForecast.of(mode, root: session.root)
    for problem in forecast.problems { session.report.problem(problem.path, problem.error) }
    let told = UpdateForecastReport(forecast: forecast)
    session.report.line(told.line)
    if !session.format.isText { session.report.console.printResult(told.json.text + "\n") }
    try session.end(forecast.problems.isEmpty ? .done : .inPart)
  }
}
