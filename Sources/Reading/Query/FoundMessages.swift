import MailIndex

/// What the words behind a verb found, for commands that change it.
package struct FoundMessages {
  package var query: QueryNode { asked.node }
  package let hits: [SearchHit]
  private let asked: MessageQuery
  private let reader: IndexReader

  /// Brings the index up to date first: a mail reader may have starred what the query would take for unstarred.
  ///
  /// - Parameter mayBeOld: what an index finds that cannot be brought up to date will do; that is told.
  /// - Throws: `IndexError`; ends the program where the query has a mistake, which is told.
  package init(_ words: [String], _ session: ReadingSession, mayBeOld: Bool) throws {
    let query = try session.query(QueryWords.of(words))
    // No index is made here: the first may take its time.
    _ = try session.openIndex()
    do throws(IndexError) {
      try session.bringIndexUpToDate()
    } catch {
      guard mayBeOld else { throw error }
      session.report.notice("index", error.explanation.problem)
    }
    let reader = try session.openIndex()
    let (unknown, hits) = try reader.read { db in
      let search = try query.search(in: db)
      let ids = try search.messages()
      return (search.unknownNames, try HitReader(db).hits(ids[...]))
    }
    session.tell(unknown)
    asked = query
    self.hits = hits
    self.reader = reader
  }

  /// The messages that a part of the query finds by itself.
  package func messages(matching part: QueryNode) throws -> Set<Int64> {
    var query = asked
    query.node = part
    return try reader.read { Set(try query.search(in: $0).messages()) }
  }
}

extension ReadingSession {
  /// Waits for another update, which may be that of a large pull.
  ///
  /// - Parameter folders: their paths below the root; others are not looked at. Nil for all.
  package func bringIndexUpToDate(only folders: Set<String>? = nil) throws(IndexError) {
    var updater = IndexUpdater(root: root)
    updater.ownAddresses = ownAddresses
    updater.patience = 60
    updater.examiner = examiner
    _ = try updater.run(only: folders)
  }
}
