/// The start tags of an XML document, one after the other, with their attributes as a parser gives them: whatever quotes and
/// blanks they are written with, and with references to characters replaced.
struct XMLTags {
  private let bytes: UnsafeRawBufferPointer
  private var place = 0
  private var name = 0..<0
  private var attributes: [(name: Range<Int>, value: Range<Int>)] = []
  /// Whether a document type was declared: it may say what else references stand for.
  private(set) var hasDocumentType = false

  /// - Parameter bytes: of ASCII or what is ASCII but for letters.
  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  private static let less = UInt8(ascii: "<")
  private static let greater = UInt8(ascii: ">")
  private static let slash = UInt8(ascii: "/")

  /// Goes to the next one; false where there is none.
  mutating func next() -> Bool {
    while let open = bytes[place...].firstIndex(of: Self.less) {
      place = open + 1
      switch place < bytes.count ? bytes[place] : 0 {
      case UInt8(ascii: "!"):
        if bytes[place...].starts(with: "!--".utf8) {
          skip(to: "-->")
        } else if bytes[place...].starts(with: "![CDATA[".utf8) {
          skip(to: "]]>")
        } else {
          hasDocumentType = true
        }
      case UInt8(ascii: "?"): skip(to: "?>")
      case Self.slash: skip(to: ">")
      default:
        readTag()
        return true
      }
    }
    return false
  }

  /// Its name without the prefix of its name space.
  func isCalled(_ word: StaticString) -> Bool { equals(local(name), word) }

  /// The value of an attribute of whatever name space.
  func attribute(_ word: StaticString) -> String? {
    attributes.first { equals(local($0.name), word) }.map { Self.decoded(bytes[$0.value]) }
  }

  /// What stands between the tag and the next one.
  var text: String {
    Self.decoded(bytes[place..<(bytes[place...].firstIndex(of: Self.less) ?? bytes.count)])
  }

  // MARK: Reading

  private mutating func skip(to end: StaticString) {
    let word = UnsafeBufferPointer(start: end.utf8Start, count: end.utf8CodeUnitCount)
    while place < bytes.count {
      guard let found = bytes[place...].firstIndex(of: word[0]) else { break }
      place = found + 1
      if bytes[found...].starts(with: word) {
        place = found + word.count
        return
      }
    }
    place = bytes.count
  }

  private mutating func readTag() {
    name = word()
    attributes.removeAll(keepingCapacity: true)
    while true {
      skipBlanks()
      guard place < bytes.count, bytes[place] != Self.greater else { break }
      if bytes[place] == Self.slash {
        place += 1
        continue
      }
      let name = word()
      skipBlanks()
      guard place < bytes.count, bytes[place] == UInt8(ascii: "=") else {
        // No XML; what follows is looked at all the same.
        if name.isEmpty { place += 1 }
        continue
      }
      place += 1
      skipBlanks()
      guard place < bytes.count,
        bytes[place] == UInt8(ascii: "\"") || bytes[place] == UInt8(ascii: "'")
      else { continue }
      let start = place + 1
      let end = bytes[start...].firstIndex(of: bytes[place]) ?? bytes.count
      attributes.append((name, start..<end))
      place = min(end + 1, bytes.count)
    }
    place = min(place + 1, bytes.count)
  }

  private mutating func word() -> Range<Int> {
    let start = place
    while place < bytes.count, bytes[place] > 0x20, bytes[place] != Self.greater,
      bytes[place] != Self.slash, bytes[place] != UInt8(ascii: "=")
    {
      place += 1
    }
    return start..<place
  }

  private mutating func skipBlanks() {
    while place < bytes.count, bytes[place] <= 0x20 { place += 1 }
  }

  private func local(_ name: Range<Int>) -> Range<Int> {
    guard let colon = bytes[name].lastIndex(of: UInt8(ascii: ":")) else { return name }
    return colon + 1..<name.upperBound
  }

  private func equals(_ range: Range<Int>, _ word: StaticString) -> Bool {
    range.count == word.utf8CodeUnitCount
      && bytes[range].elementsEqual(UnsafeBufferPointer(start: word.utf8Start, count: range.count))
  }

  // MARK: References

  /// With references to characters replaced (XML 1.0 §4.1).
  private static func decoded(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    guard bytes.contains(UInt8(ascii: "&")) else { return text }
    var result = ""
    var rest = text[...]
    while let reference = rest.firstIndex(of: "&") {
      result += rest[..<reference]
      rest = rest[rest.index(after: reference)...]
      guard let end = rest.prefix(12).firstIndex(of: ";"), let letter = character(rest[..<end])
      else {
        result.append("&")
        continue
      }
      result.unicodeScalars.append(letter)
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  private static func character(_ name: Substring) -> Unicode.Scalar? {
    switch name {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      guard name.hasPrefix("#") else { return nil }
      let isHex = name.hasPrefix("#x")
      return UInt32(name.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10)
        .flatMap(Unicode.Scalar.init)
    }
  }
}
