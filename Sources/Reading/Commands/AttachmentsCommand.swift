import ArgumentParser
import CLISupport
import MIME
import MailCore
import MailIndex

package struct AttachmentsCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "attachments", abstract: "List the attachments of messages, or save them.",
    discussion: """
      The query's language is described in mirror-search(7). Saving never replaces a file and never \
      leaves the directory; file names are made safe.

      Exit status: 0 done; 1 something could not be saved, or no index yet; 64 a mistake in the query.
      """)

  @OptionGroup package var options: ReadingOptions
  @OptionGroup package var format: DocumentFormat
  @OptionGroup package var range: ListRange

  @Option(help: ArgumentHelp("Write them into this directory.", valueName: "dir"))
  package var save: String?

  @Flag(help: "With --save: print the paths that would be written, and write nothing.")
  package var dryRun = false

  @Argument(parsing: .allUnrecognized, help: "Of which messages: an id or a query.")
  package var query: [String] = []

  package init() {}

  package func validate() throws {
    try QueryWords.check(query)
    guard QueryWords.of(query).contains(where: { !$0.allSatisfy(\.isWhitespace) }) else {
      throw ValidationError("Say of which messages; * takes all.")
    }
  }

  package func run() throws {
    let session = try ReadingSession(options, format: format.result)
    let reader = try session.openIndex()
    let ids = try Selection(QueryWords.of(query), session).messageIDs(reader, range: range.range)
    let saver = try save.map {
      AttachmentSaver(
        try SaveDirectory(TreeRoot.absolute($0), isDry: dryRun), root: session.root)
    }
    var writer = session.writer
    var status = ExitStatus.done
    for id in ids where !writer.isClosed {
      let message = try reader.read { try HitReader($0).hits([id]).first }
      guard let message, !message.attachments.isEmpty else { continue }
      let results = saver?.save(message) ?? message.attachments.map { .init(attachment: $0) }
      for result in results {
        if let error = result.error {
          session.report.problem("\(message.id) [\(result.attachment.section)]", error)
          status = .inPart
        }
        writer.item(result.json(of: message))
        if session.format == .text, result.error == nil {
          writer.line(result.line(of: message, on: session.page))
        }
      }
    }
    writer.end()
    try session.end(status)
  }
}

extension Report {
  func problem(_ subject: String, _ error: any Explained) {
    problem(subject, error.explanation.problem, remedy: error.explanation.remedy)
  }
}
