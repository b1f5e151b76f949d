/// Tells the lines of a valid TOML file apart; knows texts and lists that go over several lines.
struct LineScanner {
  enum Kind {
    case header([String])
    /// A comment, or nothing.
    case blank
    /// A key, and the first line of its value.
    case key([String])
    /// A further line of a value.
    case more
  }

  /// Three quotes that are still open.
  private var quote: UInt8?
  /// Brackets of a list that are still open.
  private var depth = 0

  mutating func kind(of line: ArraySlice<UInt8>) -> Kind {
    let isInside = quote != nil || depth > 0
    let trimmed = line.drop { $0 == 0x20 || $0 == 0x09 }
    if !isInside {
      if trimmed.isEmpty || trimmed.first == 0x0D || trimmed.first == UInt8(ascii: "#") {
        return .blank
      }
      if trimmed.first == UInt8(ascii: "[") { return .header(Self.path(trimmed)) }
    }
    _ = advance(over: line)
    return isInside ? .more : .key(Self.path(trimmed))
  }

  /// The comment behind the value of a line that stands alone, or behind a header; with the blanks before its sign.
  static func comment(in line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var scanner = LineScanner()
    guard let comment = scanner.advance(over: line) else { return nil }
    let value = line[..<comment.startIndex].lastIndex { $0 != 0x20 && $0 != 0x09 }
    return line[(value.map { $0 + 1 } ?? comment.startIndex)...]
  }

  /// The comment at its end, if there is one.
  private mutating func advance(over line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var rest = line
    while let byte = rest.first {
      if let open = quote {
        if byte == UInt8(ascii: "\\"), open == UInt8(ascii: "\"") {
          rest = rest.dropFirst(2)
        } else if rest.starts(with: [open, open, open]) {
          rest = rest.dropFirst(3)
          while rest.first == open { rest = rest.dropFirst() }
          quote = nil
        } else {
          rest = rest.dropFirst()
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "#"): return rest
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        if rest.starts(with: [byte, byte, byte]) {
          quote = byte
          rest = rest.dropFirst(3)
        } else {
          rest = Self.afterText(rest, byte)
        }
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        rest = rest.dropFirst()
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        depth = max(0, depth - 1)
        rest = rest.dropFirst()
      default: rest = rest.dropFirst()
      }
    }
    return nil
  }

  /// Behind a text of one line that begins here.
  private static func afterText(_ text: ArraySlice<UInt8>, _ quote: UInt8) -> ArraySlice<UInt8> {
    var rest = text.dropFirst()
    while let byte = rest.first {
      rest = rest.dropFirst(byte == UInt8(ascii: "\\") && quote == UInt8(ascii: "\"") ? 2 : 1)
      if byte == quote { return rest }
    }
    return rest
  }

  /// `[ a . "b c" ]` or `a . "b c" =` as its parts.
  private static func path(_ line: ArraySlice<UInt8>) -> [String] {
    var parts: [String] = []
    var part: [UInt8] = []
    var rest = line.drop { $0 == UInt8(ascii: "[") }
    while let byte = rest.first {
      switch byte {
      case UInt8(ascii: "]"), UInt8(ascii: "#"), UInt8(ascii: "="):
        parts.append(String(decoding: part, as: UTF8.self))
        return parts
      case UInt8(ascii: "."):
        parts.append(String(decoding: part, as: UTF8.self))
        part = []
        rest = rest.dropFirst()
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        let after = afterText(rest, byte)
        let inner = rest[(rest.startIndex + 1)..<max(rest.startIndex + 1, after.startIndex - 1)]
        part += unescaped(inner, byte)
        rest = after
      case 0x20, 0x09: rest = rest.dropFirst()
      default:
        part.append(byte)
        rest = rest.dropFirst()
      }
    }
    return parts
  }

  /// The two escapes that a name is likely to have.
  private static func unescaped(_ bytes: ArraySlice<UInt8>, _ quote: UInt8) -> [UInt8] {
    guard quote == UInt8(ascii: "\"") else { return Array(bytes) }
    var result: [UInt8] = []
    var isEscaped = false
    for byte in bytes {
      if byte == UInt8(ascii: "\\"), !isEscaped {
        isEscaped = true
      } else {
        result.append(byte)
        isEscaped = false
      }
    }
    return result
  }
}
