extension QueryParser {
  /// The value right behind `name:`; `start` is where the name begins.
  mutating func value(
    _ value: QueryLexer.Piece, of field: (QueryField, name: String), from start: Int
  ) throws(QueryError) -> QueryNode {
    switch value.token {
    case .open:
      piece = value
      let node = try group(field: field)
      return QueryNode(kind: node.kind, range: start..<node.range.upperBound)
    case .openBrace:
      let inner = try braces(open: value.range)
      return QueryNode(kind: .threadsOf(inner), range: start..<inner.range.upperBound + 1)
    case .phrase(let text, _) where field.0 == .thread && text.first == "{" && text.last == "}":
      // notmuch's spelling. Places inside are those of the part.
      try advance()
      let inner = try QueryParser.parse(String(text.dropFirst().dropLast()), clock: clock)
      return QueryNode(kind: .threadsOf(inner), range: start..<value.range.upperBound)
    case .word, .phrase:
      try advance()
      return try condition(value, of: field, from: start)
    default:
      throw error(.missingValue(field.name), at: start..<value.range.lowerBound)
    }
  }

  /// `{query}`, the opening brace read; returns the query inside.
  private mutating func braces(open: Range<Int>) throws(QueryError) -> QueryNode {
    try advance()
    if piece.token == .closeBrace {
      throw error(.emptyGroup, at: open.lowerBound..<piece.range.upperBound)
    }
    guard piece.token != .end else { throw error(.unclosed("{"), at: open) }
    try deepen(at: open)
    let inner = try either(field: nil)
    rise()
    guard piece.token == .closeBrace else { throw error(.unclosed("{"), at: open) }
    let close = piece.range.lowerBound
    try advance()
    guard inner.kind != .ignored else { throw error(.nothingToFind, at: inner.range) }
    return QueryNode(kind: inner.kind, range: open.upperBound..<close)
  }

  /// One field's condition, its value a word or phrase.
  mutating func condition(
    _ value: QueryLexer.Piece, of field: (QueryField, name: String), from start: Int
  ) throws(QueryError) -> QueryNode {
    let range = start..<value.range.upperBound
    if case .text(let columns) = field.0 {
      guard let term = try textTerm(value, columns: columns) else {
        throw error(.nothingToFind, at: value.range)
      }
      return QueryNode(kind: .text(term), range: range)
    }
    try countTerm(at: range)
    let text = Self.text(of: value.token)
    guard !text.isEmpty || Self.isNamelessAccount(value.token, field.0) else {
      throw error(.missingValue(field.name), at: range)
    }
    return QueryNode(kind: try kind(of: field, text, at: value.range), range: range)
  }

  /// `account:""`: Maildirs right below the root belong to the account without a name.
  private static func isNamelessAccount(_ token: QueryLexer.Token, _ field: QueryField) -> Bool {
    if case .phrase = token { return field == .account }
    return false
  }

  private func kind(of field: (QueryField, name: String), _ text: String, at range: Range<Int>)
    throws(QueryError) -> QueryNode.Kind
  {
    func bad(_ expected: String) -> QueryError {
      error(.badValue(field: field.name, expected: expected), at: range)
    }
    switch field.0 {
    case .text: return .ignored  // read by the caller
    case .keyword: return keyword(text, name: field.name, at: range)
    case .folder: return .folder(NamePattern(text))
    case .account: return .account(NamePattern(text))
    case .list: return .list(NamePattern(text.trimmingBrackets))
    case .mediaType: return .mediaType(NamePattern(text))
    case .blindCopy: return .blindCopy(text)
    case .id: return .id(text.trimmingBrackets)
    case .flag:
      guard let kind = QueryFlags.kind(text) else { throw bad(QueryFlags.expected) }
      return kind
    case .has:
      guard ["attachment", "attachments", "attach"].contains(text.lowercased()) else {
        throw bad("“attachment”")
      }
      return .hasAttachment
    case .size:
      guard let sizes = QuerySize.parse(text) else { throw bad(QuerySize.expected) }
      guard let range = sizes.range else { throw error(.backwards, at: range) }
      return .size(range)
    case .thread:
      guard let id = Int64(text), id > 0 else { throw bad("a number, or a query in braces") }
      return .thread(id)
    case .date, .before, .after, .until:
      guard let ends = QueryDates.parse(text, field: field.0, clock: clock) else {
        throw bad(QueryPeriod.expected)
      }
      guard ends.start < ends.end else { throw error(.backwards, at: range) }
      return .date(ends.start..<ends.end)
    }
  }

  /// notmuch's tags for what are flags here find both.
  private func keyword(_ text: String, name: String, at range: Range<Int>) -> QueryNode.Kind {
    let pattern = NamePattern(text)
    guard name == "tag", let flag = QueryFlags.tagged(text) else { return .keyword(pattern) }
    let keyword = QueryNode.Kind.keywordIfAny(pattern)
    return .or([QueryNode(kind: flag, range: range), QueryNode(kind: keyword, range: range)])
  }

  /// - Returns: nil where there is neither letter nor digit.
  mutating func textTerm(_ piece: QueryLexer.Piece, columns: TextColumns) throws(QueryError)
    -> TextTerm?
  {
    var text = Self.text(of: piece.token)
    var isPrefix = false
    switch piece.token {
    case .phrase(_, let goesOn): isPrefix = goesOn
    default:
      while text.last == "*" {
        isPrefix = true
        text.removeLast()
      }
      if text.contains("*"), text.hasSearchableCharacter {
        throw error(.starInside, at: piece.range)
      }
    }
    guard text.hasSearchableCharacter else { return nil }
    try countTerm(at: piece.range)
    return TextTerm(columns: columns, text: text, isPrefix: isPrefix)
  }

  static func text(of token: QueryLexer.Token) -> String {
    switch token {
    case .word(let text), .phrase(let text, _): text
    default: ""
    }
  }
}

extension String {
  /// A letter, digit, or character of private use: what the index makes words of.
  var hasSearchableCharacter: Bool {
    unicodeScalars.contains { scalar in
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
        .decimalNumber, .letterNumber, .otherNumber, .privateUse:
        true
      default: false
      }
    }
  }

  fileprivate var trimmingBrackets: String {
    guard first == "<", last == ">", count > 2 else { return self }
    return String(dropFirst().dropLast())
  }
}
