import ArgumentParser
import CLISupport
import MIME
import MailCore
import MailIndex

package struct AttachmentsCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "attachments", abstract: "List the attachments of messages, save or open them.",
    discussion: """
      The query's language is described in mirror-search(7). Saving never replaces a file and never \
      leaves the directory; file names are made safe. Opening looks first whether name, type and content \
      agree, and refuses what runs.

      Exit status: 0 done; 1 something could not be saved or opened, or no index yet; 64 a mistake in the \
      query; 65 not what it says it is.
      """)

  @OptionGroup package var options: ReadingOptions
  @OptionGroup package var format: DocumentFormat
  @OptionGroup package var range: ListRange

  @Option(help: ArgumentHelp("Write them into this directory.", valueName: "dir"))
  package var save: String?

  @Flag(help: "Open one with the program that the desktop has for it.")
  package var open = false

  @Option(help: ArgumentHelp("Only this section.", valueName: "section"))
  package var part: String?

  @Flag(help: "With --save: print the paths that would be written, and write nothing.")
  package var dryRun = false

  @Flag(help: "With --save: at a terminal, too, don't ask about what may do harm.")
  package var yes = false

  @Argument(parsing: .allUnrecognized, help: "Of which messages: an id or a query.")
  package var query: [String] = []

  package init() {}

  package func validate() throws {
    try QueryWords.check(query)
    guard QueryWords.of(query).contains(where: { !$0.allSatisfy(\.isWhitespace) }) else {
      throw ValidationError("Say of which messages; * takes all.")
    }
    if open, save != nil { throw ValidationError("--save and --open exclude each other.") }
  }

  package func run() throws {
    let session = try ReadingSession(options, format: format.result)
    let reader = try session.openIndex()
    let ids = try Selection(QueryWords.of(query), session).messageIDs(reader, range: range.range)
    if open { return try open(ids, session, reader) }
    let saver = try save.map { try self.saver(into: $0, session) }
    var writer = session.writer
    var status = ExitStatus.done
    for id in ids where !writer.isClosed {
      let message = try reader.read { try HitReader($0).hits([id]).first }
      guard let message = message.map(chosen), !message.attachments.isEmpty else { continue }
      let results = saver?.save(message) ?? message.attachments.map { .init(attachment: $0) }
      for result in results {
        if let error = result.error {
          session.report.problem("\(message.id) [\(result.attachment.section)]", error)
          status = .inPart
        }
        if result.isDeclined { continue }
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

extension AttachmentsCommand {
  /// The message with no other attachments than those that were asked for.
  private func chosen(_ message: SearchHit) -> SearchHit {
    guard let part else { return message }
    var message = message
    message.attachments.removeAll { $0.section != part }
    return message
  }

  private func saver(into directory: String, _ session: ReadingSession) throws -> AttachmentSaver {
    let directory = try SaveDirectory(TreeRoot.absolute(directory), isDry: dryRun)
    let asks = !yes && !dryRun && TerminalQuestion.isPossible
    return AttachmentSaver(directory, root: session.root, config: session.config) { name, harm in
      !asks || TerminalQuestion.isAgreed("“\(name.readable)” may do harm (\(harm)). Save it?")
    }
  }

  private func open(_ ids: [Int64], _ session: ReadingSession, _ reader: IndexReader) throws {
    let messages = try reader.read { try HitReader($0).hits(ids) }.map(chosen)
    let count = messages.reduce(0) { $0 + $1.attachments.count }
    guard count < 2 else { throw OpenError.several(count) }
    guard let message = messages.first(where: { !$0.attachments.isEmpty }) else {
      throw OpenError.none
    }
    let files = try OpenedFiles()
    let opening = AttachmentOpening(files: files, root: session.root, config: session.config) {
      TerminalQuestion.isPossible && TerminalQuestion.isAgreed($0)
    }
    let path = try opening.open(message)
    session.report.detail(1, path)
    try session.end()
  }
}

extension Report {
  func problem(_ subject: String, _ error: any Explained) {
    problem(subject, error.explanation.problem, remedy: error.explanation.remedy)
  }
}
