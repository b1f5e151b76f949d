import ArgumentParser
import CLISupport
import MailCore
import MailIndex

package struct ShowCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print a message or a conversation as a person reads it.",
    discussion: """
      An id, as search prints it, prints that message; thread:ID prints a conversation, a query the \
      messages that match, each conversation in its order. Of more than 50 messages the newest 25 are \
      printed, with the newest unread one.

      Exit status: 0 done; 1 nothing found, a file is gone, or no index yet; 64 a mistake in the query.
      """)

  @OptionGroup package var options: ReadingOptions
  @OptionGroup package var format: DocumentFormat

  @Flag(help: "Print quoted text, too.")
  package var quoted = false

  @Flag(help: "Print all messages, however many.")
  package var all = false

  @Flag(name: .customLong("thread"), help: "Print the whole conversations of what is found.")
  package var wholeThreads = false

  @Flag(help: "Print the bytes of the message's file.")
  package var raw = false

  @Flag(help: "Print all header fields, and nothing else.")
  package var headers = false

  @Flag(help: "Print one page for a browser, in which nothing runs and nothing is loaded.")
  package var html = false

  @Option(help: ArgumentHelp("Print the content of this part.", valueName: "section"))
  package var part: String?

  @Argument(parsing: .allUnrecognized, help: "An id, thread:ID, or a query.")
  package var query: [String] = []

  package init() {}

  package func validate() throws {
    try QueryWords.check(query)
    guard QueryWords.of(query).contains(where: { !$0.allSatisfy(\.isWhitespace) }) else {
      throw ValidationError("Say what to show: an id, thread:ID, or a query.")
    }
    if [raw, headers, html, part != nil].count(where: { $0 }) > 1 {
      throw ValidationError("--raw, --headers, --html and --part exclude each other.")
    }
    if html, format.result != .text {
      throw ValidationError("--html prints a page, which --format does not change.")
    }
  }

  package func run() throws {
    let shown = try show()
    try shown.session.end(shown.status)
  }

  /// What was printed.
  package struct Shown {
    package var session: ReadingSession
    package var messages: [SearchHit]
    package var status: ExitStatus
  }

  /// Prints, and leaves the end of the command to the caller.
  package func show() throws -> Shown {
    let session = try ReadingSession(options, format: format.result)
    let reader = try session.openIndex()
    let found = try Selection(QueryWords.of(query), session).messageIDs(reader)
    guard !found.isEmpty else { throw ShowError.nothingFound }
    var printed = found
    var status = ExitStatus.done
    if raw || part != nil {
      guard found.count == 1, let id = found.first else {
        throw ShowError.severalFound(found.count)
      }
      try ShownPart(session: session, reader: reader).print(id, section: part)
    } else if html {
      (printed, status) = try PagePrinter(session: session, reader: reader)
        .print(found, wholeThreads: wholeThreads, all: all)
    } else {
      let view = ConversationPrinter(
        session: session, reader: reader, unfoldsQuotes: quoted, onlyHeaders: headers)
      (printed, status) = try view.print(found, wholeThreads: wholeThreads, all: all)
    }
    return Shown(
      session: session, messages: try reader.read { try HitReader($0).hits(printed[...]) },
      status: status)
  }
}

/// Why nothing is shown.
enum ShowError: Error, Equatable {
  case nothingFound
  case severalFound(Int)
}

extension ShowError: Explained {
  var explanation: Explanation {
    switch self {
    case .nothingFound:
      Explanation(
        problem: "No message was found.",
        remedy: "`search` lists messages with their ids.", exitStatus: .inPart)
    case .severalFound(let count):
      Explanation(
        problem: "\(count) messages were found; --raw and --part print one.",
        remedy: "Say which by its id; `search` lists them.", exitStatus: .usage)
    }
  }
}
