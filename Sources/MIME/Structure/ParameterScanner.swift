/// One `name=value` as written: a parameter, or a piece of one (RFC 2231 §3, §4).
struct ParameterPiece {
  /// Lower case, without `*`.
  let name: String
  /// The 2 of `name*2=`.
  let number: Int?
  /// `name*=` or `name*2*=`: percent-encoded.
  let isExtended: Bool
  let value: [UInt8]

  var isStarred: Bool { isExtended || number != nil }
}

/// Walks through the parameters of a structured field, over the mistakes that mailers make: missing
/// semicolons, missing quotes, comments, words that are no parameter.
struct ParameterScanner {
  private let bytes: UnsafeRawBufferPointer
  private var place: Int
  /// An open parenthesis never closes: none is looked for again.
  private var isUnbalanced = false

  init(_ bytes: UnsafeRawBufferPointer, from start: Int) {
    self.bytes = bytes
    place = start
  }

  mutating func next() -> ParameterPiece? {
    while place < bytes.count {
      skipBetween()
      guard let name = takeName() else { continue }
      return piece(name)
    }
    return nil
  }

  private mutating func skipBetween() {
    while place < bytes.count {
      switch bytes[place] {
      case ASCII.semicolon, ASCII.comma, ASCII.quote, ASCII.equals: place += 1
      case ASCII.openParenthesis: skipComment()
      case let byte where ASCII.isBlank(byte): place += 1
      default: return
      }
    }
  }

  private mutating func skipComment() {
    let end = isUnbalanced ? nil : bytes.commentEnd(from: place)
    isUnbalanced = end == nil
    place = end ?? place + 1
  }

  /// A name with its `=` behind it; nil for a word without one, which is passed over.
  private mutating func takeName() -> Range<Int>? {
    let start = place
    while place < bytes.count {
      let byte = bytes[place]
      if byte == ASCII.equals || byte == ASCII.semicolon || ASCII.isBlank(byte) { break }
      place += 1
    }
    let end = place
    while place < bytes.count, ASCII.isBlank(bytes[place]) { place += 1 }
    guard end > start, place < bytes.count, bytes[place] == ASCII.equals else { return nil }
    place += 1
    while place < bytes.count, ASCII.isBlank(bytes[place]) { place += 1 }
    return start..<end
  }

  private mutating func piece(_ range: Range<Int>) -> ParameterPiece {
    var name = bytes[range].map(ASCII.lowered)
    var isExtended = false
    var number: Int?
    let star = UInt8(ascii: "*")
    if name.contains(star) {
      if name.last == star {
        isExtended = true
        name.removeLast()
      }
      if let mark = name.lastIndex(of: star), let value = Self.number(name[(mark + 1)...]) {
        number = value
        name.removeSubrange(mark...)
      }
    }
    let isName = name.elementsEqual("filename".utf8) || name.elementsEqual("name".utf8)
    let value =
      place < bytes.count && bytes[place] == ASCII.quote
      ? takeQuoted() : takePlain(withBlanks: isName)
    return ParameterPiece(
      name: String(decoding: name, as: UTF8.self), number: number, isExtended: isExtended,
      value: value)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard !digits.isEmpty, digits.count <= 9, digits.allSatisfy(ASCII.isDigit) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 &- ASCII.zero) }
  }

  /// quoted-string. RFC 5322 §3.2.4. Only `\"` and `\\` are escapes: paths of Windows stand in these.
  private mutating func takeQuoted() -> [UInt8] {
    var value: [UInt8] = []
    place += 1
    while place < bytes.count, bytes[place] != ASCII.quote {
      if bytes[place] == ASCII.backslash, place + 1 < bytes.count,
        bytes[place + 1] == ASCII.quote || bytes[place + 1] == ASCII.backslash
      {
        place += 1
      }
      value.append(bytes[place])
      place += 1
    }
    place += 1
    return value
  }

  /// A token; a file name goes on to the semicolon, for mailers that leave the quotes out.
  private mutating func takePlain(withBlanks: Bool) -> [UInt8] {
    let start = place
    while place < bytes.count, bytes[place] != ASCII.semicolon {
      if !withBlanks, ASCII.isBlank(bytes[place]) { break }
      place += 1
    }
    return Array(bytes[bytes.trimmed(start..<place)])
  }
}

extension UnsafeRawBufferPointer {
  /// Behind the comment (RFC 5322 §3.2.2) that opens at `start`; nil when it never closes.
  func commentEnd(from start: Int) -> Int? {
    var depth = 0
    var place = start
    while place < count {
      switch self[place] {
      case ASCII.openParenthesis: depth += 1
      case ASCII.closeParenthesis:
        depth -= 1
        if depth == 0 { return place + 1 }
      case ASCII.backslash: place += 1
      default: break
      }
      place += 1
    }
    return nil
  }
}
