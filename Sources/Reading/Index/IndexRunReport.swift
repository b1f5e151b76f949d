import CLISupport
import MailCore
import MailIndex

/// Tells what a run of the indexer did.
struct IndexRunReport {
  let summary: IndexSummary

  /// `12 new, 3 changed, 1 gone; 20000 messages in the index, 0.8 s`
  ///
  /// Scripts read this line: its form never changes with the figures.
  var line: String {
    "\(summary.addedMessages) new, \(summary.changed) changed, \(summary.removedFiles) gone; "
      + "\(Quantities.count(summary.messages, "message")) in the index, "
      + Quantities.seconds(seconds)
  }

  var json: JSONValue {
    .object([
      "new": .integer(Int64(summary.addedMessages)), "changed": .integer(Int64(summary.changed)),
      "gone": .integer(Int64(summary.removedFiles)), "messages": .integer(Int64(summary.messages)),
      "reset": .optional(resetWords),
      "problems": .array(summary.problems.map(Self.json)),
      "milliseconds": .integer(Int64(seconds * 1000)),
    ])
  }

  static func json(_ problem: IndexProblem) -> JSONValue {
    .object([
      "path": .string(problem.path), "problem": .string(problem.error.explanation.problem),
    ])
  }

  /// Why the index was made anew; nil where it was not, or where that was asked for.
  var resetWords: String? {
    switch summary.reset {
    case nil, .asked: nil
    case .otherVersion: "it was made by another version of this program"
    case .damaged(let words): "it was damaged: \(words)"
    }
  }

  /// Files that were left out don't fail a run, but they are told.
  func tellProblems(_ report: Report) {
    if let words = resetWords { report.notice("index", "\(words); it was made anew.") }
    for problem in summary.problems { report.problem(problem.path, problem.error) }
  }

  /// Told with `-vv`: whoever else writes to the index waits that long at most.
  var detail: String {
    let write = summary.longestWrite
    return "longest transaction \(Self.milliseconds(write.elapsed)) ms"
      + " (\(Self.milliseconds(write.processor)) ms of a processor)"
  }

  private static func milliseconds(_ duration: Duration) -> Int64 {
    Int64(duration / .milliseconds(1))
  }

  private var seconds: Double { summary.duration / .seconds(1) }
}

/// Tells what a run of the indexer would do.
struct UpdateForecastReport {
  let forecast: UpdateForecast

  var line: String {
    "\(forecast.read) new, \(forecast.renamed) changed, \(forecast.removedFiles) gone; "
      + "nothing was written"
  }

  var json: JSONValue {
    .object([
      "dry_run": .bool(true), "new": .integer(Int64(forecast.read)),
      "changed": .integer(Int64(forecast.renamed)),
      "gone": .integer(Int64(forecast.removedFiles)),
      "problems": .array(forecast.problems.map(IndexRunReport.json)),
    ])
  }
}
