/// An expression for FTS5's MATCH. Words are always quoted, so nothing in them is syntax.
struct TextMatch: Sendable, Equatable {
  let expression: String
  /// Levels of parentheses: FTS5's parser has a stack of a hundred symbols.
  let depth: Int
  /// How much FTS5 does to start: words, and very much for a prefix, whose words it gathers first.
  let weight: Int

  static let deepest = 20

  private init(expression: String, depth: Int, weight: Int) {
    self.expression = expression
    self.depth = depth
    self.weight = weight
  }

  init(_ term: TextTerm) {
    let (phrase, isPrefix) = Self.phrase(term)
    self.init(
      expression: Self.filter(term.columns) + Self.quoted(phrase) + (isPrefix ? "*" : ""),
      depth: 0, weight: isPrefix ? 1 << 20 : 1)
  }

  /// Any of the phrases, in place of one with a prefix.
  init(anyOf phrases: [String], in columns: TextColumns) {
    self.init(
      expression: Self.filter(columns) + "(" + phrases.map(Self.quoted).joined(separator: " OR ")
        + ")",
      depth: 1, weight: phrases.count)
  }

  private static func quoted(_ phrase: String) -> String {
    "\"" + phrase.replacing("\"", with: " ") + "\""
  }

  private static func filter(_ columns: TextColumns) -> String {
    columns == .all ? "" : "{\(columns.names.joined(separator: " "))} : "
  }

  static func all(_ matches: [TextMatch]) -> TextMatch? { join(matches, "AND") }
  static func any(_ matches: [TextMatch]) -> TextMatch? { join(matches, "OR") }

  func without(_ other: TextMatch) -> TextMatch? {
    Self.join([self, other], "NOT")
  }

  /// - Returns: nil where the result would be too deep for FTS5.
  private static func join(_ matches: [TextMatch], _ word: String) -> TextMatch? {
    if matches.count == 1 { return matches[0] }
    let depth = (matches.map(\.depth).max() ?? 0) + 1
    guard depth <= deepest, !matches.isEmpty else { return nil }
    return TextMatch(
      expression: "(" + matches.map(\.expression).joined(separator: " \(word) ") + ")",
      depth: depth, weight: matches.reduce(0) { $0 + $1.weight })
  }

  /// The words as the index holds them: East Asian runs as pairs of characters.
  ///
  /// A run at the end may go on in the text, so its last character does not stand alone; a single
  /// character is the beginning of a pair.
  static func phrase(_ term: TextTerm) -> (text: String, isPrefix: Bool) {
    var scalars = Array(term.text.unicodeScalars.filter { $0.value != 0 })
    while let last = scalars.last, !String(Character(last)).hasSearchableCharacter {
      scalars.removeLast()
    }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    var indexed = String(decoding: CJKText.indexed(String(text)), as: UTF8.self)
    let run = scalars.reversed().prefix { CJKText.isCut($0.value) }.count
    if run == 0 { return (indexed, term.isPrefix) }
    if run == 1 { return (indexed, true) }
    // The appended form ends with the lone character and a blank.
    while indexed.last == " " { indexed.removeLast() }
    indexed.unicodeScalars.removeLast()
    return (indexed, false)
  }
}
