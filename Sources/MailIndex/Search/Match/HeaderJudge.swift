import GRDB
import MailCore

/// The header of a message that is on a server only, as the index would hold it.
package struct HeaderWords: Sendable {
  fileprivate let columns: [(TextColumns, String)]

  package init(_ header: [UInt8]) {
    var scratch: [UInt8] = []
    let message = header.withUnsafeBytes { bytes in
      MessageReading(bytes: bytes, account: 0, modified: 0, now: 0).message(scratch: &scratch)
    }
    func people(_ roles: ParsedMessage.Correspondent.Role...) -> String {
      message.addresses.filter { roles.contains($0.role) }.map { "\($0.name) \($0.address)" }
        .joined(separator: "\n")
    }
    columns = [
      (.subject, message.subject), (.sender, message.sender + "\n" + people(.from)),
      (.recipients, message.recipients + "\n" + people(.to, .bcc)),
      (.cc, message.cc + "\n" + people(.cc)),
    ]
  }
}

/// Tells which words of a query a header has, the way the index would.
package final class HeaderJudge {
  private let matchers: [TextTerm: TermMatcher]
  private static let proven: TextColumns = [.subject, .sender, .recipients, .cc]

  fileprivate init(_ query: QueryNode, _ db: Database) throws {
    var matchers: [TextTerm: TermMatcher] = [:]
    for term in query.terms {
      matchers[term] = try TermMatcher(QueryNode(kind: .text(term), range: query.range), db)
    }
    self.matchers = matchers
  }

  /// Nil where only the body could tell.
  package func has(_ term: TextTerm, _ words: HeaderWords) -> Bool? {
    guard let matcher = matchers[term], !matcher.isEmpty else { return nil }
    let found = words.columns.contains { column, text in
      term.columns.contains(column) && !matcher.matches(in: text, as: column).isEmpty
    }
    return found ? true : Self.proven.isSuperset(of: term.columns) ? false : nil
  }
}

extension QueryNode {
  /// All that is wanted or not.
  fileprivate var terms: [TextTerm] {
    switch kind {
    case .text(let term): [term]
    case .and(let nodes), .or(let nodes): nodes.flatMap(\.terms)
    case .not(let node): node.terms
    default: []
    }
  }
}

extension IndexReader {
  /// Judges headers by this query.
  package func headerJudge(_ query: QueryNode) throws -> HeaderJudge {
    try read { try HeaderJudge(query, $0) }
  }
}

extension TextTerm {
  /// The words as the index cuts them: letters, digits and their marks together, East Asian characters each for itself.
  ///
  /// A server looks for pieces of text: what stands between the words of a message may be other than what was typed.
  package var pieces: [String] {
    var pieces: [String] = []
    var word = String.UnicodeScalarView()
    func endWord() {
      if !word.isEmpty { pieces.append(String(word)) }
      word = .init()
    }
    for scalar in text.unicodeScalars {
      if CJKText.isCut(scalar.value) {
        endWord()
        pieces.append(String(scalar))
      } else if Self.isOfWord(scalar) {
        word.append(scalar)
      } else {
        endWord()
      }
    }
    endWord()
    return pieces
  }

  private static func isOfWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .otherNumber, .privateUse, .nonspacingMark, .spacingMark,
      .enclosingMark:
      true
    default: false
    }
  }
}
