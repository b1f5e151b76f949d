import CGumbo

/// Writes a page's tree anew, with what the rules allow and nothing else.
struct TreeWriter {
  private let foldsQuotes: Bool
  private let limits: PageLimits

  private var out = PageMarkup()
  private var links = PageLinks()
  private var places: LinkPlaces?
  private var images: PageImages
  private var omissions: PageOmissions
  private var setsColours = false
  private(set) var isTooDeep = false
  /// Whether a parser may make another tree of what was written than it was written from.
  private var readsOtherwise = false
  /// Whether anything to read or see has come yet.
  private var hasWords = false
  /// Whether a blank is the last that was written of a marked link.
  private var endsInBlank = false

  init(images: PageImages, foldsQuotes: Bool, limits: PageLimits) {
    self.images = images
    self.foldsQuotes = foldsQuotes
    self.limits = limits
    omissions = PageOmissions(limits: limits)
  }

  // MARK: What came of it

  /// Whether what was written has to be read again until it stays as it is.
  var isUnsettled: Bool { readsOtherwise || links.areUnusual }

  var misleadingLinks: [SafePage.MisleadingLink] { links.misleading }

  /// Gives away what was written.
  mutating func take() -> [UInt8] { out.take() }

  /// With the pictures that were kept back.
  func filled(_ page: [UInt8]) -> [UInt8] { images.places.filled(page) }

  /// All but the page itself.
  mutating func found() -> SafePage {
    var page = SafePage(links, images.end(), shown: images.shownParts, omissions)
    page.setsColours = setsColours
    return page
  }

  // MARK: Elements

  mutating func write(_ tree: borrowing PageTree) {
    out.reserve(tree.length)
    tree.withRoot { if let root = $0 { self.write(root: root) } }
  }

  private mutating func write(root: PageElement) {
    for child in root.children {
      guard case .element(let element) = child.content else { continue }
      if element.tag == GUMBO_TAG_HEAD {
        omissions.addAll(in: element, depth: 0)
      } else if element.tag == GUMBO_TAG_BODY {
        let sheets = SheetGrounds.find(in: root, limits: limits)
        places = LinkPlaces(in: element, sheets: sheets, limits: limits)
        write(body: element, Surroundings(visibility: Visibility(sheets: sheets)))
      }
    }
  }

  /// The body's own colours go to a `div` around everything.
  private mutating func write(body: PageElement, _ around: Surroundings) {
    var look = ElementLook(body, .text, at: .free, limits: limits)
    var inside = around
    inside.visibility.enter(body, look, limits: limits)
    look.finish(body, inside.visibility)
    inside.isTurned = look.turnsDirection
    images.count(below: body)
    if look.setsColours { setsColours = true }
    guard !look.style.isEmpty else { return writeChildren(of: body, inside) }
    let start = out.count
    out.put("<div style=\"")
    out.put(markup: look.style)
    out.put("\">")
    let content = out.count
    writeChildren(of: body, inside)
    if out.count == content { out.cut(from: start) } else { out.put("</div>") }
  }

  private mutating func writeChildren(of element: PageElement, _ around: Surroundings) {
    var inside = around
    inside.depth += 1
    guard inside.depth <= limits.depth else {
      isTooDeep = true
      return
    }
    var isInReply = false
    for child in element.children where !isTooDeep {
      switch child.content {
      case .nothing: break
      case .text(let text): write(text: text, inside)
      case .element(let element):
        // What Outlook quotes begins with a mark and goes on to the end of what the mark is in.
        if QuoteMark.opensRest(element), !isInReply, foldsQuotes, !inside.isInQuote,
          !inside.isTableFrame, hasWords
        {
          isInReply = true
          inside.isInQuote = true
          openQuote(inside)
        }
        write(element, inside)
      }
    }
    if isInReply { out.put("</details>") }
  }

  private mutating func write(_ element: PageElement, _ around: Surroundings) {
    let rule = ElementRule.of(element)
    omissions.add(rule.dropped)
    switch rule.fate {
    case .drop: omissions.addAll(in: element, depth: around.depth)
    case .words:
      if !around.isTableFrame { writeWords(of: element, around) }
    case .span:
      keep(element, ElementRule(fate: .keep, name: WrittenName.span, attributes: .text), around)
    case .section:
      keep(
        element,
        ElementRule(fate: .keep, name: WrittenName.section, attributes: .text, nesting: .block),
        around)
    case .keep: keep(element, rule, around)
    }
  }

