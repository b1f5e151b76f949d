/// A configuration file as text, into which an account is put: every other byte stays as it is.
package struct ConfigurationText: Sendable, Equatable {
  package private(set) var bytes: [UInt8]

  /// - Parameter bytes: nil where there is no file yet.
  package init(_ bytes: [UInt8]?) { self.bytes = bytes ?? [] }

  package var isEmpty: Bool {
    bytes.allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 9 }
  }

  /// A new file: where the tree lies, then the account.
  package mutating func begin(root: String, _ tables: AccountTables) {
    bytes = Array(
      """
      # The configuration of mirror; every key: mirror-config(5).

      root = \(TOMLText.string(root))


      """.utf8)
    bytes += Array(tables.text.utf8)
  }

  /// Puts the account's tables at the end.
  package mutating func append(_ tables: AccountTables) {
    let newline: [UInt8] = usesCRLF ? [0x0D, 0x0A] : [0x0A]
    if let last = bytes.last, last != 0x0A { bytes += newline }
    if !bytes.isEmpty { bytes += newline }
    bytes += usesCRLF ? Self.withCRLF(tables.text) : Array(tables.text.utf8)
  }

  /// Takes the tables of the account called `name` out, from each header to the last of its keys: comments and blank
  /// lines behind that belong to what follows. False where the account is written in another way than with headers.
  package mutating func remove(account name: String) -> Bool {
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    var kept: [ArraySlice<UInt8>] = []
    var waiting: [ArraySlice<UInt8>] = []
    var isInside = false
    var found = false
    var scanner = LineScanner()
    for line in lines {
      let kind = scanner.kind(of: line)
      if case .header(let path) = kind {
        isInside = path.count >= 2 && path[0] == "accounts" && path[1] == name
        found = found || isInside
        // Comments before a header are that header's.
        if !isInside { kept += waiting + [line] }
        waiting = []
        continue
      }
      guard isInside else {
        kept.append(line)
        continue
      }
      switch kind {
      case .blank: waiting.append(line)
      case .key, .header: waiting = []
      }
    }
    kept += waiting
    guard found else { return false }
    bytes = Array(kept.joined(separator: [0x0A]))
    return true
  }

  private var usesCRLF: Bool {
    guard let index = bytes.firstIndex(of: 0x0A), index > 0 else { return false }
    return bytes[index - 1] == 0x0D
  }

  private static func withCRLF(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if byte == 0x0A { bytes.append(0x0D) }
      bytes.append(byte)
    }
    return bytes
  }
}

/// Tells the lines of a valid TOML file apart; knows texts and lists that go over several lines.
private struct LineScanner {
  enum Kind {
    case header([String])
    /// A comment, or nothing.
    case blank
    /// A key, or a further line of its value.
    case key
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
    advance(over: line)
    return .key
  }

  private mutating func advance(over line: ArraySlice<UInt8>) {
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
      case UInt8(ascii: "#"): return
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

  /// `[ a . "b c" ]` as its parts.
  private static func path(_ line: ArraySlice<UInt8>) -> [String] {
    var parts: [String] = []
    var part: [UInt8] = []
    var rest = line.drop { $0 == UInt8(ascii: "[") }
    while let byte = rest.first {
      switch byte {
      case UInt8(ascii: "]"), UInt8(ascii: "#"):
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
