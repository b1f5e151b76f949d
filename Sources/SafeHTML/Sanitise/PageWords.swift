import CGumbo

/// The words below an element, on one line.
enum PageWords {
  /// All of them, whether they can be seen or not.
  static func all(in element: PageElement, limit: Int) -> String {
    var words = Collector(limit: limit, limits: .standard)
    words.append(element, nil, depth: 0)
    return words.bytes.split { $0 <= ASCII.space }
      .map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
  }

  /// Bytes of a link's words that are read: more than a person does.
  private static let mostOfLink = 16 << 10

  /// What a link says, for the page and its text alike.
  ///
  /// - Parameters:
  ///   - inside: what can be seen in the link.
  ///   - places: of the links in the page.
  static func label(
    of link: PageElement, _ inside: Visibility, in places: LinkPlaces?, limits: PageLimits
  ) -> LinkWords {
    var words = Collector(limit: mostOfLink, limits: limits)
    words.append(link, inside, depth: 0)
    return LinkWords(
      bytes: words.bytes, inPlace: places?.names(around: link) ?? [], isCut: words.isCut)
  }

  private struct Collector {
    private(set) var bytes: [UInt8] = []
    /// Whether there are more words than were read.
    private(set) var isCut = false
    private var blanks = BlankWidth()
    private var elements = 0
    let limit: Int
    let limits: PageLimits

    /// Elements of a link that are read: links may lie within cells of links, each of which reads them.
    private static let mostElements = 20_000

    init(limit: Int, limits: PageLimits) {
      self.limit = limit
      self.limits = limits
    }

    /// - Parameter visibility: nil where it does not matter.
    mutating func append(_ element: PageElement, _ visibility: Visibility?, depth: Int) {
      elements += 1
      guard depth < limits.depth, elements <= Self.mostElements else {
        isCut = true
        return
      }
      for child in element.children where !isCut {
        switch child.content {
        case .text(let text):
          if !(visibility?.hidesText ?? false) { append(text, size: visibility?.textSize ?? 1) }
        case .element(let element): append(child: element, visibility, depth: depth)
        case .nothing: break
        }
      }
    }

    /// With one blank for each run of them: many would leave no room for words.
    private mutating func append(_ text: PageBytes, size: Double) {
      var rest = text[...]
      while let byte = rest.first {
        guard bytes.count < limit else {
          isCut = true
          return
        }
        let isBlank = ASCII.isBlank(byte)
        let isWide = byte == 0xC2 && rest.dropFirst().first == 0xA0
        if isBlank || isWide {
          blanks.add(size: size, collapses: isBlank)
        } else {
          part(size: size)
          bytes.append(byte)
        }
        rest = rest.dropFirst(isWide ? 2 : 1)
      }
    }

    /// Writes the blank before a letter.
    private mutating func part(size: Double? = nil) {
      guard let width = blanks.end(size: size), !bytes.isEmpty else { return }
      bytes.append(width == .narrow ? LinkWords.gap : ASCII.space)
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
      append(separator)
      // One without words leaves nothing on a page that does not show it: what is beside it is one word there.
      if element.tag == GUMBO_TAG_IMG, let alt = element.attribute("alt")?.trimmed,
        !alt.isEmpty, alt.count <= Placeholder.limit, !(inside?.hidesPictures ?? false)
      {
        part()
        bytes.append(LinkWords.pictureStart)
        append(alt, size: inside?.textSize ?? 1)
        bytes.append(LinkWords.pictureEnd)
      }
      let turns =
        element.tag == GUMBO_TAG_BDO && element.attribute("dir")?.equals("rtl") ?? false
      if turns {
        part()
        bytes.append(contentsOf: "\u{202E}".utf8)
      }
      append(element, inside, depth: depth + 1)
      if turns {
        part()
        bytes.append(contentsOf: "\u{202C}".utf8)
      }
      append(separator)
    }

    private mutating func append(_ separator: UInt8?) {
      if separator == ASCII.space {
        blanks.addBreak()
      } else if let separator, bytes.last != separator {
        bytes.append(separator)
      }
    }
  }

  /// What parts an element's words from those before it; nil where they are one word.
  static func separator(_ element: PageElement, _ look: ElementLook) -> UInt8? {
    // Its own lines do not stay.
    guard ElementRule.of(element).fate != .words else { return nil }
    switch element.tag {
    // Cells are side by side, and may touch.
    case GUMBO_TAG_TD, GUMBO_TAG_TH: return LinkWords.gap
    case GUMBO_TAG_BR: return ASCII.space
    default:
      guard hasOwnLines(element, look) else { return nil }
      return look.isSetInLine ? LinkWords.gap : ASCII.space
    }
  }

  private static func hasOwnLines(_ element: PageElement, _ look: ElementLook) -> Bool {
    switch element.tag {
    case GUMBO_TAG_HR, GUMBO_TAG_LI, GUMBO_TAG_DD, GUMBO_TAG_PRE, GUMBO_TAG_BLOCKQUOTE,
      GUMBO_TAG_UL, GUMBO_TAG_OL:
      true
    default:
      BlockKind.of(element.tag) != .none || look.isBlock || PageClass.isPlaceholder(element)
    }
  }
}

/// The words in the place of an image.
enum Placeholder {
  /// Longer ones are left out.
  static let limit = 1000
}
