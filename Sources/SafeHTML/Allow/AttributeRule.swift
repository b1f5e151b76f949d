/// The attributes that stay as they are, if their value is one of a few kinds.
enum AttributeRule {
  enum Value { case word, number, size, fontSize, colour, fontNames, language, date }

  /// What an attribute's value must be, where its element may have it.
  static func value(_ name: PageBytes, in set: AttributeSet) -> Value? {
    guard let (wanted, value) = table[name.nameHash], !wanted.isDisjoint(with: set) else {
      return nil
    }
    return value
  }

  /// Whether a value is of its kind: none of them can name a place that something is loaded from.
  static func accepts(_ bytes: PageBytes, as value: Value) -> Bool {
    guard bytes.count <= 100 else { return false }
    switch value {
    case .word:
      return !bytes.isEmpty && bytes.allSatisfy { ASCII.isLetter($0) || $0 == ASCII.dash }
    case .number: return (1...3).contains(bytes.count) && bytes.allSatisfy(ASCII.isDigit)
    case .size:
      let digits = bytes.last == ASCII.percent ? bytes.piece(0..<bytes.count - 1) : bytes
      return (1...5).contains(digits.count)
        && digits.allSatisfy { ASCII.isDigit($0) || $0 == ASCII.dot }
    case .fontSize:
      return (1...2).contains(bytes.count)
        && bytes.allSatisfy { ASCII.isDigit($0) || $0 == ASCII.dash || $0 == UInt8(ascii: "+") }
    case .colour:
      return !bytes.isEmpty
        && bytes.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == ASCII.number }
    case .fontNames:
      return bytes.allSatisfy {
        ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == ASCII.space || $0 == ASCII.comma
          || $0 == ASCII.dash
      }
    case .language:
      return !bytes.isEmpty
        && bytes.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == ASCII.dash }
    case .date:
      return bytes.allSatisfy {
        ASCII.isLetter($0) || ASCII.isDigit($0) || "-+:. ".utf8.contains($0)
      }
    }
  }

  private static let table: [UInt64: (AttributeSet, Value)] = {
    let names: [(String, AttributeSet, Value)] = [
      ("lang", .text, .language), ("dir", .text, .word), ("datetime", .text, .date),
      ("align", [.cells, .align, .image], .word), ("valign", .cells, .word),
      ("width", [.cells, .image, .align], .size), ("height", [.cells, .image], .size),
      ("cellpadding", .cells, .number), ("cellspacing", .cells, .number),
      ("border", [.cells, .image], .number), ("colspan", .cells, .number),
      ("rowspan", .rows, .number), ("span", .cells, .number), ("scope", .cells, .word),
      ("bgcolor", .cells, .colour), ("start", .lists, .number), ("value", .lists, .number),
      ("type", .lists, .language), ("color", .font, .colour), ("face", .font, .fontNames),
      ("size", .font, .fontSize),
    ]
    return Dictionary(
      names.map { name, set, value in
        (Array(name.utf8).withUnsafeBytes(\.nameHash), (set, value))
      }, uniquingKeysWith: { first, _ in first })
  }()
}
