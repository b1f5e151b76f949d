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

  package init() {}

  /// The process ends after this: what it opened is left to the kernel.
  ///
  /// - Throws: `IndexError`, `SettingsError`; `ProgramEnd` where everything was told.
  package func run() throws {
    var session = try ReadingSession(place, format: format)
    session.leavesIndexOpen = true
    let listing = Listing(session: session, range: range, isDry: isDry, hasSnippets: snippet)
    var query = try session.query(query)
    query.sort = sort
    if count {
      try listing.count(query, threads: threads)
    } else if threads {
      try listing.conversations(query)
    } else {
      try listing.messages(query, hasContext: context)
    }
    try session.end()
  }
}