  private mutating func keep(
    _ element: PageElement, _ rule: ElementRule, _ around: Surroundings
  ) {
    guard !around.isTableFrame || element.tag.isTablePart else { return }
    let address =
      element.tag == GUMBO_TAG_A && !around.isInLink
      ? PageLinks.address(of: element, limits: limits) : nil
    var look = ElementLook(
      element, rule.attributes,
      at: address != nil ? .link : .of(element, inLink: around.visibility.isInLink), limits: limits)
    var inside = around
    inside.isInLink = address != nil || around.isInLink && !element.tag.isCell
    if address != nil { inside.visibility.enterLink() }
    inside.visibility.enter(element, look, limits: limits)
    look.finish(element, inside.visibility)
    images.count(below: element)
    if element.tag == GUMBO_TAG_IMG { return write(image: element, look, inside) }
    guard !inside.visibility.isGone else {
      omissions.words.beginStretch()
      return omissions.hideAll(in: element, depth: around.depth, &images)
    }
    inside.isTableFrame = element.tag.isTableFrame
    if element.tag == GUMBO_TAG_TABLE {
      inside.overlappingCells = CellSpans.overlaps(in: element, inside.visibility, limits: limits)
    }
    if element.tag.isRuby, !around.isPlainRuby, element.holdsLink { inside.isPlainRuby = true }
    if !inside.open.enter(rule.nesting) { readsOtherwise = true }
    let folds =
      foldsQuotes && !around.isInQuote && !around.isTableFrame && QuoteMark.isQuote(element)
      && hasWords
    if folds {
      inside.isInQuote = true
      openQuote(around)
    }
    inside.isHeading = element.tag.isHeading && !around.isHeading
    let name = WrittenName.of(element, rule, isLink: address != nil, in: inside, around)
    var link: PageLinks.Written?
    if let address {
      let words = PageWords.label(
        of: element, inside.visibility, in: places, limits: limits)
      let isMarked = PageLinks.isMarked(element)
      link = links.add(address, words, isMarked: isMarked, of: element)
    }
    let mark = link?.mark ?? []
    if link?.isLong ?? false { out.put(markup: mark) }
    if !mark.isEmpty {
      inside.isInMarkedLink = true
      endsInBlank = true
    }
    out.put("<")
    out.put(markup: name)
    out.put(markup: link?.attributes ?? [])
    let keepsDirection = !inside.visibility.isInLink
    var attributes = rule.attributes
    if around.overlappingCells.contains(element) { attributes.remove(.rows) }
    write(attributesOf: element, attributes, look, keepsDirection: keepsDirection)
    if address != nil, around.isTurned { out.put(" dir=\"auto\"") }
    if keepsDirection {
      let direction = element.attribute("dir").flatMap {
        AttributeRule.accepts($0, as: .word) ? $0 : nil
      }
      inside.isTurned =
        direction.map { !$0.equals("ltr") } ?? (around.isTurned || look.turnsDirection)
    }
    out.put(">")
    if !rule.isVoid {
      let start = out.count
      writeChildren(of: element, inside)
      // The first line feed after `<pre>` is none of its text.
      if element.tag == GUMBO_TAG_PRE, start < out.count, out.bytes[start] == ASCII.lf {
        out.insert([ASCII.lf], at: start)
      }
      out.put("</")
      out.put(markup: name)
      out.put(">")
    }
    out.put(markup: mark)
    if folds { out.put("</details>") }
  }

  // MARK: Text

  private mutating func write(text: PageBytes, _ around: Surroundings) {
    if around.isTableFrame || out.isEmpty, text.allSatisfy(ASCII.isBlank) { return }
    let isInLink = around.visibility.isInLink
    if around.visibility.hidesText, isInLink || !text.allSatisfy(ASCII.isBlank) {
      return omissions.words.hide(text)
    }
    if around.isInMarkedLink {
      let narrow = NarrowText.of(text, after: &endsInBlank)
      narrow.withUnsafeBytes { out.put(text: $0, keepsMarks: false) }
    } else {
      out.put(text: text, keepsMarks: !isInLink)
    }
    if omissions.words.see(text) {
      hasWords = true
      images.more()
    }
  }

  private mutating func writeWords(of element: PageElement, _ around: Surroundings) {
    guard around.depth < limits.depth else {
      isTooDeep = true
      return
    }
    var inside = around
    inside.depth += 1
    // Its colours and sizes do not stay.
    var visibility = around.visibility
    visibility.enter(element, ElementLook(), limits: limits)
    inside.visibility.isGone = visibility.isGone
    inside.visibility.isInvisible = visibility.isInvisible
    for child in element.children {
      switch child.content {
      case .text(let text): write(text: text, inside)
      case .element(let element) where ElementRule.of(element).fate != .drop:
        writeWords(of: element, inside)
      default: break
      }
    }
  }

  // MARK: Images

  private mutating func write(
    image element: PageElement, _ look: ElementLook, _ around: Surroundings
  ) {
    var shape = ImageShape(element)
    shape.isHidden = around.visibility.hidesPictures
    let alt = (element.attribute("alt").map(\.trimmed)).flatMap { $0.isEmpty ? nil : $0 }
    shape.hasWords = alt != nil
    let source = images.source(of: element, shape)
    guard !shape.isHidden else { return }
    let saysWords = alt.map { omissions.words.see($0) } ?? false
    let keepsMarks = !around.visibility.isInLink
    if let source {
      images.more()
      hasWords = true
      out.put(picture: source, alt, keepsMarks: keepsMarks)
      write(attributesOf: element, [.text, .image], look)
      out.put(">")
    } else {
      // The words that stand for an image that is not shown.
      guard let alt, alt.count <= Placeholder.limit else { return }
      out.put(placeholder: alt, keepsMarks: keepsMarks)
      if saysWords { hasWords = true }
    }
    endsInBlank = false
  }

  // MARK: Output

  private mutating func write(
    attributesOf element: PageElement, _ set: AttributeSet, _ look: ElementLook,
    keepsDirection: Bool = true
  ) {
    if look.setsColours { setsColours = true }
    out.put(attributesOf: element, set, look, keepsDirection: keepsDirection)
  }

  /// Its words come from the style sheet: here they would have the colours of the mail.
  private mutating func openQuote(_ around: Surroundings) {
    var open = around.open
    if !open.enter(.block) { readsOtherwise = true }
    out.put("<details class=\"mirror-quote\"><summary></summary>")
  }
}
