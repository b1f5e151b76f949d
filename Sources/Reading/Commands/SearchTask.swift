import CLISupport
import MailCore
import MailIndex

/// What `search` is asked for, however its command line was read.
package struct SearchTask: Sendable, Equatable {
  package var place = ReadingPlace()
  package var format = ResultFormat.text
  package var range = ResultRange()
  package var sort = SearchRequest.Sort.date
  package var threads = false
  package var count = false
  package var context = false
  package var snippet = false
  /// With `maildir=DIR`: nothing is linked.
  package var isDry = false
  /// The words of the query.
  package var query: [String] = []

  /// What servers have besides, the newest first; nil where none was asked.
  package var elsewhere: [SearchHit]?
  /// Message-IDs of what is listed as well, whatever its words.
  package var besides: [String] = []

  package init() {}

  /// The process ends after this: what it opened is left to the kernel.
  ///
  /// - Parameter afterList: is called below a list of messages, with their number.
  /// - Throws: `IndexError`, `SettingsError`; `ProgramEnd` where everything was told.
  package func run(
    status: ExitStatus = .done, afterList: (ReadingSession, QueryNode, Int) -> Void = { _, _, _ in }
  ) throws {
    var session = try ReadingSession(place, format: format)
    session.leavesIndexOpen = true
    let listing = Listing(
      session: session, range: range, isDry: isDry, hasSnippets: snippet, elsewhere: elsewhere)
    var query = try session.query(query)
    query.sort = sort
    if !besides.isEmpty {
      let ids = besides.map { QueryNode(kind: .id($0), range: 0..<0) }
      query.node = QueryNode(kind: .or([query.node] + ids), range: query.node.range)
    }
    if count {
      try listing.count(query, threads: threads)
    } else if threads {
      try listing.conversations(query)
    } else {
      let count = try listing.messages(query, hasContext: context)
      afterList(session, query.node, count)
    }
    try session.end(status)
  }
}
