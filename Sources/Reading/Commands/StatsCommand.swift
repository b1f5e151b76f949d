import ArgumentParser
import CLISupport
import MailCore
import MailIndex

package struct StatsCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "stats", abstract: "Count mail by sender, list, size, year, hour and attachment.",
    discussion: """
      Of all messages, or of those that a query finds, see mirror-search(7). --html prints one page with \
      plots, which loads nothing and runs nothing.

      Exit status: 0 done, also where nothing was found; 1 no index yet; 64 a mistake in the query.
      """)

  @OptionGroup package var options: ReadingOptions
  @OptionGroup package var format: DocumentFormat

  @Option(help: ArgumentHelp("Name so many senders, domains, lists and types.", valueName: "count"))
  package var limit = 10

  @Flag(help: "Print a page for a browser.")
  package var html = false

  @Argument(parsing: .allUnrecognized, help: "Of which messages; default: all.")
  package var query: [String] = []

  package init() {}

  package func validate() throws {
    try QueryWords.check(query)
    if limit < 1 { throw ValidationError("--limit takes a number above 0.") }
    if html, !format.result.isText {
      throw ValidationError("--html and --format exclude each other.")
    }
  }

  package func run() throws {
    let session = try ReadingSession(options, format: format.result)
    let statistics = try gather(session)
    if html {
      session.report.console.printResult(
        StatisticsPage(statistics, query: words, now: session.page.now).text)
    } else if session.format.isText {
      var writer = session.writer
      for line in StatisticsText(statistics).lines(on: session.page) { writer.line(line) }
      writer.end()
    } else {
      session.report.console.printResult(statistics.json.text + "\n")
    }
    try session.end()
  }

  private var words: String {
    let words = QueryWords.of(query).joined(separator: " ")
    return words == "*" ? "" : words
  }

  private func gather(_ session: ReadingSession) throws -> MailStatistics {
    let reader = try session.openIndex()
    guard !words.isEmpty else {
      return try reader.read { try StatisticsReader($0, only: nil, most: limit).statistics() }
    }
    let query = try session.query(QueryWords.of(query))
    let (found, unknown) = try reader.read { db in
      let search = try query.search(in: db)
      let chosen = try search.messages()
      return (
        try StatisticsReader(db, only: chosen, most: limit).statistics(), search.unknownNames
      )
    }
    session.tell(unknown)
    return found
  }
}
