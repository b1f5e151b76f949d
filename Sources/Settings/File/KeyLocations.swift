/// Where each key of a TOML document stands: the line numbers that the TOML library keeps to itself.
///
/// Reads only documents that the library has accepted, so it needs no errors: on anything unexpected it skips the line.
/// Keys inside of inline tables are found too. A path that was not found answers with its nearest known parent.
struct KeyLocations {
  private(set) var lines: [[String]: Int] = [:]
  /// Every path once, in the order of the file.
  private(set) var order: [[String]] = []
  /// The first mistake at which the library would abort the process instead of throwing (assertions of toml++ 3.4.0
  /// in `parse_key` and `parse_value`): it must not get to see it. All before that place is read as the library does.
  private(set) var fatalMistake: (line: Int, words: String)?

  init(_ bytes: [UInt8]) {
    var scanner = Scanner(bytes: bytes)
    var table: [String] = []
    while scanner.skipBlank() {
      let line = scanner.line
      if scanner.take("[") {
        _ = scanner.take("[")
        if !scanner.isAtKey { scanner.note(mistake: "a table's [header] holds no name") }
        table = scanner.keyPath()
        note(table, line)
      } else {
        let key = scanner.keyPath()
        guard !key.isEmpty, scanner.take("=") else {
          scanner.skipLine()
          continue
        }
        note(table + key, line)
        scanner.skipValue { path, line in note(table + key + path, line) }
      }
      scanner.skipLine()
    }
    fatalMistake = scanner.mistake
  }

  /// The line of the key at `path`, else of the closest table around it.
  func line(of path: [String]) -> Int? {
    var path = path
    while !path.isEmpty {
      if let line = lines[path] { return line }
      path.removeLast()
    }
    return nil
  }

  /// Children of `path`, in the order of the file.
  func children(of path: [String]) -> [String] {
    order.filter { $0.count == path.count + 1 && $0.starts(with: path) }.compactMap(\.last)
  }

  /// Dotted keys and headers name the tables above them, too.
  private mutating func note(_ path: [String], _ line: Int) {
    for length in path.indices.map({ $0 + 1 }) {
      let prefix = Array(path[..<length])
      guard lines[prefix] == nil else { continue }
      lines[prefix] = line
      order.append(prefix)
    }
  }
}

/// A cursor over valid TOML that knows its line.
private struct Scanner {
  let bytes: [UInt8]
  var index = 0
  var line = 1

  private(set) var mistake: (line: Int, words: String)?

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func note(mistake words: String) {
    if mistake == nil { mistake = (line, words) }
  }

  private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func advance() {
    if bytes[index] == UInt8(ascii: "\n") { line += 1 }
    index += 1
  }

  /// Blanks, line ends and comments. False at the end of the document.
  mutating func skipBlank() -> Bool {
    while let byte = current {
      switch byte {
      case UInt8(ascii: "#"): skipLine()
      case 0x20, 0x09, 0x0D, 0x0A: advance()
      case 0xEF where index == 0: index = min(3, bytes.count)  // byte order mark
      default: return true
      }
    }
    return false
  }

  mutating func skipLine() {
    while let byte = current, byte != UInt8(ascii: "\n") { advance() }
    if current != nil { advance() }
  }

  private mutating func skipSpaces() {
    while current == 0x20 || current == 0x09 { index += 1 }
  }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpaces()
    guard current == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  /// A key may begin here.
  var isAtKey: Bool {
    mutating get {
      skipSpaces()
      guard let current else { return false }
      return Self.isBare(current) || current == UInt8(ascii: "\"") || current == UInt8(ascii: "'")
    }
  }

  /// `a . "b c" . 'd'`
  mutating func keyPath() -> [String] {
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
  mutating func skipValue(noteKey: ([String], Int) -> Void) {
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
  private mutating func step(_ body: (inout Scanner) -> Void) {
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
