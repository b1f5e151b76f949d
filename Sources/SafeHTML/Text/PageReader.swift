import CGumbo

/// Walks over a page's tree and sets its text.
struct PageReader {
  private let firstLink: Int
  private let limit: Int
  private let limits: PageLimits
  private let showsHidden: Bool

  private static let mostLinks = 1000
  /// Bytes of an address that is listed.
  private static let longestAddress = 8192

  private var result = PageText()
  private var places: LinkPlaces?
  private var linkNumbers: [String: Int] = [:]
  private var lines = TextLines()
  /// The next number of each list open; nil where it has none.
  private var lists: [Int?] = []
  private var preformatted = 0

  init(firstLink: Int, limit: Int, limits: PageLimits, showsHidden: Bool) {
    self.firstLink = firstLink
    self.limit = limit
    self.limits = limits
    self.showsHidden = showsHidden
  }

  mutating func read(_ root: PageElement) -> PageText {
    for child in root.children {
      if case .element(let element) = child.content, element.tag == GUMBO_TAG_BODY {
        let sheets = SheetGrounds.find(in: root, limits: limits)
        places = LinkPlaces(in: element, sheets: sheets, limits: limits)
        read(element, Visibility(sheets: sheets), depth: 0)
      }
    }
    if result.isRefused {
      var refused = PageText()
      refused.isRefused = true
      return refused
    }
    result.text = lines.text
    return result
  }

  // MARK: Elements

  private mutating func read(_ element: PageElement, _ around: Visibility, depth: Int) {
    guard depth < limits.depth else {
      result.isRefused = true
      return
    }
    let rule = ElementRule.of(element)
    guard rule.fate != .drop else { return }
    var inside = around
    let address =
      element.tag == GUMBO_TAG_A ? PageLinks.address(of: element, limits: limits) : nil
    let place: StyleRule.Place = address == nil ? .of(element, inLink: around.isInLink) : .link
    if address != nil { inside.enterLink() }
    inside.enter(
      element, ElementLook(element, rule.attributes.union(.text), at: place, limits: limits),
      limits: limits)
    if showsHidden { inside = Visibility() }
    if inside.isGone {
      result.hiddenWords += HiddenWords.count(below: element, limits: limits)
      return
    }
    if element.tag == GUMBO_TAG_TABLE, readData(element, inside, depth: depth) { return }
    let restore = begin(element, inside)
    readChildren(of: element, inside, depth: depth)
    end(element, restore)
    if let address { endLink(element, to: address, inside, from: restore.textStart) }
  }

  private mutating func readChildren(
    of element: PageElement, _ inside: Visibility, depth: Int
  ) {
    var isInReply = false
    for child in element.children where !result.isCut && !result.isRefused {
      switch child.content {
      case .nothing: break
      case .text(let text): read(text, inside)
      case .element(let child):
        if !isInReply, QuoteMark.opensRest(child), !lines.isEmpty {
          isInReply = true
          lines.blockBreak(2)
          lines.quoteDepth += 1
        }
        read(child, inside, depth: depth + 1)
      }
    }
    if isInReply {
      lines.quoteDepth -= 1
      lines.blockBreak(2)
    }
  }

  private mutating func read(_ text: PageBytes, _ inside: Visibility) {
    if inside.hidesText, !showsHidden {
      result.hiddenWords += text.wordCount
      return
    }
    if preformatted > 0 { lines.verbatim(text) } else { lines.flow(text) }
    if lines.text.count > limit { result.isCut = true }
  }

  /// What the end of an element puts back.
  private struct Restore {
    var textStart = 0
    var indent = 0
  }

