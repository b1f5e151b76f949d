import CLISupport
import GRDB
import MailCore
import MailIndex

/// Prints what a query found, in each of the formats.
struct Listing {
  let session: ReadingSession
  let range: ResultRange
  /// Nothing is linked.
  var isDry = false
  /// Rows carry the first words of the text.
  var hasSnippets = false
  /// What servers have besides, the newest first; nil where none was asked.
  var elsewhere: [SearchHit]?

  private var limit: Int? {
    range.limit(onTerminal: session.format == .text && session.page.columns != nil)
  }

  func count(_ query: MessageQuery, threads: Bool) throws {
    let (count, unknown) = try session.openIndex().read { db in
      let search = try query.search(in: db)
      return (try threads ? search.threadCount() : search.count(), search.unknownNames)
    }
    session.tell(unknown)
    session.report.console.printResult("\(count)\n")
  }

  // MARK: Messages

  /// - Parameter hasContext: a line of the text that matches stands below each message.
  /// - Returns: how many were found, of those that were asked for.
  @discardableResult func messages(_ query: MessageQuery, hasContext: Bool) throws -> Int {
    let reader = try session.openIndex()
    let query = asked(query)
    let marksMatches = session.format == .text && session.page.hasColours
    var (ids, unknown, matcher) = try reader.read { db in
      let search = try query.search(in: db)
      let matcher = hasContext || marksMatches ? try TermMatcher(query.node, db) : nil
      return (try search.messages(), search.unknownNames, matcher)
    }
    session.tell(unknown)
    let hasMore = cut(&ids)
    if case .maildir(let path) = session.format {
      try link(ids, at: path, reader)
      return ids.count
    }
    if session.format == .ids {
      list(ids, hasMore)
      return ids.count
    }
    let context = hasContext ? matcher.map(ContextLine.init) : nil
    var writer = session.writer
    try forEach(ids, reader) { hit in
      switch session.format {
      case .text:
        writer.line(
          MessageRow(hit, matcher, hasSnippet: hasSnippets).line(on: session.page))
        if let line = context?.line(of: hit, session) { writer.line(line) }
      case .json, .jsonl:
        var members = hit.members(root: session.root, tellsPlace: elsewhere != nil)
        if let context {
          members.append(.init("context", .optional(context.text(of: hit, session))))
        }
        writer.item(.object(members))
      case .paths: for path in hit.paths(root: session.root) { writer.path(path) }
      case .ids, .maildir: break
      }
    }
    for hit in elsewhere ?? [] {
      writer.line(of: hit, MessageRow(hit, matcher), on: session.page, root: session.root)
    }
    writer.end()
    tellOfMore(hasMore)
    return ids.count
  }

  /// Numbers alone need no look at the messages.
  private func list(_ ids: [Int64], _ hasMore: Bool) {
    var writer = session.writer
    for id in ids where !writer.isClosed { writer.line(String(id)) }
    writer.end()
    tellOfMore(hasMore)
  }

  // MARK: Conversations

  func conversations(_ query: MessageQuery) throws {
    let reader = try session.openIndex()
    let query = asked(query)
    var (threads, unknown) = try reader.read { db in
      let search = try query.search(in: db)
      return (try search.threads(), search.unknownNames)
    }
    session.tell(unknown)
    let hasMore = cut(&threads)
    let messages = threads.flatMap { $0.messages.map(\.id) }
    if case .maildir(let path) = session.format { return try link(messages, at: path, reader) }
    var writer = session.writer
    if session.format == .paths {
      try forEach(messages, reader) { hit in
        for path in hit.paths(root: session.root) { writer.path(path) }
      }
    }
    for thread in threads where !writer.isClosed {
      switch session.format {
      case .text:
        writer.line(ConversationRow(thread, hasSnippet: hasSnippets).line(on: session.page))
      case .json, .jsonl: writer.item(thread.json)
      case .ids: writer.line("thread:\(thread.id)")
      case .paths, .maildir: break
      }
    }
    writer.end()
    tellOfMore(hasMore)
  }

  // MARK: Both

  /// One more than is shown, to know whether there are more.
  private func asked(_ query: MessageQuery) -> MessageQuery {
    var query = query
    query.limit = limit.map { $0 == .max ? $0 : $0 + 1 }
    query.offset = range.offset
    return query
  }

  private func cut<Found>(_ found: inout [Found]) -> Bool {
    guard let limit, found.count > limit else { return false }
    found.removeLast(found.count - limit)
    return true
  }

  private func tellOfMore(_ hasMore: Bool) {
    guard hasMore, range.limit == nil, let limit else { return }
    let next = range.offset.addingReportingOverflow(limit)
    guard !next.overflow else { return }
    session.report.notice(
      session.report.program,
      "there are more: --offset \(next.partialValue) shows the next, --limit 0 all of them.")
  }

  /// In one state of the index for each piece, so that a long list holds nothing up.
  private func forEach(_ ids: [Int64], _ reader: IndexReader, _ body: (SearchHit) throws -> Void)
    throws
  {
    var rest = ids[...]
    while !rest.isEmpty, !session.report.console.hasFailed {
      let piece = rest.prefix(500)
      rest = rest.dropFirst(500)
      for hit in try reader.read({ try HitReader($0).hits(piece) }) { try body(hit) }
    }
  }

  private func link(_ ids: [Int64], at path: String, _ reader: IndexReader) throws {
    var entries: [LinkedMaildir.Entry] = []
    try forEach(ids, reader) { hit in
      if let path = hit.paths(root: session.root).first {
        entries.append(LinkedMaildir.Entry(id: hit.id, path: path))
      }
    }
    let directory = TreeRoot.absolute(path)
    let maildir = LinkedMaildir(directory, root: session.root)
    if isDry { try maildir.check() } else { try maildir.fill(entries) }
    guard !session.report.isQuiet else { return }
    let count = Quantities.count(entries.count, "message")
    session.report.line(
      isDry ? "\(count) would be linked in \(directory)" : "\(count) in \(directory)")
  }
}

extension ResultWriter {
  /// A message that has no file.
  fileprivate mutating func line(
    of hit: SearchHit, _ row: MessageRow, on page: Page, root: String
  ) {
    if case .text = format { return line(row.line(on: page)) }
    item(.object(hit.members(root: root, tellsPlace: true)))
  }
}
