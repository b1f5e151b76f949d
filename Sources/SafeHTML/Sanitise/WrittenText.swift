/// The words of what was written: between our own tags, of which the form is known.
enum WrittenText {
  static func words(of html: ArraySlice<UInt8>) -> String {
    var text: [UInt8] = []
    var place = html.startIndex
    while place < html.endIndex, text.count < 1000 {
      switch html[place] {
      case ASCII.less:
        guard let end = html[place...].firstIndex(of: ASCII.greater) else { return "" }
        if !isWithinWords(html[place..<end]) { text.append(ASCII.space) }
        place = end + 1
      case UInt8(ascii: "&"):
        let (byte, end) = reference(html, at: place)
        text.append(byte)
        place = end
      default:
        text.append(html[place])
        place += 1
      }
    }
    return text.split(whereSeparator: ASCII.isBlank)
      .map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
  }

  /// Whether a tag changes no more than the look of letters.
  private static func isWithinWords(_ tag: ArraySlice<UInt8>) -> Bool {
    let name = tag.dropFirst().drop { $0 == ASCII.slash }.prefix { ASCII.isLetter($0) }
    return inline.contains { name.elementsEqual($0) }
  }

  private static let inline = [
    "span", "b", "i", "u", "font", "strong", "em", "code", "tt", "small", "big", "wbr",
  ]
  .map { Array($0.utf8) }

  private static func reference(_ html: ArraySlice<UInt8>, at place: Int) -> (UInt8, Int) {
    let known: [(String, UInt8)] = [
      ("&amp;", 0x26), ("&lt;", 0x3C), ("&gt;", 0x3E), ("&quot;", 0x22), ("&#39;", 0x27),
      ("&#96;", 0x60),
    ]
    for (name, byte) in known where html[place...].starts(with: name.utf8) {
      return (byte, place + name.utf8.count)
    }
    return (html[place], place + 1)
  }
}
