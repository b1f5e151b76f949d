/// The page as it is written: markup of ours, and of the mail's escaped text and attributes by rule.
struct PageMarkup {
  private(set) var bytes: [UInt8] = []

  var count: Int { bytes.count }
  var isEmpty: Bool { bytes.isEmpty }

  /// Gives away what was written.
  mutating func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

  mutating func put(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Markup that was made elsewhere by the rules: names, styles, addresses of pictures.
  mutating func put(markup: some Sequence<UInt8>) { bytes.append(contentsOf: markup) }

  /// - Parameter keepsMarks: whether marks of direction stay, which within a link would put its pieces in another order.
  mutating func put(escaped text: PageBytes, keepsMarks: Bool = true) {
    PageEscaping.append(text, keepsMarks: keepsMarks, into: &bytes)
  }

  /// Text with which a page may begin: blanks before all else show nothing.
  mutating func put(text: PageBytes, keepsMarks: Bool) {
    let isFirst = bytes.isEmpty
    put(escaped: text, keepsMarks: keepsMarks)
    guard isFirst else { return }
    bytes.removeSubrange(..<bytes.prefix { ASCII.isBlank($0) }.count)
  }

  /// The tag of a picture but for its further attributes and its end.
  mutating func put(picture source: String, _ alt: PageBytes?, keepsMarks: Bool) {
    put("<img src=\"")
    put(markup: source.utf8)
    put("\" alt=\"")
    if let alt { put(escaped: alt, keepsMarks: keepsMarks) }
    put("\"")
  }

  /// The words in the place of a picture. Long ones may break: they would widen the cell that the picture fits in.
  mutating func put(placeholder alt: PageBytes, keepsMarks: Bool) {
    put("<span class=\"mirror-image\">")
    var start = 0
    var word = 0
    for (place, byte) in alt.enumerated() {
      if ASCII.isBlank(byte) {
        word = place + 1
      } else if place - word >= Self.longestWord, byte & 0xC0 != 0x80 {
        put(escaped: alt.piece(start..<place), keepsMarks: keepsMarks)
        put("<wbr>")
        start = place
        word = place
      }
    }
    put(escaped: alt.piece(start..<alt.count), keepsMarks: keepsMarks)
    put("</span>")
  }

  private static let longestWord = 32  // bytes

  mutating func insert(_ markup: [UInt8], at place: Int) {
    bytes.insert(contentsOf: markup, at: place)
  }

  /// Takes back what was put since.
  mutating func cut(from place: Int) { bytes.removeSubrange(place...) }

  /// The attributes that an element keeps, and its style.
  mutating func put(
    attributesOf element: PageElement, _ set: AttributeSet, _ look: ElementLook,
    keepsDirection: Bool
  ) {
    for (name, value) in element.attributes {
      if !keepsDirection, name.equals("dir") {
        continue
      } else if let kind = AttributeRule.value(name, in: set) {
        guard AttributeRule.accepts(value, as: kind) else { continue }
        put(" ")
        put(markup: name.lazy.map(ASCII.lowered))
      } else if set.contains(.ownClass), name.equals("class"), PageClass.isOne(value) {
        put(" class")
      } else {
        continue
      }
      put("=\"")
      put(escaped: value)
      put("\"")
    }
    guard !look.style.isEmpty else { return }
    put(" style=\"")
    put(markup: look.style)
    put("\"")
  }
}