  private mutating func begin(_ element: PageElement, _ inside: Visibility) -> Restore {
    let restore = Restore(textStart: lines.text.count, indent: lines.indent)
    switch element.tag {
    case GUMBO_TAG_BR: lines.lineBreak()
    case GUMBO_TAG_HR:
      lines.blockBreak(1)
      lines.word(repeatElement(ASCII.dash, count: 20))
      lines.blockBreak(1)
    case GUMBO_TAG_IMG: readImage(element, inside)
    case GUMBO_TAG_PRE, GUMBO_TAG_LISTING:
      lines.blockBreak(2)
      preformatted += 1
    case GUMBO_TAG_BLOCKQUOTE:
      lines.blockBreak(2)
      lines.quoteDepth += 1
    case GUMBO_TAG_UL, GUMBO_TAG_DIR, GUMBO_TAG_MENU: beginList(from: nil)
    case GUMBO_TAG_OL:
      let start = element.attribute("start").flatMap { Int($0.text) } ?? 1
      beginList(from: max(0, min(start, 1_000_000)))
    case GUMBO_TAG_LI:
      lines.blockBreak(1)
      lines.mark(listMark())
    case GUMBO_TAG_DD:
      lines.blockBreak(1)
      lines.indent += 2
    case GUMBO_TAG_TD, GUMBO_TAG_TH: lines.blank()
    default: lines.blockBreak(BlockKind.of(element.tag).breaks)
    }
    return restore
  }

  private mutating func end(_ element: PageElement, _ restore: Restore) {
    switch element.tag {
    case GUMBO_TAG_BR, GUMBO_TAG_HR, GUMBO_TAG_IMG: break
    case GUMBO_TAG_PRE, GUMBO_TAG_LISTING:
      preformatted -= 1
      lines.blockBreak(2)
    case GUMBO_TAG_BLOCKQUOTE:
      lines.quoteDepth -= 1
      lines.blockBreak(2)
    case GUMBO_TAG_UL, GUMBO_TAG_DIR, GUMBO_TAG_MENU, GUMBO_TAG_OL:
      _ = lists.popLast()
      lines.indent = restore.indent
      lines.blockBreak(lists.isEmpty ? 2 : 1)
    case GUMBO_TAG_LI: lines.blockBreak(1)
    case GUMBO_TAG_DD:
      lines.indent = restore.indent
      lines.blockBreak(1)
    case GUMBO_TAG_TD, GUMBO_TAG_TH: lines.blank()
    case GUMBO_TAG_H1, GUMBO_TAG_H2: underline(from: restore.textStart, element.tag)
    default: lines.blockBreak(BlockKind.of(element.tag).breaks)
    }
  }

  // MARK: Lists, headings, images

  private mutating func beginList(from start: Int?) {
    lines.blockBreak(lists.isEmpty ? 2 : 1)
    if !lists.isEmpty { lines.indent += 2 }
    lists.append(start)
  }

  private mutating func listMark() -> [UInt8] {
    guard let number = lists.last ?? nil else { return Array("- ".utf8) }
    lists[lists.count - 1] = number + 1
    return Array("\(number). ".utf8)
  }

  /// A line below a short heading.
  private mutating func underline(from start: Int, _ tag: GumboTag) {
    lines.blockBreak(1)
    let heading = String(decoding: lines.text[start...].drop { $0 == ASCII.lf }, as: UTF8.self)
    let width = TextColumns.count(heading)
    if (3...60).contains(width), !heading.contains("\n"), lines.quoteDepth == 0, lines.indent == 0 {
      lines.word(String(repeating: tag == GUMBO_TAG_H1 ? "═" : "─", count: width).utf8)
    }
    lines.blockBreak(2)
  }

  private mutating func readImage(_ image: PageElement, _ inside: Visibility) {
    guard !inside.hidesPictures || showsHidden, let alt = image.attribute("alt")?.trimmed,
      alt.wordCount > 0
    else { return }
    lines.flow(alt)
  }

  // MARK: Links

