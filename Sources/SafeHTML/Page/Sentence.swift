/// Words of ours in which words of a mail stand: what is interpolated is the mail's, and a page keeps it apart.
package struct Sentence: Sendable, Equatable, ExpressibleByStringInterpolation {
  package struct Piece: Sendable, Equatable {
    package var text: String
    /// Whether it comes from a mail.
    package var isForeign: Bool
  }

  package private(set) var pieces: [Piece] = []

  package init(stringLiteral text: String) { append(text, isForeign: false) }

  package init(stringInterpolation: Interpolation) { pieces = stringInterpolation.sentence.pieces }

  private init() {}

  /// All of it, as the message has its words.
  package var text: String { pieces.map(\.text).joined() }

  package static func + (left: Sentence, right: Sentence) -> Sentence {
    var sentence = left
    sentence.pieces += right.pieces
    return sentence
  }

  /// Words of a mail with commas between.
  package static func list(_ words: some Sequence<String>) -> Sentence {
    var sentence = Sentence()
    for (place, word) in words.enumerated() {
      if place > 0 { sentence.append(", ", isForeign: false) }
      sentence.append(word, isForeign: true)
    }
    return sentence
  }

  /// Names and addresses of a header's field, each by itself: what is between them is ours.
  init(people text: String) {
    var rest = text[...]
    while !rest.isEmpty {
      let between = rest.prefix { " ,;<>".contains($0) }
      append(String(between), isForeign: false)
      rest = rest[between.endIndex...]
      let end = rest.firstIndex { ",;<>".contains($0) } ?? rest.endIndex
      // The blank before a bracket is between them, too.
      var word = rest[..<end]
      while word.last == " " { word.removeLast() }
      append(String(word), isForeign: true)
      rest = rest[word.endIndex...]
    }
  }

  private mutating func append(_ text: String, isForeign: Bool) {
    if !text.isEmpty { pieces.append(Piece(text: text, isForeign: isForeign)) }
  }

  package struct Interpolation: StringInterpolationProtocol {
    fileprivate var sentence = Sentence()

    package init(literalCapacity: Int, interpolationCount: Int) {}

    package mutating func appendLiteral(_ literal: String) {
      sentence.append(literal, isForeign: false)
    }

    /// Words of a mail.
    package mutating func appendInterpolation(_ words: String) {
      sentence.append(words, isForeign: true)
    }

    /// Words and numbers of ours.
    package mutating func appendInterpolation(own words: some CustomStringConvertible) {
      sentence.append(words.description, isForeign: false)
    }

    package mutating func appendInterpolation(_ inner: Sentence) {
      sentence.pieces += inner.pieces
    }
  }
}
