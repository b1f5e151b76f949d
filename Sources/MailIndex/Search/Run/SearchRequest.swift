/// What to search for, and which part of the answer.
package struct SearchRequest: Sendable {
  package enum Sort: String, Sendable, CaseIterable {
    /// Newest first.
    case date
    /// Best first (bm25, the subject counting ten times the body).
    case relevance
  }

  package var query: QueryNode
  /// Messages, or threads for ``Search/threads()``; nil for all.
  package var limit: Int?
  package var offset: Int
  package var sort: Sort

  package init(query: QueryNode, limit: Int? = 50, offset: Int = 0, sort: Sort = .date) {
    self.query = query
    self.limit = limit.map { max(0, $0) }
    self.offset = max(0, offset)
    self.sort = sort
  }
}
