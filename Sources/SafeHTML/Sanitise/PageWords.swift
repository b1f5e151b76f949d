import CGumbo

/// The words below an element, on one line.
enum PageWords {
  /// All of them, whether they can be seen or not.
  static func all(in element: PageElement, limit: Int) -> String {
    var words = Collector(limit: limit, limits: .standard)
    words.append(element, nil, depth: 0)
    return words.bytes.split(whereSeparator: ASCII.isBlank)
      .map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
  }

  /// Bytes of a link's words that are read: more than anybody does.
  private static let mostOfLink = 16 << 10

  /// What a link says, for the page and its text alike.
  ///
  /// - Parameter inside: what can be seen in the link.
  static func label(
    of link: PageElement, _ inside: Visibility, limits: PageLimits
  ) -> LinkWords {
    var words = Collector(limit: mostOfLink, limits: limits)
    words.append(link, inside, depth: 0)
    let bytes = words.bytes
    func beside(_ edge: UInt8?, before: Bool) -> [UInt8] {
      guard let edge, AdjoiningLetters.isOfHost(edge) else { return [] }
      return AdjoiningLetters.of(link, before: before, limits: limits)
    }
    return LinkWords(
      bytes: bytes, before: beside(bytes.first, before: true),
      after: beside(bytes.last, before: false))
  }

  private struct Collector {
    var bytes: [UInt8] = []
    let limit: Int
    let limits: PageLimits

    /// - Parameter visibility: nil where it does not matter.
    mutating func append(_ element: PageElement, _ visibility: Visibility?, depth: Int) {
      guard depth < 64 else { return }
      for child in element.children where bytes.count < limit {
        switch child.content {
        case .text(let text):
          if !(visibility?.hidesText ?? false) { bytes.append(contentsOf: text.prefix(limit)) }
        case .element(let element): append(child: element, visibility, depth: depth)
        case .nothing: break
        }
      }
    }

    private mutating func append(
      child element: PageElement, _ visibility: Visibility?, depth: Int
    ) {
      let rule = ElementRule.of(element)
      guard rule.fate != .drop else { return }
      let look =
        visibility == nil
        ? ElementLook()
        : ElementLook(
          element, rule.attributes.union(.text), at: .of(element, inLink: true), limits: limits)
      var inside = visibility
      inside?.enter(element, look, limits: limits)
      guard !(inside?.isGone ?? false) else { return }
      let separator = PageWords.separator(element, look)
      if let separator { bytes.append(separator) }
      // One without words leaves nothing on a page that does not show it: what stands beside it is one word there.
      if element.tag == GUMBO_TAG_IMG, let alt = element.attribute("alt")?.trimmed,
        !alt.isEmpty, alt.count <= Placeholder.limit, !(inside?.hidesText ?? false)
      {
        bytes.append(ASCII.space)
        bytes.append(contentsOf: alt.prefix(limit))
        bytes.append(ASCII.space)
      }
      let turns =
        element.tag == GUMBO_TAG_BDO && element.attribute("dir")?.equals("rtl") ?? false
      if turns { bytes.append(contentsOf: "\u{202E}".utf8) }
      append(element, inside, depth: depth + 1)
      if turns { bytes.append(contentsOf: "\u{202C}".utf8) }
      if let separator { bytes.append(separator) }
    }
  }

  /// What parts an element's words from those before it; nil where they are one word.
  static func separator(_ element: PageElement, _ look: ElementLook) -> UInt8? {
    switch element.tag {
    // Cells stand side by side, and may touch.
    case GUMBO_TAG_TD, GUMBO_TAG_TH: LinkWords.gap
    case GUMBO_TAG_BR, GUMBO_TAG_HR, GUMBO_TAG_LI, GUMBO_TAG_DD, GUMBO_TAG_PRE,
      GUMBO_TAG_BLOCKQUOTE, GUMBO_TAG_UL, GUMBO_TAG_OL:
      ASCII.space
    default:
      BlockKind.of(element.tag) != .none || look.isBlock || isPlaceholder(element)
        ? ASCII.space : nil
    }
  }

  /// The words that stand for an image on a page of ours.
  private static func isPlaceholder(_ element: PageElement) -> Bool {
    element.tag == GUMBO_TAG_SPAN && element.attribute("class")?.equals("mirror-image") ?? false
  }
}

/// The words that stand for an image.
enum Placeholder {
  /// Longer ones are left out.
  static let limit = 1000
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
