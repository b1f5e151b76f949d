import MailIndex

/// What the words behind a verb found, for commands that change it.
package struct FoundMessages {
  package var query: QueryNode { asked.node }
  package let hits: [SearchHit]
  private let asked: MessageQuery
  private let reader: IndexReader

  /// - Throws: `IndexError`; ends the program where the query has a mistake, which is told.
  package init(_ words: [String], _ session: ReadingSession) throws {
    let query = try session.query(QueryWords.of(words))
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
