import ArgumentParser
import CLISupport
import MailCore
import MailIndex

package struct ExportCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write messages into an mbox, or as files of their own.",
    discussion: """
      Each message goes out as its file has it, the oldest first. Nothing is ever replaced. The query's \
      language is described in mirror-search(7); * exports all.

      Exit status: 0 done; 1 nothing found, some messages could not be read, or parts of some are on the server; 64 a mistake in the query.
      """)

  @OptionGroup package var options: ReadingOptions
  @OptionGroup package var format: DocumentFormat

  @Option(
    help: ArgumentHelp(
      "Write one file in the format mboxrd; - is standard output.", valueName: "file"))
  package var mbox: String?

  @Option(
    help: ArgumentHelp("Write a file for each message into this directory.", valueName: "dir"))
  package var eml: String?

  @Flag(help: "Tell what would be written, and write nothing.")
  package var dryRun = false

  @Argument(parsing: .allUnrecognized, help: "Which messages: an id, thread:ID, or a query.")
  package var query: [String] = []

  package init() {}

  package func validate() throws {
    try QueryWords.check(query)
    guard (mbox == nil) != (eml == nil) else {
      throw ValidationError("Say where to: --mbox FILE or --eml DIR.")
    }
    guard QueryWords.of(query).contains(where: { !$0.allSatisfy(\.isWhitespace) }) else {
      throw ValidationError("Say which messages; * takes all.")
    }
  }

  package func run() throws {
    let session = try ReadingSession(options, format: format.result)
    let reader = try session.openIndex()
    let ids = try Selection(QueryWords.of(query), session).messageIDs(reader)
    guard !ids.isEmpty else { throw ShowError.nothingFound }
    var export = MessageExport(
      session: session, reader: reader, target: try target(session), isDry: dryRun)
    let status = try export.run(ids.reversed())
    try session.end(status)
  }

  private func target(_ session: ReadingSession) throws -> any ExportTarget {
    if mbox == "-" { return MboxOutput(console: session.report.console, isDry: dryRun) }
    if let mbox { return try MboxFile(TreeRoot.absolute(mbox), isDry: dryRun) }
    return MessageFiles(try SaveDirectory(TreeRoot.absolute(eml ?? "."), isDry: dryRun))
  }
}
