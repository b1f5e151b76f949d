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
        if !skipUnread() { hasDocumentType = true }
      case UInt8(ascii: "?"): _ = skipUnread()
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

  /// The values of the attributes of that name: there may be one of each name space.
  func attributes(_ word: StaticString) -> [String] {
    attributes.filter { equals(local($0.name), word) }.map { Self.decoded(bytes[$0.value]) }
  }

  /// What stands between the tag and the next one, whatever is not read among it.
  var text: String {
    var rest = self
    var text = ""
    while true {
      let end = bytes[rest.place...].firstIndex(of: Self.less) ?? bytes.count
      text += Self.decoded(bytes[rest.place..<end])
      rest.place = min(end + 1, bytes.count)
      let start = rest.place
      let isData = bytes[start...].starts(with: Self.data)
      guard rest.skipUnread() else { return text }
      if isData {
        let words = bytes[(start + Self.data.count)..<max(start + Self.data.count, rest.place - 3)]
        text += String(decoding: words, as: UTF8.self)
      }
    }
  }

  // MARK: Reading

  private static let data = Array("![CDATA[".utf8)

  /// Goes behind a comment, data or an instruction, of which the first character is known.
  ///
  /// - Returns: false where it is none.
  private mutating func skipUnread() -> Bool {
    let rest = bytes[place...]
    // `<!-->` is not the whole of a comment.
    if rest.starts(with: "!--".utf8) {
      place += 3
      skip(to: "-->")
    } else if rest.starts(with: Self.data) {
      place += Self.data.count
      skip(to: "]]>")
    } else if rest.first == UInt8(ascii: "?") {
      place += 1
      skip(to: "?>")
    } else {
      return false
    }
    return true
  }

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

  /// With references to characters replaced (XML 1.0 §4.1), however many zeros are in them.
  private static func decoded(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    guard bytes.contains(ampersand) else { return String(decoding: bytes, as: UTF8.self) }
    var result: [UInt8] = []
    var rest = bytes
    while let reference = rest.firstIndex(of: ampersand) {
      result += rest[..<reference]
      rest = rest[(reference + 1)...]
      let name = rest.prefix { $0 != UInt8(ascii: ";") && $0 != ampersand }
      guard name.endIndex < rest.endIndex, rest[name.endIndex] != ampersand,
        let letter = character(String(decoding: name, as: UTF8.self)[...])
      else {
        result.append(ampersand)
        continue
      }
      result += String(letter).utf8
      rest = rest[(name.endIndex + 1)...]
    }
    return String(decoding: result + rest, as: UTF8.self)
  }

  private static let ampersand = UInt8(ascii: "&")

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
