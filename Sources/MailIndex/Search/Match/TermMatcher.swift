import GRDB

/// Finds a query's words in a text, the way the index does.
///
/// Holds a tokenizer and no connection: good also after the read that it was made in.
package final class TermMatcher {
  private struct Sequence {
    let columns: TextColumns
    let words: [[UInt8]]
    let isPrefix: Bool
  }

  private let sequences: [Sequence]
  private let tokenizer: any FTS5Tokenizer

  package init(_ query: QueryNode, _ db: Database) throws {
    let tokenizer = try db.makeTokenizer(.unicode61(diacritics: .remove))
    sequences = query.wantedTerms.compactMap { term in
      let units = Self.units(term.text, tokenizer)
      let words = units.units.indices.map { Array(units.word($0)) }
      return words.isEmpty
        ? nil : Sequence(columns: term.columns, words: words, isPrefix: term.isPrefix)
    }
    self.tokenizer = tokenizer
  }

  /// Whether there is anything to find.
  package var isEmpty: Bool { sequences.isEmpty }

  /// Matches as bytes of the text, in order, none overlapping another; neighbours stay apart.
  ///
  /// - Parameter columns: what the text is: words asked for in other fields only don't count.
  package func matches(in text: String, as columns: TextColumns) -> [Range<Int>] {
    let wanted = sequences.filter { !$0.columns.isDisjoint(with: columns) }
    if wanted.isEmpty { return [] }
    let units = Self.units(text, tokenizer)
    var found: [Range<Int>] = []
    var place = 0
    while place < units.units.count {
      let length = wanted.lazy.filter { Self.begins($0, at: place, in: units) }.map(\.words.count)
        .max()
      guard let length else {
        place += 1
        continue
      }
      let end = units.units[place + length - 1].range.upperBound
      found.append(units.units[place].range.lowerBound..<end)
      place += length
    }
    return found
  }

  private static func begins(_ sequence: Sequence, at place: Int, in units: TextUnits) -> Bool {
    guard place + sequence.words.count <= units.units.count else { return false }
    for (offset, word) in sequence.words.enumerated() {
      let other = units.word(place + offset)
      let mayGoOn = sequence.isPrefix && offset == sequence.words.count - 1
      guard mayGoOn ? other.starts(with: word) : other.elementsEqual(word) else { return false }
    }
    return true
  }

  private static func units(_ text: String, _ tokenizer: any FTS5Tokenizer) -> TextUnits {
    var text = text
    return text.withUTF8 { TextUnits(UnsafeRawBufferPointer($0), tokenizer) }
  }
}
