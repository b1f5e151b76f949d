import CGumbo

/// Writes a page anew from its tree, with what the rules allow and nothing else.
package struct Sanitiser {
  private let foldsQuotes: Bool
  private let limits: PageLimits

  private var page = SafePage()
  private var out = PageMarkup()
  private var links = PageLinks()
  private var images: PageImages
  private var omissions: PageOmissions
  private var isTooDeep = false
  /// Whether a parser may make another tree of what was written than it was written from.
  private var readsOtherwise = false
  /// Whether anything to read or see has come yet.
  private var hasWords = false
  /// Whether a blank is the last that was written of a marked link.
  private var endsInBlank = false

  package static func sanitise(
    _ html: UnsafeRawBufferPointer, images: ImageSources = ImageSources(),
    trackers: TrackerList = .standard, foldsQuotes: Bool = true, limits: PageLimits = .standard
  ) -> SafePage {
    var sanitiser = Sanitiser(
      images: PageImages(images, trackers: trackers, limits: limits), foldsQuotes: foldsQuotes,
      limits: limits)
    do throws(PageTree.Refusal) {
      // The tree goes before what was written is read again.
      sanitiser.write(try PageTree(html, limits: limits))
    } catch {
      return refused(error.words)
    }
    return sanitiser.safePage()
  }

  /// A page for its warnings alone, without the page: what it hides and where its links mislead. Its images are neither
  /// named nor sought.
  package static func examine(_ tree: borrowing PageTree) -> SafePage {
    var sanitiser = Sanitiser(
      images: PageImages(ImageSources(), trackers: .none, limits: .standard), foldsQuotes: true,
      limits: .standard)
    sanitiser.write(tree)
    return sanitiser.isTooDeep ? refused(tooDeep) : sanitiser.found()
  }

  private init(images: PageImages, foldsQuotes: Bool, limits: PageLimits) {
    self.images = images
    self.foldsQuotes = foldsQuotes
    self.limits = limits
    omissions = PageOmissions(limits: limits)
  }

  private mutating func safePage() -> SafePage {
    if isTooDeep { return Self.refused(Self.tooDeep) }
    var fixed: [UInt8]? = out.take()
    if let page = fixed, readsOtherwise || links.areUnusual {
      fixed = nil
      fixed = FixedPoint.of(page) { [foldsQuotes, limits] in
        Self.again($0, foldsQuotes: foldsQuotes, limits: limits)
      }
    }
    guard let fixed else {
      var page = Self.refused("written anew it cannot be read again as it is")
      page.misleadingLinks = links.misleading
      return page
    }
    var page = found()
    page.html = images.places.filled(fixed)
    return page
  }

  /// All but the page itself.
  private mutating func found() -> SafePage {
    page.remoteImages = images.end()
    page.shownImages = images.shownParts
    page.links = links.count
    page.trackedLinks = links.tracked
    page.misleadingLinks = links.misleading
    page.dropped = omissions.elements
    page.hiddenWords = omissions.hiddenWords
    page.preheaderWords = omissions.preheaderWords
    return page
  }

  /// What is left of a page of ours, read as a browser will read it.
  private static func again(
    _ html: UnsafeRawBufferPointer, foldsQuotes: Bool, limits: PageLimits
  ) -> [UInt8]? {
    // Escaped it may be longer than it was.
    var limits = limits
    limits.bytes = .max
    limits.tags = .max
    guard let tree = try? PageTree(html, limits: limits) else { return nil }
    var sanitiser = Sanitiser(
      images: PageImages(.ofThePage, trackers: .none, limits: limits), foldsQuotes: foldsQuotes,
      limits: limits)
    sanitiser.write(tree)
    return sanitiser.isTooDeep ? nil : sanitiser.out.bytes
  }

  private static let tooDeep = "its parts lie too deep within one another"

  private static func refused(_ reason: String) -> SafePage {
    var page = SafePage()
    page.refusal = reason
    return page
  }

  // MARK: Elements

  private mutating func write(_ tree: borrowing PageTree) {
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
    if look.setsColours { page.setsColours = true }
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
    case .span: keep(element, ElementRule(fate: .keep, name: Self.span, attributes: .text), around)
    case .section:
      keep(
        element,
        ElementRule(fate: .keep, name: Self.section, attributes: .text, nesting: .block), around)
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
      return omissions.hideAll(in: element, depth: around.depth, isFirst: !hasWords, &images)
    }
    inside.isTableFrame = element.tag.isTableFrame
    if element.tag == GUMBO_TAG_TABLE {
      inside.dropsRowSpans = CellSpans.overlap(in: element, inside.visibility, limits: limits)
    }
    if !inside.open.enter(rule.nesting) { readsOtherwise = true }
    let folds =
      foldsQuotes && !around.isInQuote && !around.isTableFrame && QuoteMark.isQuote(element)
      && hasWords
    if folds {
      inside.isInQuote = true
      openQuote(around)
    }
    let isHeading = element.tag.isHeading
    inside.isHeading = isHeading && !around.isHeading
    let name =
      if element.tag == GUMBO_TAG_A && address == nil {
        Self.span
      } else if isHeading && around.isHeading {
        Self.section
      } else if element.tag.isArranged && around.visibility.isInLink {
        // Pieces that the browser puts where it wants would spell another host.
        Self.span
      } else {
        rule.name
      }
    var link: PageLinks.Written?
    if let address {
      let words = PageWords.label(of: element, inside.visibility, limits: limits)
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
    if around.dropsRowSpans { attributes.remove(.rows) }
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

  private static let span = Array("span".utf8)
  private static let section = Array("section".utf8)

  // MARK: Text

  private mutating func write(text: PageBytes, _ around: Surroundings) {
    if around.isTableFrame || out.isEmpty, text.allSatisfy(ASCII.isBlank) { return }
    let isInLink = around.visibility.isInLink
    if around.visibility.hidesText, isInLink || !text.allSatisfy(ASCII.isBlank) {
      hide(text.wordCount)
      return
    }
    if around.isInMarkedLink {
      let narrow = NarrowText.of(text, after: &endsInBlank)
      narrow.withUnsafeBytes { out.put(text: $0, keepsMarks: false) }
    } else {
      out.put(text: text, keepsMarks: !isInLink)
    }
    if !hasWords || images.awaitsMore, text.wordCount > 0 {
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

  private mutating func hide(_ words: Int) { omissions.hide(words, isFirst: !hasWords) }

  // MARK: Images

  private mutating func write(
    image element: PageElement, _ look: ElementLook, _ around: Surroundings
  ) {
    var shape = ImageShape(element)
    shape.isHidden = around.visibility.isGone || around.visibility.isInvisible
    let alt = (element.attribute("alt").map(\.trimmed)).flatMap { $0.isEmpty ? nil : $0 }
    shape.hasWords = alt != nil
    let source = images.source(of: element, shape)
    guard !shape.isHidden else { return }
    guard let source else { return write(placeholder: alt, around) }
    images.more()
    hasWords = true
    endsInBlank = false
    out.put("<img src=\"")
    out.put(markup: source.utf8)
    out.put("\" alt=\"")
    if let alt { out.put(escaped: alt, keepsMarks: !around.visibility.isInLink) }
    out.put("\"")
    write(attributesOf: element, [.text, .image], look)
    out.put(">")
  }

  /// The words that stand for an image that is not shown.
  private mutating func write(placeholder alt: PageBytes?, _ around: Surroundings) {
    guard let alt, alt.count <= Placeholder.limit else { return }
    if around.visibility.hidesText {
      hide(alt.wordCount)
      return
    }
    out.put("<span class=\"mirror-image\">")
    out.put(escaped: alt, keepsMarks: !around.visibility.isInLink)
    out.put("</span>")
    endsInBlank = false
    if alt.wordCount > 0 { hasWords = true }
  }

  // MARK: Output

  private mutating func write(
    attributesOf element: PageElement, _ set: AttributeSet, _ look: ElementLook,
    keepsDirection: Bool = true
  ) {
    if look.setsColours { page.setsColours = true }
    out.put(attributesOf: element, set, look, keepsDirection: keepsDirection)
  }

  /// Its words come from the style sheet: here they would have the colours of the mail.
  private mutating func openQuote(_ around: Surroundings) {
    var open = around.open
    if !open.enter(.block) { readsOtherwise = true }
    out.put("<details class=\"mirror-quote\"><summary></summary>")
  }
}
