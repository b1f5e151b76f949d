/// Cuts a query into tokens. Works on bytes: every character with a meaning is ASCII.
struct QueryLexer {
  enum Token: Equatable {
    case open, close, openBrace, closeBrace
    /// `-` right before what it negates.
    case minus
    /// `name:`; what follows without a blank is its value.
    case field(QueryField, name: String)
    /// `isPrefix`: a `*` followed.
    case phrase(String, isPrefix: Bool)
    case word(String)
    case end
  }

  struct Piece: Equatable {
    let token: Token
    let range: Range<Int>
  }

  private let query: String
  private let bytes: [UInt8]
  private(set) var place = 0
  /// Inside `{ }`, where a closing brace ends a word.
  private var braces = 0

  init(_ query: String) {
    self.query = query
    bytes = Array(query.utf8)
  }

  /// Whether the next token follows the last one without a blank.
  var isGlued: Bool { place < bytes.count && !Self.isBlank(bytes[place]) }

  mutating func next() throws(QueryError) -> Piece {
    while place < bytes.count, Self.isBlank(bytes[place]) { place += 1 }
    guard place < bytes.count else { return Piece(token: .end, range: place..<place) }
    switch bytes[place] {
    case UInt8(ascii: "("): return mark(.open)
    case UInt8(ascii: ")"): return mark(.close)
    case UInt8(ascii: "}") where braces > 0:
      braces -= 1
      return mark(.closeBrace)
    case UInt8(ascii: "\""): return try phrase()
    case UInt8(ascii: "-") where negatesSomething: return mark(.minus)
    default: return try fieldOrWord()
    }
  }

  /// The value of a field: `{`, a parenthesis, a phrase, or all up to the next blank or bracket.
  mutating func value(acceptsBrace: Bool) throws(QueryError) -> Piece {
    guard isGlued else { return Piece(token: .end, range: place..<place) }
    switch bytes[place] {
    case UInt8(ascii: "{") where acceptsBrace:
      braces += 1
      return mark(.openBrace)
    case UInt8(ascii: "("): return mark(.open)
    case UInt8(ascii: "\""): return try phrase()
    default:
      let range = wordRange()
      return Piece(token: range.isEmpty ? .end : .word(text(range)), range: range)
    }
  }

  func error(_ mistake: QueryError.Mistake, at range: Range<Int>) -> QueryError {
    QueryError(mistake: mistake, query: query, range: range)
  }

  private mutating func mark(_ token: Token) -> Piece {
    place += 1
    return Piece(token: token, range: place - 1..<place)
  }

  /// `"…"`, with `\"` and `\\` inside, and perhaps a `*` behind.
  private mutating func phrase() throws(QueryError) -> Piece {
    let start = place
    var content: [UInt8] = []
    place += 1
    while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
      if bytes[place] == UInt8(ascii: "\\"), place + 1 < bytes.count,
        bytes[place + 1] == UInt8(ascii: "\"") || bytes[place + 1] == UInt8(ascii: "\\")
      {
        place += 1
      }
      content.append(bytes[place])
      place += 1
    }
    guard place < bytes.count else { throw error(.openQuote, at: start..<start + 1) }
    place += 1
    let isPrefix = place < bytes.count && bytes[place] == UInt8(ascii: "*")
    if isPrefix { place += 1 }
    return Piece(
      token: .phrase(String(decoding: content, as: UTF8.self), isPrefix: isPrefix),
      range: start..<place)
  }

  private mutating func fieldOrWord() throws(QueryError) -> Piece {
    let start = place
    var end = place
    while end < bytes.count, bytes[end] | 0x20 >= UInt8(ascii: "a"),
      bytes[end] | 0x20 <= UInt8(ascii: "z")
    {
      end += 1
    }
    if end > start, end < bytes.count, bytes[end] == UInt8(ascii: ":") {
      let name = text(start..<end)
      if let field = QueryField.named(name) {
        place = end + 1
        return Piece(token: .field(field, name: name.lowercased()), range: start..<place)
      }
      if end - start > 1, looksLikeValue(at: end + 1) {
        throw error(
          .unknownField(name, nearest: QueryField.nearest(to: name)), at: start..<end + 1)
      }
    }
    let range = wordRange()
    return Piece(token: .word(text(range)), range: range)
  }

  /// `form:alice` is a slip; `https://…`, `std::sort`, `Re:` are text.
  private func looksLikeValue(at place: Int) -> Bool {
    guard place < bytes.count else { return false }
    return !Self.isBlank(bytes[place]) && !":/\\)".utf8.contains(bytes[place])
  }

  private mutating func wordRange() -> Range<Int> {
    let start = place
    while place < bytes.count, !endsWord(bytes[place]) { place += 1 }
    return start..<place
  }

  private var negatesSomething: Bool {
    guard place + 1 < bytes.count else { return false }
    return Self.opens(bytes[place + 1]) || !endsWord(bytes[place + 1])
  }

  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  private func endsWord(_ byte: UInt8) -> Bool {
    Self.isBlank(byte) || Self.opens(byte) || byte == UInt8(ascii: ")")
      || byte == UInt8(ascii: "}") && braces > 0
  }

  private static func opens(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "(") || byte == UInt8(ascii: "\"")
  }

  /// Blanks and all other control characters.
  private static func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == 0x7F }
}
