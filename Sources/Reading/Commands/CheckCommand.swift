import ArgumentParser
import CLISupport
import MailCore
import MailIndex

package struct CheckCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Look whether the index is sound and agrees with the tree.",
    discussion: """
      Changes nothing; of an index that is damaged it notes that for the next update. What differs is \
      named on standard error.

      Exit status: 0 all is well; 1 the tree has changed since, update brings it in, or a part of it \
      cannot be indexed; 65 the index \
      contradicts itself, the next update or rebuild mends it; 75 an update is under way.
      """)

  @OptionGroup package var options: ReadingOptions
  @OptionGroup package var format: DocumentFormat

  package init() {}

  package func run() throws {
    let session = try ReadingSession(options, format: format.result)
    let found = try Self.check(session)
    let report = session.report
    for fault in found.faults {
      report.problem(
        "index", fault + ".",
        remedy: "`mirror-index rebuild` makes it anew, and so does the next update.")
    }
    for difference in found.isBehind {
      report.problem(
        "index", difference + ".", remedy: "`mirror-index update --full` brings it in.")
    }
    for problem in found.leftOut where problem.isMail {
      report.problem(problem.path, problem.error)
    }
    for problem in found.leftOut where !problem.isMail {
      report.notice(problem.path, problem.error.explanation.problem)
    }
    report.line(Self.line(found))
    if !session.format.isText { report.console.printResult(Self.json(found).text + "\n") }
    try session.end(found.isSound ? .done : found.faults.isEmpty ? .inPart : .badData)
  }

  /// Damage that keeps the index from being opened at all is bad data, too.
  private static func check(_ session: ReadingSession) throws -> IndexCheck.Report {
    do throws(IndexError) {
      _ = try session.openIndex()
      return try IndexCheck(root: session.root).run()
    } catch {
      guard case .damaged = error else { throw error }
      session.report.problem(error)
      throw ProgramEnd(.badData)
    }
  }

  static func line(_ found: IndexCheck.Report) -> String {
    let checked =
      "\(Quantities.count(found.messages, "message")), \(Quantities.count(found.files, "file"))"
    if found.isSound { return checked + ": all is well" }
    let faults = found.faults.isEmpty ? "" : ", \(Quantities.count(found.faults.count, "fault"))"
    let behind =
      found.isBehind.isEmpty
      ? "" : ", \(Quantities.count(found.isBehind.count, "difference")) from the tree"
    let leftOut = found.leftOut.isEmpty ? "" : ", \(found.leftOut.count) left out"
    return checked + faults + behind + leftOut
  }

  static func json(_ found: IndexCheck.Report) -> JSONValue {
    .object([
      "messages": .integer(Int64(found.messages)), "files": .integer(Int64(found.files)),
      "faults": .strings(found.faults), "differences": .strings(found.isBehind),
      "left_out": .array(found.leftOut.map(IndexRunReport.json)),
    ])
  }
}
