import MailIndex

/// What the words behind a verb found, for commands that change it.
package struct FoundMessages {
  package let query: QueryNode
  package let hits: [SearchHit]

  /// - Throws: `IndexError`; ends the program where the query has a mistake, which is told.
  package init(_ words: [String], _ session: ReadingSession) throws {
    let query = try session.query(QueryWords.of(words))
    let (unknown, hits) = try session.openIndex().read { db in
      let search = try query.search(in: db)
      let ids = try search.messages()
      return (search.unknownNames, try HitReader(db).hits(ids[...]))
    }
    session.tell(unknown)
    self.query = query.node
    self.hits = hits
  }
}
