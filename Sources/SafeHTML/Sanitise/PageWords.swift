import CGumbo
/// The words below an element, on one line.
enum PageWords {
  static func visible(in element: PageElement, limit: Int) -> String {
    var words: [UInt8] = []
    append(element, limit, depth: 0, into: &words)
    return words.split(whereSeparator: ASCII.isBlank)
      .map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
  }

  private static func append(
    _ element: PageElement, _ limit: Int, depth: Int, into words: inout [UInt8]
  ) {
    guard depth < 64 else { return }
    for child in element.children where words.count < limit {
      switch child.content {
      case .text(let text): words.append(contentsOf: text.prefix(limit))
      case .element(let element):
        let fate = ElementRule.of(element).fate
        guard fate != .drop else { continue }
        if element.tag == GUMBO_TAG_IMG, let alt = element.attribute("alt") {
          words.append(contentsOf: alt.trimmed.prefix(limit))
        }
        let isInline = isInline(element.tag)
        if !isInline { words.append(ASCII.space) }
        append(element, limit, depth: depth + 1, into: &words)
        if !isInline { words.append(ASCII.space) }
      case .nothing: break
      }
    }
  }

  private static func isInline(_ tag: GumboTag) -> Bool {
    switch tag {
    case GUMBO_TAG_SPAN, GUMBO_TAG_B, GUMBO_TAG_I, GUMBO_TAG_U, GUMBO_TAG_FONT, GUMBO_TAG_STRONG,
      GUMBO_TAG_EM, GUMBO_TAG_CODE, GUMBO_TAG_TT, GUMBO_TAG_SMALL, GUMBO_TAG_BIG, GUMBO_TAG_WBR,
      GUMBO_TAG_UNKNOWN:
      true
    default: false
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Runs that hold a letter or digit; letters beyond ASCII count as letters.
  var wordCount: Int {
    var count = 0
    var isInWord = false
    for byte in self {
      let isLetter =
        ASCII.isLetter(byte) || ASCII.isDigit(byte)
        || byte >= 0xC3 && byte != 0xCD && byte != 0xE2 && byte != 0xEF
      if isLetter, !isInWord { count += 1 }
      isInWord = isLetter || isInWord && !ASCII.isBlank(byte)
    }
    return count
  }
}
