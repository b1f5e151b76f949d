/// Reads the query language of mirror-search(7).
///
///     either = both { "or" both }
///     both   = one { [ "and" ] one }
///     one    = ( "not" | "-" ) one | "(" either ")" | field value | phrase | word
package struct QueryParser {
  var lexer: QueryLexer
  var piece: QueryLexer.Piece
  let clock: QueryClock
  private var depth = 0
  private var terms = 0

  /// - Throws: ``QueryError``, with the place.
  package static func parse(_ query: String, clock: QueryClock) throws(QueryError) -> QueryNode {
    guard query.utf8.count <= QueryLimits.length else {
      throw QueryError(
        mistake: .tooLong, query: query, range: QueryLimits.length..<query.utf8.count)
    }
    var parser = try QueryParser(query, clock: clock)
    if parser.piece.token == .end { return QueryNode(kind: .everything, range: 0..<0) }
    let node = try parser.either(field: nil)
    switch parser.piece.token {
    case .end: break
    default: throw parser.error(.unopened(")"), at: parser.piece.range)
    }
    guard node.kind != .ignored else { throw parser.error(.nothingToFind, at: node.range) }
    return node
  }

  private init(_ query: String, clock: QueryClock) throws(QueryError) {
    var lexer = QueryLexer(query)
    piece = try lexer.next()
    self.lexer = lexer
    self.clock = clock
  }

  func error(_ mistake: QueryError.Mistake, at range: Range<Int>) -> QueryError {
    lexer.error(mistake, at: range)
  }

  mutating func advance() throws(QueryError) { piece = try lexer.next() }

  mutating func deepen(at range: Range<Int>) throws(QueryError) {
    depth += 1
    if depth > QueryLimits.depth { throw error(.tooDeep, at: range) }
  }

  mutating func rise() { depth -= 1 }

  mutating func countTerm(at range: Range<Int>) throws(QueryError) {
    terms += 1
    if terms > QueryLimits.terms { throw error(.tooManyTerms, at: range) }
  }

  // MARK: Operators

  private enum Operator {
    case and, or, not
  }

  private var upcoming: Operator? {
    guard case .word(let word) = piece.token, word.utf8.count <= 3 else { return nil }
    switch word.lowercased() {
    case "and", "&&": return .and
    case "or", "||": return .or
    case "not": return .not
    default: return nil
    }
  }

  /// Whether a condition can begin here; if not, the operator before it lacks its partner.
  private var beginsOne: Bool {
    switch piece.token {
    case .end, .close, .closeBrace: false
    default: upcoming != .and && upcoming != .or
    }
  }

  private func requireOne(after word: QueryLexer.Piece, name: String) throws(QueryError) {
    guard beginsOne else { throw error(.lonelyOperator(name), at: word.range) }
  }

  /// - Parameter field: the field whose parentheses we are in, for `subject:(a or b)`.
  mutating func either(field: (QueryField, name: String)?) throws(QueryError) -> QueryNode {
    var nodes = [try both(field: field)]
    while upcoming == .or {
      let word = piece
      try advance()
      try requireOne(after: word, name: "or")
      nodes.append(try both(field: field))
    }
    return Self.join(nodes) { .or($0) }
  }

  private mutating func both(field: (QueryField, name: String)?) throws(QueryError) -> QueryNode {
    if let first = upcoming, first != .not {
      throw error(.lonelyOperator(first == .or ? "or" : "and"), at: piece.range)
    }
    var nodes = [try one(field: field)]
    while upcoming == .and || beginsOne {
      if upcoming == .and {
        let word = piece
        try advance()
        try requireOne(after: word, name: "and")
      }
      nodes.append(try one(field: field))
    }
    return Self.join(nodes) { .and($0) }
  }

  /// Drops what asks nothing; one node stands for itself.
  private static func join(_ nodes: [QueryNode], _ kind: ([QueryNode]) -> QueryNode.Kind)
    -> QueryNode
  {
    let range = nodes[0].range.lowerBound..<nodes[nodes.count - 1].range.upperBound
    let asking = nodes.filter { $0.kind != .ignored }
    if asking.isEmpty { return QueryNode(kind: .ignored, range: range) }
    return asking.count == 1 ? asking[0] : QueryNode(kind: kind(asking), range: range)
  }

  private mutating func one(field: (QueryField, name: String)?) throws(QueryError) -> QueryNode {
    let start = piece
    if upcoming == .not || start.token == .minus {
      try advance()
      try requireOne(after: start, name: start.token == .minus ? "-" : "not")
      try deepen(at: start.range)
      let node = try one(field: field)
      rise()
      let range = start.range.lowerBound..<node.range.upperBound
      return QueryNode(kind: node.kind == .ignored ? .ignored : .not(node), range: range)
    }
    switch start.token {
    case .open: return try group(field: field)
    case .field(let inner, let name):
      let value = try lexer.value(acceptsBrace: inner == .thread)
      return try self.value(value, of: (inner, name), from: start.range.lowerBound)
    case .word, .phrase:
      try advance()
      if let field {
        return try condition(start, of: field, from: start.range.lowerBound)
      }
      return try bareText(start)
    case .close: throw error(.unopened(")"), at: start.range)
    case .closeBrace: throw error(.unopened("}"), at: start.range)
    case .openBrace, .minus, .end: throw error(.nothingToFind, at: start.range)
    }
  }

  /// The current piece is the opening parenthesis.
  mutating func group(field: (QueryField, name: String)?) throws(QueryError) -> QueryNode {
    let start = piece.range
    try advance()
    if piece.token == .close {
      throw error(.emptyGroup, at: start.lowerBound..<piece.range.upperBound)
    }
    guard piece.token != .end else { throw error(.unclosed("("), at: start) }
    try deepen(at: start)
    let node = try either(field: field)
    rise()
    guard piece.token == .close else { throw error(.unclosed("("), at: start) }
    let range = start.lowerBound..<piece.range.upperBound
    try advance()
    return QueryNode(kind: node.kind, range: range)
  }

  private mutating func bareText(_ piece: QueryLexer.Piece) throws(QueryError) -> QueryNode {
    if case .word("*") = piece.token { return QueryNode(kind: .everything, range: piece.range) }
    guard let term = try textTerm(piece, columns: .all) else {
      return QueryNode(kind: .ignored, range: piece.range)
    }
    return QueryNode(kind: .text(term), range: piece.range)
  }
}
