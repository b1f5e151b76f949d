import MIME

/// One Authentication-Results field (RFC 8601 §2.2), read as leniently as it is written.
package struct AuthenticationResults: Sendable, Equatable {
  package struct Result: Sendable, Equatable {
    /// In lower case: `dkim`.
    package var method: String
    /// In lower case: `pass`.
    package var outcome: String
    /// `header.d`, `smtp.mailfrom` … with their values, names in lower case.
    package var properties: [String: String]
    /// What stood in brackets, in lower case.
    package var comment: String
  }

  /// Who says so, in lower case; empty where no name is given, or by no name of ASCII (RFC 8601 §2.2: a token).
  package var authority: String
  package var results: [Result]

  /// - Parameter value: as it is in the message: nothing of it is ever encoded, so no word is decoded.
  package init(_ value: UnsafeRawBufferPointer) {
    self.init(String(decoding: value, as: UTF8.self))
  }

  init(_ value: String) {
    var pieces = Self.pieces(value)
    let first = pieces.isEmpty ? Piece() : pieces.removeFirst()
    // Some write results at once, without saying who they are.
    if first.words.first?.contains("=") ?? false {
      authority = ""
      pieces.insert(first, at: 0)
    } else {
      let name = first.words.first ?? ""
      authority = name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? name.lowercased() : ""
    }
    results = pieces.compactMap(Self.result)
  }

  private struct Piece {
    var words: [String] = []
    var comment = ""
  }

  private static func result(_ piece: Piece) -> Result? {
    guard let first = piece.words.first, let (name, outcome) = pair(first) else { return nil }
    var properties: [String: String] = [:]
    for word in piece.words.dropFirst() {
      if let (name, value) = pair(word), properties[name] == nil { properties[name] = value }
    }
    let method = name.prefix { $0 != "/" }
    return Result(
      method: String(method), outcome: outcome.lowercased(), properties: properties,
      comment: piece.comment.lowercased())
  }

  private static func pair(_ word: String) -> (String, String)? {
    guard let equals = word.firstIndex(of: "="), equals > word.startIndex else { return nil }
    return (word[..<equals].lowercased(), String(word[word.index(after: equals)...]))
  }

  /// Cut at semicolons, with the comments apart and blanks around `=` gone.
  private static func pieces(_ value: String) -> [Piece] {
    var pieces: [Piece] = []
    var piece = Piece()
    var word = ""
    var depth = 0
    var isQuoted = false
    var isEscaped = false
    var awaitsValue = false
    func endWord() {
      guard !word.isEmpty else { return }
      if awaitsValue || word.hasPrefix("="), let last = piece.words.popLast() {
        piece.words.append(last + word)
      } else {
        piece.words.append(word)
      }
      awaitsValue = word.hasSuffix("=")
      word = ""
    }
    for character in value {
      if isEscaped {
        isEscaped = false
        if depth > 0 { piece.comment.append(character) } else { word.append(character) }
        continue
      }
      switch character {
      case "\\" where isQuoted || depth > 0: isEscaped = true
      case "\"" where depth == 0: isQuoted.toggle()
      case _ where isQuoted: word.append(character)
      case "(":
        if depth == 0 { endWord() } else { piece.comment.append(character) }
        depth += 1
      case ")" where depth > 0:
        depth -= 1
        piece.comment.append(depth == 0 ? " " : character)
      case _ where depth > 0: piece.comment.append(character)
      case ";":
        endWord()
        pieces.append(piece)
        piece = Piece()
        awaitsValue = false
      case _ where character.isWhitespace: endWord()
      default: word.append(character)
      }
    }
    endWord()
    pieces.append(piece)
    return pieces
  }
}
