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

  @Flag(help: "With --html: fetch the page's remote images, but not those that tell who reads.")
  package var remoteImages = false

  @Option(
    help: ArgumentHelp(
      "Print the content of this part; - with --text: what standard input holds.",
      valueName: "section"))
  package var part: String?

  @Flag(help: "With --part: print it as text, whatever reads it; HTML with its links numbered.")
  package var text = false

  @Option(help: ArgumentHelp("The charset of what standard input holds.", valueName: "name"))
  package var charset: String?

  @Flag(
    help: "Print the 25 messages before those that are printed without it; twice: those before.")
  package var older: Int

  @Flag(name: .customLong("no-pager"), help: "Print to the terminal without a pager.")
  package var noPager = false

  @Argument(parsing: .allUnrecognized, help: "An id, thread:ID, or a query.")
  package var query: [String] = []

  package init() {}

  package func validate() throws {
    if text, part == nil { throw ValidationError("--text belongs to --part.") }
    if part == "-" {
      guard text, QueryWords.of(query).isEmpty else {
        throw ValidationError("--part - reads standard input: it needs --text and no message.")
      }
      return
    }
    if charset != nil { throw ValidationError("--charset belongs to --part -.") }
    if all, older > 0 { throw ValidationError("--all and --older exclude each other.") }
    try QueryWords.check(query)
    guard QueryWords.of(query).contains(where: { !$0.allSatisfy(\.isWhitespace) }) else {
      throw ValidationError("Say what to show: an id, thread:ID, or a query.")
    }
    if [raw, headers, html, part != nil].count(where: { $0 }) > 1 {
      throw ValidationError("--raw, --headers, --html and --part exclude each other.")
    }
    if remoteImages, !html {
      throw ValidationError("--remote-images belongs to --html: a text has no images.")
    }
    if html, format.result != .text {
      throw ValidationError("--html prints a page, which --format does not change.")
    }
  }

  package func run() throws {
    let shown = try show(images: nil)
    try shown.end(shown.status)
  }

  /// What was printed.
  package struct Shown {
    package var session: ReadingSession
    /// Whoever closes the pager has read enough.
    package var isPaged = false
    package var messages: [SearchHit]
    package var status: ExitStatus

    package func end(_ status: ExitStatus) throws {
      guard isPaged else { return try session.end(status) }
      if status != .done { throw ProgramEnd(status) }
    }
  }

  /// Prints, and leaves the end of the command to the caller.
  ///
  /// - Parameter images: what fetches remote images; nil in a program without a network.
  package func show(images: (any ImageFetching)?) throws -> Shown {
    if remoteImages, images == nil {
      throw ValidationError("This program never asks the network for anything; mirror show does.")
    }
    let session = try ReadingSession(options, format: format.result)
    if part == "-" {
      let content = StandardInput.all()
      ShownPart.print(PartAsText(content: content, type: "text/html", charset: charset), session)
      return Shown(session: session, messages: [], status: .done)
    }
    let reader = try session.openIndex()
    let found = try Selection(QueryWords.of(query), session).messageIDs(reader)
    guard !found.isEmpty else {
      // An empty list is a document, too.
      if format.result != .text, !raw, part == nil {
        var writer = session.writer
        writer.end()
      }
      throw ShowError.nothingFound
    }
    let isPaged = session.report.console.outputIsTerminal && format.result == .text && !html
    let pager = isPaged && !noPager ? Pager.begin() : nil
    defer { pager?.end() }
    var printed = found
    var status = ExitStatus.done
    if let part, text {
      guard found.count == 1, let id = found.first else {
        throw ShowError.severalFound(found.count)
      }
      try ShownPart(session: session, reader: reader).printText(id, section: part)
    } else if raw || part != nil {
      guard found.count == 1, let id = found.first else {
        throw ShowError.severalFound(found.count)
      }
      try ShownPart(session: session, reader: reader).print(id, section: part)
    } else if html {
      (printed, status) = try PagePrinter(
        session: session, reader: reader, images: images, older: older
      ).print(found, wholeThreads: wholeThreads, all: all)
    } else {
      let view = ConversationPrinter(
        session: session, reader: reader, unfoldsQuotes: quoted, onlyHeaders: headers,
        foldsRead: session.report.console.outputIsTerminal && !all && !headers, older: older)
      (printed, status) = try view.print(found, wholeThreads: wholeThreads, all: all)
    }
    return Shown(
      session: session, isPaged: pager != nil,
      messages: try reader.read { try HitReader($0).hits(printed[...]) },
      status: status)
  }
}

/// Why nothing is shown.
enum ShowError: Error, Equatable {
  case nothingFound
  case severalFound(Int)
  case noneOlder
  case notOne(Int)
}

extension ShowError: Explained {
  var explanation: Explanation {
    switch self {
    case .nothingFound:
      Explanation(
        problem: "No message was found.",
        remedy: "`search` lists messages with their ids.", exitStatus: .inPart)
    case .noneOlder:
      Explanation(
        problem: "There are no older messages than those that are shown without --older.",
        remedy: nil, exitStatus: .inPart)
    case .notOne(let count):
      Explanation(
        problem: "\(count) messages were found.",
        remedy: "Say which by its id; `search` lists them.", exitStatus: .usage)
    case .severalFound(let count):
      Explanation(
        problem: "\(count) messages were found; --raw and --part print one.",
        remedy: "Say which by its id; `search` lists them.", exitStatus: .usage)
    }
  }
}
