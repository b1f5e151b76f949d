/// A value in an IMAP line: the test bed's own reading of the grammar, independent of the program's.
package enum IMAPValue: Equatable, Sendable {
  /// Atoms and numbers, with any `[section]<origin>` belonging to them.
  case atom(String)
  /// Quoted strings and literals.
  case string([UInt8])
  case list([IMAPValue])
  /// `NIL`
  case none

  package var text: String? {
    switch self {
    case .atom(let text): text
    case .string(let bytes): String(decoding: bytes, as: UTF8.self)
    case .list, .none: nil
    }
  }
  package var bytes: [UInt8]? {
    switch self {
    case .atom(let text): Array(text.utf8)
    case .string(let bytes): bytes
    case .list, .none: nil
    }
  }
  package var list: [IMAPValue]? { if case .list(let values) = self { values } else { nil } }
  package var number: UInt64? { text.flatMap { UInt64($0) } }

  /// Reads a whole line whose literals stand in it as `{n}CRLF` and n bytes.
  package static func values(in line: [UInt8]) throws -> [IMAPValue] {
    var reader = Reader(bytes: line)
    let values = try reader.values()
    guard reader.position == line.count else {
      throw KitError("unbalanced line: \(String(decoding: line.prefix(200), as: UTF8.self))")
    }
    return values
  }

  /// The `{n}` or `{n+}` at the end of a line.
  static func literalSize(endOf line: some BidirectionalCollection<UInt8>) -> (
    size: Int, waits: Bool
  )? {
    guard line.last == UInt8(ascii: "}") else { return nil }
    var digits = line.dropLast()
    var waits = true
    if digits.last == UInt8(ascii: "+") || digits.last == UInt8(ascii: "-") {
      waits = false
      digits = digits.dropLast()
    }
    let number = digits.reversed().prefix { $0 >= 48 && $0 <= 57 }
    let open = digits.dropLast(number.count).last
    guard !number.isEmpty, open == UInt8(ascii: "{"),
      let size = Int(String(decoding: number.reversed(), as: UTF8.self))
    else { return nil }
    return (size, waits)
  }

  private struct Reader {
    let bytes: [UInt8]
    var position = 0

    var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func values() throws -> [IMAPValue] {
      var values: [IMAPValue] = []
      while let byte = peek, byte != UInt8(ascii: ")") {
        switch byte {
        case UInt8(ascii: " "): position += 1
        case UInt8(ascii: "("):
          position += 1
          values.append(.list(try self.values()))
          guard peek == UInt8(ascii: ")") else { throw KitError("list without an end") }
          position += 1
        case UInt8(ascii: "\""): values.append(.string(try quoted()))
        case UInt8(ascii: "{"), UInt8(ascii: "~"): values.append(try literal())
        default: values.append(atom())
        }
      }
      return values
    }

    private mutating func quoted() throws -> [UInt8] {
      position += 1
      var text: [UInt8] = []
      while let byte = peek {
        position += 1
        if byte == UInt8(ascii: "\"") { return text }
        if byte == UInt8(ascii: "\\"), let next = peek {
          text.append(next)
          position += 1
        } else {
          text.append(byte)
        }
      }
      throw KitError("string without an end")
    }

    private mutating func literal() throws -> IMAPValue {
      guard let brace = bytes[position...].firstIndex(of: UInt8(ascii: "}")),
        let size = IMAPValue.literalSize(endOf: bytes[position...brace])?.size,
        brace + 3 + size <= bytes.count
      else { return atom() }
      position = brace + 3 + size
      return .string(Array(bytes[(brace + 3)..<position]))
    }

    private mutating func atom() -> IMAPValue {
      let begin = position
      var depth = 0
      while let byte = peek {
        if byte == UInt8(ascii: "[") { depth += 1 }
        if byte == UInt8(ascii: "]") { depth -= 1 }
        if depth <= 0, byte == 32 || byte == UInt8(ascii: "(") || byte == UInt8(ascii: ")") {
          break
        }
        position += 1
      }
      if position == begin { position += 1 }
      let text = String(decoding: bytes[begin..<position], as: UTF8.self)
      return text.uppercased() == "NIL" ? .none : .atom(text)
    }
  }
}
