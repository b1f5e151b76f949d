import CGumbo

/// Where a page's links lead, and what is told of each.
struct PageLinks {
  private(set) var count = 0
  private(set) var tracked = 0
  private(set) var misleading: [SafePage.MisleadingLink] = []
  /// Whether one is written otherwise than a mail's links usually are: with a mark, or with another address than the mail
  /// has, which may be read as a third.
  private(set) var areUnusual = false

  /// Where a link leads; nil where that is nowhere.
  static func address(of link: PageElement, limits: PageLimits) -> WebAddress? {
    guard let value = link.attribute("href"), value.count <= limits.attributeBytes else {
      return nil
    }
    return WebAddress(value)
  }

  /// How a link is written.
  struct Written {
    var attributes: [UInt8]
    /// The element right after it that names where it leads; empty where its words say enough.
    var mark: [UInt8] = []
    /// Whether it is so long that the mark is needed before it, too.
    var isLong = false
  }

  /// Bytes of a link's words that are seen at one glance.
  private static let longest = 200

  /// Links that are told of; all are marked.
  private static let mostTold = 1000

  /// Counts a link.
  ///
  /// - Parameter isMarked: whether it carries our mark already, as in a page that is read again.
  mutating func add(
    _ address: WebAddress, _ words: LinkWords, isMarked: Bool, of link: PageElement
  ) -> Written {
    count += 1
    if link.attribute("href")?.elementsEqual(address.text.utf8) != true { areUnusual = true }
    if TrackedLink.isTracked(address) { tracked += 1 }
    let mark = LinkLabel.mark(words, to: address)
    if let mark, let shown = mark.shown, misleading.count < Self.mostTold {
      misleading.append(
        SafePage.MisleadingLink(
          label: words.text, shown: shown, real: mark.real, address: address.text))
    }
    if mark != nil || isMarked { areUnusual = true }
    let real = mark?.real ?? (isMarked ? address.host : nil)
    return Written(
      attributes: Self.attributes(address, markedWith: real),
      mark: real.map(Self.mark(naming:)) ?? [],
      isLong: real != nil && words.text.utf8.count > Self.longest)
  }

  /// The mark of a link. It is an element of its own, outside the link: no style of the mail's is on it, and what it
  /// inherits our style sheet sets anew (`PageStyle`).
  static func mark(naming host: String) -> [UInt8] {
    var mark = Array("<small class=\"\(leadsClass)\">→ ".utf8)
    PageEscaping.append(Array(host.utf8), into: &mark)
    return mark + "</small>".utf8
  }

  /// Whether an element is such a mark: in a mail it is left out, in a page of ours it is written anew with its link.
  static func isMark(_ element: PageElement) -> Bool {
    element.tag == GUMBO_TAG_SMALL
      && element.attribute("class")?.elementsEqual(leadsClass.utf8) ?? false
  }

  /// - Parameter host: that is named beside the link; nil where its words say enough.
  static func attributes(_ address: WebAddress, markedWith host: String?) -> [UInt8] {
    var attributes = Array(" href=\"".utf8)
    PageEscaping.append(Array(address.text.utf8), into: &attributes)
    attributes.append(contentsOf: "\" rel=\"noopener noreferrer nofollow\"".utf8)
    if let host {
      attributes.append(contentsOf: " class=\"\(markClass)\" title=\"".utf8)
      PageEscaping.append(Array(host.utf8), into: &attributes)
      attributes.append(ASCII.quote)
    }
    return attributes
  }

  static func isMarked(_ link: PageElement) -> Bool {
    link.attribute("class")?.equals("mirror-elsewhere") ?? false
  }

  private static let markClass = "mirror-elsewhere"
  private static let leadsClass = "mirror-leads"
}
