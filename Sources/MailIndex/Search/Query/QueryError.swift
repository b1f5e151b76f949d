import MailCore

/// A mistake in a query, and where it stands.
package struct QueryError: Error, Equatable, Sendable {
  package enum Mistake: Equatable, Sendable {
    /// Longer than ``QueryLimits/length`` bytes.
    case tooLong
    /// Deeper than ``QueryLimits/depth``.
    case tooDeep
    /// More words and conditions than ``QueryLimits/terms``.
    case tooManyTerms
    case openQuote
    /// `(` or `{` without its partner.
    case unclosed(String)
    /// `)` without its partner.
    case unopened(String)
    case emptyGroup
    /// `and`, `or`, `not` or `-` with nothing where something must stand.
    case lonelyOperator(String)
    case unknownField(String, nearest: String?)
    case missingValue(String)
    /// A value that the field doesn't know, and what it does know.
    case badValue(field: String, expected: String)
    case starInside
    /// Text without one letter or digit.
    case nothingToFind
    /// The end lies before the beginning.
    case backwards
    /// Of what the index knows and a server cannot be asked.
    case onlyHere
  }

  package let mistake: Mistake
  /// The query as it was given.
  package let query: String
  /// Bytes of `query` that the mistake covers; empty at its end where something is missing.
  package let range: Range<Int>

  package init(mistake: Mistake, query: String, range: Range<Int>) {
    self.mistake = mistake
    self.query = query
    self.range = range
  }

  /// One sentence.
  package var message: String {
    switch mistake {
    case .tooLong: "The query is longer than \(QueryLimits.length) bytes."
    case .tooDeep: "Parentheses and nots stand more than \(QueryLimits.depth) deep here."
    case .tooManyTerms: "The query has more than \(QueryLimits.terms) words and conditions."
    case .openQuote: "This quotation mark is never closed."
    case .unclosed(let mark): "This “\(mark)” is never closed."
    case .unopened(let mark): "This “\(mark)” was never opened."
    case .emptyGroup: "There is nothing between the parentheses."
    case .lonelyOperator(let word): "“\(word)” lacks something to work on."
    case .unknownField(let name, _): "There is no field “\(name.visible):”."
    case .missingValue(let name): "“\(name):” needs a value right behind the colon."
    case .badValue(let field, let expected): "“\(field):” takes \(expected)."
    case .starInside: "A “*” can only end a word."
    case .nothingToFind: "There is no letter or digit to look for."
    case .backwards: "This range ends before it begins."
    case .onlyHere: "A server cannot be asked for this."
    }
  }

  /// What to write instead, where that can be said.
  package var advice: String? {
    switch mistake {
    case .unknownField(_, let nearest?):
      "Did you mean “\(nearest):”? Text with a colon goes in quotes."
    case .unknownField(_, nil), .openQuote: "Text with special characters goes in quotes."
    case .onlyHere: "Leave it out, or search without --server."
    case .lonelyOperator(let word) where word != "-": "To look for the word itself, quote it."
    default: nil
    }
  }

  /// The query with a caret under the place, as lines of text: nothing in it drives a terminal.
  ///
  /// A long query is cut to about `columns` around the place.
  package func drawing(columns: Int = 76) -> String {
    let bytes = Array(query.utf8)
    func columnCells(_ part: ArraySlice<UInt8>) -> [Character] {
      Array(String(decoding: part, as: UTF8.self).visible)
    }
    let start = min(range.lowerBound, bytes.count)
    var before = columnCells(bytes[..<start])
    var place = columnCells(bytes[start..<min(range.upperBound, bytes.count)])
    var after = columnCells(bytes[min(range.upperBound, bytes.count)...])
    let room = max(20, columns - 4)
    if Self.width(before) + Self.width(place) + Self.width(after) > room {
      Self.cut(&place, to: room / 2, keepingEnd: false)
      Self.cut(&before, to: (room - Self.width(place)) / 2, keepingEnd: true)
      Self.cut(&after, to: room - Self.width(place) - Self.width(before), keepingEnd: false)
    }
    let carets = String(repeating: "^", count: max(1, Self.width(place)))
    let indent = String(repeating: " ", count: Self.width(before))
    return "  " + String(before + place + after) + "\n  " + indent + carets
  }

  /// Columns on a terminal: characters of East Asian scripts take two.
  private static func width(_ text: [Character]) -> Int {
    text.reduce(0) { sum, character in
      sum + (CJKText.isCut(character.unicodeScalars.first?.value ?? 0) ? 2 : 1)
    }
  }

  private static func cut(_ text: inout [Character], to columns: Int, keepingEnd: Bool) {
    guard width(text) > columns else { return }
    while !text.isEmpty, width(text) > columns - 1 {
      if keepingEnd { text.removeFirst() } else { text.removeLast() }
    }
    if keepingEnd { text.insert("…", at: 0) } else { text.append("…") }
  }
}

extension QueryError: Explained {
  package var explanation: Explanation {
    Explanation(
      problem: message + "\n" + drawing(), remedy: advice ?? "See mirror-search(7).",
      exitStatus: .usage)
  }
}

/// What a query may grow to.
package enum QueryLimits {
  package static let length = 10_000  // bytes
  package static let depth = 40
  package static let terms = 400
}