  /// Numbers a link unless its label says where it leads.
  private mutating func endLink(
    _ element: PageElement, to address: WebAddress, _ inside: Visibility, from start: Int
  ) {
    guard result.links.count < Self.mostLinks, lines.text.count > start,
      address.text.utf8.count <= Self.longestAddress
    else { return }
    let words = PageWords.label(of: element, inside, in: places, limits: limits)
    let label = words.text
    let real = LinkLabel.mark(words, to: address)?.real
    guard real != nil || Self.isWorthListing(address.text, label: label) else { return }
    let number = linkNumbers[address.text] ?? result.links.count + 1
    if number > result.links.count {
      result.links.append(PageText.Link(label: label, url: address.text, misleadsTo: real))
      linkNumbers[address.text] = number
    }
    let mark = real.map { " leads to \($0)" } ?? ""
    lines.append(" [\(number + firstLink - 1)\(mark)]".utf8)
  }

  /// Not what its own label spells out.
  private static func isWorthListing(_ url: String, label: String) -> Bool {
    !label.isEmpty && !url.hasPrefix("cid:") && bare(url) != bare(label)
  }

  private static func bare(_ address: String) -> String {
    var address = address.lowercased()[...]
    for prefix in ["https://", "http://", "mailto:", "tel:", "ftp://", "www."]
    where address.hasPrefix(prefix) {
      address = address.dropFirst(prefix.count)
    }
    while address.hasSuffix("/") { address = address.dropLast() }
    return String(address)
  }

  // MARK: Cells

  /// Sets a table of data; false, and nothing read, where it is none.
  private mutating func readData(
    _ table: PageElement, _ inside: Visibility, depth: Int
  ) -> Bool {
    var reader = self
    guard let table = DataTable(table, inside, &reader, depth: depth) else { return false }
    result = reader.result
    linkNumbers = reader.linkNumbers
    lines.blockBreak(2)
    lines.block(table.lines)
    lines.blockBreak(2)
    return true
  }

  /// The text of a cell alone.
  mutating func cell(_ element: PageElement, _ around: Visibility, depth: Int) -> [UInt8] {
    lines = TextLines()
    lists = []
    read(element, around, depth: depth)
    return lines.text
  }
}

/// The elements that take lines of their own.
enum BlockKind {
  case none, block, paragraph

  var breaks: Int {
    switch self {
    case .none: 0
    case .block: 1
    case .paragraph: 2
    }
  }

  static func of(_ tag: GumboTag) -> BlockKind {
    let place = Int(tag.rawValue)
    return place < table.count ? table[place] : .none
  }

  private static let table: [BlockKind] = {
    var table = Array(repeating: BlockKind.none, count: Int(GUMBO_TAG_LAST.rawValue) + 1)
    let blocks = [
      GUMBO_TAG_DIV, GUMBO_TAG_SECTION, GUMBO_TAG_ARTICLE, GUMBO_TAG_HEADER, GUMBO_TAG_FOOTER,
      GUMBO_TAG_MAIN, GUMBO_TAG_NAV, GUMBO_TAG_ADDRESS, GUMBO_TAG_FIELDSET, GUMBO_TAG_FORM,
      GUMBO_TAG_CAPTION, GUMBO_TAG_FIGCAPTION, GUMBO_TAG_TR, GUMBO_TAG_TBODY, GUMBO_TAG_THEAD,
      GUMBO_TAG_TFOOT, GUMBO_TAG_DETAILS, GUMBO_TAG_SUMMARY, GUMBO_TAG_HGROUP, GUMBO_TAG_DT,
      GUMBO_TAG_BODY, GUMBO_TAG_MARQUEE,
    ]
    let paragraphs = [
      GUMBO_TAG_P, GUMBO_TAG_H3, GUMBO_TAG_H4, GUMBO_TAG_H5, GUMBO_TAG_H6, GUMBO_TAG_H1,
      GUMBO_TAG_H2, GUMBO_TAG_DL, GUMBO_TAG_TABLE, GUMBO_TAG_FIGURE, GUMBO_TAG_CENTER,
    ]
    for tag in blocks { table[Int(tag.rawValue)] = .block }
    for tag in paragraphs { table[Int(tag.rawValue)] = .paragraph }
    return table
  }()
}
