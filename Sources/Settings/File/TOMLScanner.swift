/// A cursor over valid TOML that knows its line.
///
/// It needs no errors: on anything unexpected it skips the line.
package struct TOMLScanner {
  /// A table's header, or a key with its value.
  package struct Statement {
    package var isHeader: Bool
    package var path: [String]
    /// Counted from 1.
    package var lines: ClosedRange<Int>
    /// Where the comment after it begins: the blanks before its sign.
    package var comment: Int?
  }

  private let bytes: [UInt8]
  private var index = 0
  private var line = 1
  /// The first that the TOML library would not survive, see ``KeyLocations``.
  private(set) var mistake: (line: Int, words: String)?

  /// Some editors begin a file with it.
  package static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The next statement; nil at the end of the document.
  ///
  /// - Parameter foundKey: is told of a statement's key and of those in its value's inline tables, each with its line.
  package mutating func next(foundKey: ([String], Int) -> Void = { _, _ in }) -> Statement? {
    guard skipBlank() else { return nil }
    let first = line
    let isHeader = take("[")
    var path: [String] = []
    if isHeader {
      _ = take("[")
      if !isAtKey { note(mistake: "a table's [header] holds no name") }
      path = keyPath()
      while take("]") {}
    } else {
      path = keyPath()
      if !path.isEmpty, take("=") {
        foundKey(path, first)
        skipValue { foundKey(path + $0, $1) }
      }
    }
    var statement = Statement(isHeader: isHeader, path: path, lines: first...line)
    var end = index
    while end > 0, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
    skipSpaces()
    if current == UInt8(ascii: "#") { statement.comment = end }
    skipLine()
    return statement
  }

  private mutating func note(mistake words: String) {
    if mistake == nil { mistake = (line, words) }
  }

  private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func advance() {
    if bytes[index] == UInt8(ascii: "\n") { line += 1 }
    index += 1
  }

  /// Blanks, line ends and comments. False at the end of the document.
  private mutating func skipBlank() -> Bool {
    while let byte = current {
      switch byte {
      case UInt8(ascii: "#"): skipLine()
      case 0x20, 0x09, 0x0D, 0x0A: advance()
      case 0xEF where index == 0 && bytes.starts(with: Self.byteOrderMark): index = 3
      default: return true
      }
    }
    return false
  }

  private mutating func skipLine() {
    while let byte = current, byte != UInt8(ascii: "\n") { advance() }
    if current != nil { advance() }
  }

  private mutating func skipSpaces() {
    while current == 0x20 || current == 0x09 { index += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpaces()
    guard current == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  /// A key may begin here.
  private var isAtKey: Bool {
    mutating get {
      skipSpaces()
      guard let current else { return false }
      return Self.isBare(current) || current == UInt8(ascii: "\"") || current == UInt8(ascii: "'")
    }
  }

  /// `a . "b c" . 'd'`
  private mutating func keyPath() -> [String] {
    var path: [String] = []
    repeat {
      skipSpaces()
      guard let part = keyPart() else { return path }
      path.append(part)
    } while take(".")
    return path
  }

  private mutating func keyPart() -> String? {
    guard let quote = current else { return nil }
    if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      let start = index
      skipString()
      let inner = bytes[(start + 1)..<max(start + 1, index - 1)]
      let text = String(decoding: inner, as: UTF8.self)
      return quote == UInt8(ascii: "\"") ? Self.unescaped(text) : text
    }
    let start = index
    while let byte = current, Self.isBare(byte) { index += 1 }
    return index == start ? nil : String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private static func isBare(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  /// Only the two escapes that keys are likely to have; others make the lookup fall back to the table.
  private static func unescaped(_ text: String) -> String {
    text.contains("\\")
      ? text.replacing("\\\"", with: "\"").replacing("\\\\", with: "\\") : text
  }

  /// One value, of any kind, over as many lines as it takes.
  private mutating func skipValue(noteKey: ([String], Int) -> Void) {
    skipSpaces()
    switch current {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): skipString()
    case UInt8(ascii: "["): skipArray()
    case UInt8(ascii: "{"): skipInlineTable(noteKey: noteKey)
    default: skipBareValue()
    }
  }

  private mutating func skipBareValue() {
    let ends: [UInt8] = [0x0A, 0x2C, 0x5D, 0x7D, 0x23]  // LF , ] } #
    while let byte = current, !ends.contains(byte) { index += 1 }
  }

  private mutating func skipArray() {
    index += 1
    while skipBlank(), let byte = current {
      switch byte {
      case UInt8(ascii: "]"):
        index += 1
        return
      case UInt8(ascii: ","): index += 1
      case UInt8(ascii: "}"):
        note(mistake: "a list ends with ], not with }")
        return
      default: step { $0.skipValue { _, _ in } }
      }
    }
  }

  private mutating func skipInlineTable(noteKey: ([String], Int) -> Void) {
    index += 1
    while skipBlank(), let byte = current {
      switch byte {
      case UInt8(ascii: "}"):
        index += 1
        return
      case UInt8(ascii: ","): index += 1
      default:
        step { scanner in
          let path = scanner.keyPath()
          noteKey(path, scanner.line)
          guard scanner.take("=") else { return }
          scanner.skipValue { noteKey(path + $0, $1) }
        }
      }
    }
  }

  /// Moves on by at least one byte, so that nothing can hold the scanner up.
  private mutating func step(_ body: (inout TOMLScanner) -> Void) {
    let start = index
    body(&self)
    if index == start { advance() }
  }

  /// The four kinds of strings; the cursor stands on the opening quote.
  private mutating func skipString() {
    guard let quote = current else { return }
    let tripled = bytes[index...].starts(with: [quote, quote, quote])
    index += tripled ? 3 : 1
    while let byte = current {
      if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        advance()
        if current != nil { advance() }
      } else if byte == quote, !tripled {
        index += 1
        return
      } else if byte == quote, bytes[index...].starts(with: [quote, quote, quote]) {
        index += 3
        while current == quote { index += 1 }  // quotes that end the text itself
        return
      } else {
        advance()
      }
    }
  }
}
