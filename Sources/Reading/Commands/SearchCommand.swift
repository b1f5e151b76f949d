import ArgumentParser
import CLISupport
import MailCore
import MailIndex

package struct SearchCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Find messages, the newest first.",
    discussion: """
      The query's language is described in mirror-search(7). A word that begins with “-” negates; an \
      option that is not known is no word.

      Exit status: 0 done, also where nothing was found; 1 no index yet; 64 a mistake in the query.
      """)

  @OptionGroup package var options: ReadingOptions
  @OptionGroup package var format: ListFormat
  @OptionGroup package var range: ListRange

  @Option(help: "date (the newest first) or relevance (the best first).")
  package var sort = SearchRequest.Sort.date

  @Flag(help: "List the conversations that the messages belong to.")
  package var threads = false

  @Flag(help: "Print the number of results only.")
  package var count = false

  @Flag(help: "Show beside each message a line of its text that matches.")
  package var context = false

  @Flag(
    name: [.customLong("snippet"), .customLong("snippets")],
    help: "Print the first words of the text behind the subject.")
  package var snippet = false

  @Argument(parsing: .allUnrecognized, help: "What to look for.")
  package var query: [String] = []

  package init() {}

  package func validate() throws {
    try QueryWords.check(query)
    guard !QueryWords.of(query).isEmpty else {
      throw ValidationError("Say what to look for; * finds all messages.")
    }
    if threads, context { throw ValidationError("--threads and --context exclude each other.") }
  }

  package func run() throws { try task.run() }

  package var task: SearchTask {
    var task = SearchTask()
    task.place = options.place
    task.format = format.format
    task.range = range.range
    task.sort = sort
    task.threads = threads
    task.count = count
    task.context = context
    task.snippet = snippet
    task.isDry = format.dryRun
    task.query = QueryWords.of(query)
    return task
  }
}

package struct ThreadsCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "threads", abstract: "List conversations, those with the newest messages first.",
    discussion: """
      With a query only those of which a message matches, see mirror-search(7). `show thread:ID` prints one.

      Exit status: 0 done, also where nothing was found; 1 no index yet; 64 a mistake in the query.
      """)

  @OptionGroup package var options: ReadingOptions
  @OptionGroup package var format: ListFormat
  @OptionGroup package var range: ListRange

  @Flag(help: "Print the number of conversations only.")
  package var count = false

  @Flag(
    name: [.customLong("snippet"), .customLong("snippets")],
    help: "Print the first words of the newest message behind the subject.")
  package var snippet = false

  @Argument(parsing: .allUnrecognized, help: "What to look for; default: all.")
  package var query: [String] = []

  package init() {}

  package func validate() throws { try QueryWords.check(query) }

  package func run() throws {
    let session = try ReadingSession(options, format: format.format)
    let listing = Listing(
      session: session, range: range.range, isDry: format.dryRun, hasSnippets: snippet)
    let query = try session.query(QueryWords.of(query))
    if count {
      try listing.count(query, threads: true)
    } else {
      try listing.conversations(query)
    }
    try session.end()
  }
}

extension SearchRequest.Sort: ExpressibleByArgument {}

/// The words behind a verb that takes a query.
package enum QueryWords {
  /// The parser leaves the `--` in that ends the options.
  private static let end = "--"

  package static func of(_ arguments: [String]) -> [String] {
    guard let place = arguments.firstIndex(of: end) else { return arguments }
    return Array(arguments[..<place] + arguments[(place + 1)...])
  }

  /// `-word` negates and is the query's; `--word` is an option with a mistake in it.
  package static func check(_ arguments: [String]) throws {
    let words = arguments.prefix { $0 != end }
    guard let option = words.first(where: { $0.hasPrefix("--") }) else { return }
    throw ValidationError("Unknown option “\(option)”.")
  }
}
