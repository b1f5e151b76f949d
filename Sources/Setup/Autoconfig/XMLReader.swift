/// Why a document is refused.
package enum XMLMistake: Error, Equatable, Sendable {
  /// What is expected or wrong, and the offset in bytes.
  case malformed(String, at: Int)
  /// A document type or an entity of its own: neither is needed here, and both are ways to do harm.
  case documentType
  /// Deeper, longer or more than any honest document of this kind.
  case tooMuch(String)
}

/// A strict pull reader for small XML documents in UTF-8: elements, attributes, text, the five entities.
///
/// No document type, no entities of the document's own, no namespaces. All is bounded, nothing recurses.
package struct XMLReader {
  package enum Event: Equatable, Sendable {
    case start(name: String, attributes: [String: String])
    case end(name: String)
    /// Between two tags, decoded, comments left out; never empty.
    case text(String)
  }

  package static let depthLimit = 32
  package static let nameLimit = 200
  package static let attributeLimit = 32
  /// Bytes of one text or attribute value.
  package static let textLimit = 64 << 10

  private let bytes: [UInt8]
  private var index = 0
  private var open: [String] = []
  private var hasRoot = false
  /// The end of an element that was written as `<a/>`.
  private var pendingEnd: String?

  package init(_ bytes: [UInt8]) throws(XMLMistake) {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw .malformed("the text is not UTF-8", at: 0)
    }
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
  }

  /// The next event, or nil at the end of a whole document.
  package mutating func next() throws(XMLMistake) -> Event? {
    if let name = pendingEnd {
      pendingEnd = nil
      return .end(name: name)
    }
    var text: [UInt8] = []
    while index < bytes.count {
      if bytes[index] != UInt8(ascii: "<") {
        try takeText(into: &text)
      } else if starts(with: "<!--") {
        try skip(past: "-->", after: 4)
      } else if starts(with: "<![CDATA[") {
        try takeCharacterData(into: &text)
      } else if starts(with: "<!") {
        throw .documentType
      } else if starts(with: "<?") {
        try skip(past: "?>", after: 2)
      } else if let event = finished(&text) {
        return event
      } else {
        return try tag()
      }
      guard text.count <= Self.textLimit else { throw .tooMuch("text") }
    }
    if let event = finished(&text) { return event }
    guard open.isEmpty else { throw .malformed("“\(open.last ?? "")” is not closed", at: index) }
    guard hasRoot else { throw .malformed("there is no element", at: index) }
    return nil
  }

  /// Blanks between elements are no text; anything else outside of the root is a mistake that ``takeText`` tells.
  private mutating func finished(_ text: inout [UInt8]) -> Event? {
    defer { text = [] }
    guard text.contains(where: { !Self.isBlank($0) }) else { return nil }
    return .text(String(decoding: text, as: UTF8.self))
  }

  // MARK: Text

  private mutating func takeText(into text: inout [UInt8]) throws(XMLMistake) {
    while index < bytes.count, bytes[index] != UInt8(ascii: "<") {
      guard text.count <= Self.textLimit else { throw .tooMuch("text") }
      if bytes[index] == UInt8(ascii: "&") {
        guard !open.isEmpty else { throw .malformed("text outside of the root", at: index) }
        text += try reference()
        continue
      }
      guard !open.isEmpty || Self.isBlank(bytes[index]) else {
        throw .malformed("text outside of the root", at: index)
      }
      text.append(bytes[index])
      index += 1
    }
  }

  private mutating func takeCharacterData(into text: inout [UInt8]) throws(XMLMistake) {
    guard !open.isEmpty else { throw .malformed("text outside of the root", at: index) }
    let start = index + 9
    try skip(past: "]]>", after: 9)
    text += bytes[start..<(index - 3)]
  }

  /// `&amp;` and its four kin, `&#10;`, `&#xA;`.
  private mutating func reference() throws(XMLMistake) -> [UInt8] {
    let start = index + 1
    guard let end = bytes[start...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
      throw .malformed("an & without its end", at: index)
    }
    let name = String(decoding: bytes[start..<end], as: UTF8.self)
    defer { index = end + 1 }
    switch name {
    case "amp": return [UInt8(ascii: "&")]
    case "lt": return [UInt8(ascii: "<")]
    case "gt": return [UInt8(ascii: ">")]
    case "quot": return [UInt8(ascii: "\"")]
    case "apos": return [UInt8(ascii: "'")]
    default: break
    }
    guard name.hasPrefix("#") else { throw .documentType }
    let digits = name.dropFirst()
    let number =
      digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits, radix: 10)
    guard let number, let scalar = Unicode.Scalar(number),
      number >= 0x20 || [9, 10, 13].contains(number)
    else {
      throw .malformed("a character that XML does not have", at: index)
    }
    return Array(String(scalar).utf8)
  }

  // MARK: Tags

  private mutating func tag() throws(XMLMistake) -> Event {
    index += 1
    if current == UInt8(ascii: "/") {
      index += 1
      let name = try self.name()
      skipBlanks()
      try expect(">")
      guard open.popLast() == name else {
        throw .malformed("“</\(name)>” closes nothing", at: index)
      }
      return .end(name: name)
    }
    guard !open.isEmpty || !hasRoot else { throw .malformed("a second root", at: index) }
    let name = try self.name()
    let attributes = try self.attributes()
    hasRoot = true
    if current == UInt8(ascii: "/") {
      index += 1
      pendingEnd = name
    } else {
      guard open.count < Self.depthLimit else { throw .tooMuch("depth") }
      open.append(name)
    }
    try expect(">")
    return .start(name: name, attributes: attributes)
  }

  private mutating func attributes() throws(XMLMistake) -> [String: String] {
    var attributes: [String: String] = [:]
    while true {
      let before = index
      skipBlanks()
      guard let byte = current else { throw .malformed("a tag without its end", at: index) }
      if byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") { return attributes }
      guard index > before else { throw .malformed("a blank is missing", at: index) }
      let name = try self.name()
      skipBlanks()
      try expect("=")
      skipBlanks()
      let value = try self.value()
      guard attributes.updateValue(value, forKey: name) == nil else {
        throw .malformed("“\(name)” stands twice", at: index)
      }
      guard attributes.count <= Self.attributeLimit else { throw .tooMuch("attributes") }
    }
  }

  private mutating func value() throws(XMLMistake) -> String {
    guard let quote = current, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw .malformed("a value without quotes", at: index)
    }
    index += 1
    var value: [UInt8] = []
    while let byte = current, byte != quote {
      guard byte != UInt8(ascii: "<") else { throw .malformed("a < in a value", at: index) }
      if byte == UInt8(ascii: "&") {
        value += try reference()
      } else {
        value.append(byte)
        index += 1
      }
      guard value.count <= Self.textLimit else { throw .tooMuch("value") }
    }
    guard current == quote else { throw .malformed("a value without its end", at: index) }
    index += 1
    return String(decoding: value, as: UTF8.self)
  }

  private mutating func name() throws(XMLMistake) -> String {
    let start = index
    while let byte = current, Self.isNameByte(byte) { index += 1 }
    guard index > start else { throw .malformed("a name is missing", at: index) }
    guard index - start <= Self.nameLimit else { throw .tooMuch("name") }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  // MARK: Bytes

  private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

  private func starts(with text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count - index >= count else { return false }
    return (0..<count).allSatisfy { bytes[index + $0] == text.utf8Start[$0] }
  }

  private mutating func expect(_ character: Unicode.Scalar) throws(XMLMistake) {
    guard current == UInt8(ascii: character) else {
      throw .malformed("“\(character)” is missing", at: index)
    }
    index += 1
  }

  private mutating func skip(past end: StaticString, after count: Int) throws(XMLMistake) {
    let start = index
    index += count
    while index < bytes.count {
      if starts(with: end) {
        index += end.utf8CodeUnitCount
        return
      }
      index += 1
    }
    throw .malformed("no end of what began here", at: start)
  }

  private mutating func skipBlanks() {
    while let byte = current, Self.isBlank(byte) { index += 1 }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
      UInt8(ascii: ":"), UInt8(ascii: "."), 0x80...0xFF:
      true
    default: false
    }
  }
}
