import CGumbo

/// Writes a page anew from its tree, with what the rules allow and nothing else.
package struct Sanitiser {
  private let images: ImageSources
  private let foldsQuotes: Bool
  private let limits: PageLimits

  private var page = SafePage()
  private var out: [UInt8] = []
  private var isTooDeep = false
  /// Whether anything to read or see has come yet.
  private var hasWords = false
  private var remote: RemoteImageCount

  package static func sanitise(
    _ html: UnsafeRawBufferPointer, images: ImageSources = ImageSources(),
    trackers: TrackerList = .standard, foldsQuotes: Bool = true, limits: PageLimits = .standard
  ) -> SafePage {
    var sanitiser = Sanitiser(
      images: images, trackers: trackers, foldsQuotes: foldsQuotes, limits: limits)
    return sanitiser.run(html)
  }

  private init(images: ImageSources, trackers: TrackerList, foldsQuotes: Bool, limits: PageLimits) {
    self.images = images
    remote = RemoteImageCount(trackers: trackers, longest: limits.attributeBytes)
    self.foldsQuotes = foldsQuotes
    self.limits = limits
  }

  private mutating func run(_ html: UnsafeRawBufferPointer) -> SafePage {
    do throws(PageTree.Refusal) {
      let tree = try PageTree(html, limits: limits)
      out.reserveCapacity(html.count)
      tree.withRoot { if let root = $0 { self.write(root: root) } }
    } catch {
      return Self.refused(error.words)
    }
    if isTooDeep { return Self.refused("its parts lie too deep within one another") }
    remote.end()
    page.remoteImages = remote.images
    page.html = out
    return page
  }

  private static func refused(_ reason: String) -> SafePage {
    var page = SafePage()
    page.refusal = reason
    return page
  }

  // MARK: Elements

  private struct Surroundings {
    var visibility = Visibility()
    var depth = 0
    /// Whether only parts of a table may stand here.
    var isTableFrame = false
    var isInQuote = false
    /// Whether what it stands in is a heading: a heading right below it would end it.
    var isHeading = false
    /// Whether a link is open that another would end; one outside of its cell would not.
    var isInLink = false
  }

  private mutating func write(root: PageElement) {
    for child in root.children {
      guard case .element(let element) = child.content else { continue }
      if element.tag == GUMBO_TAG_HEAD {
        countDropped(in: element, depth: 0)
      } else if element.tag == GUMBO_TAG_BODY {
        write(body: element, Surroundings())
      }
    }
  }

  /// The body's own colours go to a `div` around everything.
  private mutating func write(body: PageElement, _ around: Surroundings) {
    let look = ElementLook(body, .text, limits: limits)
    var inside = around
    inside.visibility.enter(body, look, limits: limits)
    remote.count(below: body)
    if look.setsColours { page.setsColours = true }
    guard !look.style.isEmpty else { return writeChildren(of: body, inside) }
    let start = out.count
    put("<div style=\"")
    out.append(contentsOf: look.style)
    put("\">")
    let content = out.count
    writeChildren(of: body, inside)
    if out.count == content { out.removeSubrange(start...) } else { put("</div>") }
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
        // What Outlook quotes begins with a mark and goes on to the end of what the mark stands in.
        if QuoteMark.opensRest(element), !isInReply, foldsQuotes, !inside.isInQuote,
          !inside.isTableFrame, hasWords
        {
          isInReply = true
          inside.isInQuote = true
          openQuote()
        }
        write(element, inside)
      }
    }
    if isInReply { put("</details>") }
  }

  private mutating func write(_ element: PageElement, _ around: Surroundings) {
    let rule = ElementRule.of(element)
    if let kind = rule.dropped { page.dropped[kind, default: 0] += 1 }
    switch rule.fate {
    case .drop: countDropped(in: element, depth: around.depth)
    case .words:
      if !around.isTableFrame { writeWords(of: element, around) }
    case .span: keep(element, ElementRule(fate: .keep, name: Self.span, attributes: .text), around)
    // A form that a table's broken markup leaves in a paragraph is empty; a section there would end the paragraph.
    case .section where element.children.count == 0: break
    case .section:
      keep(element, ElementRule(fate: .keep, name: Self.section, attributes: .text), around)
    case .keep: keep(element, rule, around)
    }
  }

  private mutating func keep(
    _ element: PageElement, _ rule: ElementRule, _ around: Surroundings
  ) {
    guard !around.isTableFrame || element.tag.isTablePart else { return }
    let look = ElementLook(element, rule.attributes, limits: limits)
    let address =
      element.tag == GUMBO_TAG_A && !around.isInLink ? self.address(of: element) : nil
    var inside = around
    inside.isInLink = address != nil || around.isInLink && !element.tag.isCell
    if address != nil { inside.visibility.colour = .link }
    inside.visibility.enter(element, look, limits: limits)
    remote.count(below: element)
    if element.tag == GUMBO_TAG_IMG { return write(image: element, look, inside) }
    guard !inside.visibility.isGone else { return countHidden(in: element, depth: around.depth) }
    inside.isTableFrame = element.tag.isTableFrame
    let folds =
      foldsQuotes && !around.isInQuote && !around.isTableFrame && QuoteMark.isQuote(element)
      && hasWords
    if folds {
      inside.isInQuote = true
      openQuote()
    }
    let isHeading = element.tag.isHeading
    inside.isHeading = isHeading && !around.isHeading
    let name =
      if element.tag == GUMBO_TAG_A && address == nil {
        Self.span
      } else if isHeading && around.isHeading {
        Self.section
      } else {
        rule.name
      }
    put("<")
    out.append(contentsOf: name)
    let linkAttributes = out.count
    write(attributesOf: element, rule.attributes, look)
    put(">")
    if !rule.isVoid {
      let start = out.count
      writeChildren(of: element, inside)
      if let address { write(address, at: linkAttributes, label: start) }
      // The first line feed after `<pre>` is none of its text.
      if element.tag == GUMBO_TAG_PRE, start < out.count, out[start] == Letter.lf {
        out.insert(Letter.lf, at: start)
      }
      put("</")
      out.append(contentsOf: name)
      put(">")
    }
    if folds { put("</details>") }
  }

  private static let span = Array("span".utf8)
  private static let section = Array("section".utf8)

  // MARK: Text

  private mutating func write(text: PageBytes, _ around: Surroundings) {
    if around.isTableFrame || out.isEmpty, text.allSatisfy(Letter.isBlank) { return }
    if around.visibility.hidesText, !text.allSatisfy(Letter.isBlank) {
      hide(text.wordCount)
      return
    }
    let start = out.count
    put(escaped: text)
    if start == 0 {
      let blanks = out.prefix { Letter.isBlank($0) }.count
      out.removeSubrange(..<blanks)
    }
    if !hasWords || remote.awaitsMore, text.wordCount > 0 {
      hasWords = true
      remote.more()
    }
  }

  private mutating func writeWords(of element: PageElement, _ around: Surroundings) {
    guard around.depth < limits.depth else {
      isTooDeep = true
      return
    }
    var inside = around
    inside.depth += 1
    for child in element.children {
      switch child.content {
      case .text(let text): write(text: text, inside)
      case .element(let element) where ElementRule.of(element).fate != .drop:
        writeWords(of: element, inside)
      default: break
      }
    }
  }

  // MARK: What goes

  private static let longestPreheader = 60

  private mutating func hide(_ words: Int) {
    page.hiddenWords += words
    if !hasWords, page.hiddenWords <= Self.longestPreheader {
      page.preheaderWords = page.hiddenWords
    }
  }

  private mutating func countDropped(in element: PageElement, depth: Int) {
    guard depth < limits.depth else { return }
    for child in element.children {
      guard case .element(let element) = child.content else { continue }
      if let kind = ElementRule.of(element).dropped { page.dropped[kind, default: 0] += 1 }
      countDropped(in: element, depth: depth + 1)
    }
  }

  /// Counts the words of what cannot be seen, and the images by which it is counted itself.
  private mutating func countHidden(in element: PageElement, depth: Int) {
    guard depth < limits.depth else { return }
    for child in element.children {
      switch child.content {
      case .nothing: break
      case .text(let text): hide(text.wordCount)
      case .element(let element):
        let rule = ElementRule.of(element)
        if let kind = rule.dropped { page.dropped[kind, default: 0] += 1 }
        if element.tag == GUMBO_TAG_IMG, element.isHTML {
          var shape = ImageShape(element)
          shape.isHidden = true
          if let source = element.attribute("src") { remote.add(source, shape) }
        } else if rule.fate != .drop {
          countHidden(in: element, depth: depth + 1)
        }
      }
    }
  }

  // MARK: Attributes

  private mutating func write(
    attributesOf element: PageElement, _ set: AttributeSet, _ look: ElementLook
  ) {
    if look.setsColours { page.setsColours = true }
    for (name, value) in element.attributes {
      if let kind = AttributeRule.value(name, in: set) {
        guard AttributeRule.accepts(value, as: kind) else { continue }
        put(" ")
        out.append(contentsOf: name.lazy.map(Letter.lowered))
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
    out.append(contentsOf: look.style)
    put("\"")
  }

  // MARK: Links

  private func address(of link: PageElement) -> WebAddress? {
    guard let value = link.attribute("href"), value.count <= limits.attributeBytes else {
      return nil
    }
    return WebAddress(value)
  }

  /// Writes where a link leads into its tag, once what it says is known.
  private mutating func write(_ address: WebAddress, at place: Int, label start: Int) {
    page.links += 1
    if TrackedLink.isTracked(address) { page.trackedLinks += 1 }
    var attributes = Array(" href=\"".utf8)
    PageEscaping.append(Array(address.text.utf8), into: &attributes)
    attributes.append(contentsOf: "\" rel=\"noopener noreferrer nofollow\"".utf8)
    let label = WrittenText.words(of: out[start...])
    if let (shown, real) = LinkLabel.misleads(label, to: address) {
      page.misleadingLinks.append(
        SafePage.MisleadingLink(label: label, shown: shown, real: real, address: address.text))
      attributes.append(contentsOf: " class=\"mirror-elsewhere\" title=\"".utf8)
      PageEscaping.append(Array(real.utf8), into: &attributes)
      attributes.append(Letter.quote)
    }
    out.insert(contentsOf: attributes, at: place)
  }

  // MARK: Images

  private mutating func write(
    image element: PageElement, _ look: ElementLook, _ around: Surroundings
  ) {
    var shape = ImageShape(element)
    shape.isHidden = around.visibility.isGone || around.visibility.isInvisible
    let alt = (element.attribute("alt").map(\.trimmed)).flatMap { $0.isEmpty ? nil : $0 }
    shape.hasWords = alt != nil
    var shown: String?
    if let source = element.attribute("src")?.trimmed, !source.isEmpty {
      if source.begins(with: "cid:") {
        let id = PercentEncoding.decode(source.dropFirst(4))
        shown = shape.isHidden ? nil : images.part(id)
        if shown != nil { page.shownImages.insert(id) }
      } else if source.begins(with: "data:") {
        shown = shape.isHidden || !InlineImage.isAllowed(source) ? nil : source.text
      } else if let address = remote.add(source, shape) {
        shown = remote.isTracker ? nil : images.remote(address)
        remote.lastIsShown = shown != nil
      }
    }
    guard !shape.isHidden else { return }
    guard let shown, Array(shown.utf8).withUnsafeBytes(InlineImage.isAllowed) else {
      return write(placeholder: alt, around)
    }
    remote.more()
    hasWords = true
    put("<img src=\"")
    out.append(contentsOf: shown.utf8)
    put("\" alt=\"")
    if let alt { put(escaped: alt) }
    put("\"")
    write(attributesOf: element, [.text, .image], look)
    put(">")
  }

  /// The words that stand for an image that is not shown.
  private mutating func write(placeholder alt: PageBytes?, _ around: Surroundings) {
    guard let alt, alt.count <= 1000 else { return }
    if around.visibility.hidesText {
      hide(alt.wordCount)
      return
    }
    put("<span class=\"mirror-image\">")
    put(escaped: alt)
    put("</span>")
    if alt.wordCount > 0 { hasWords = true }
  }

  // MARK: Output

  /// Its words come from the style sheet: here they would have the colours of the mail.
  private mutating func openQuote() {
    put("<details class=\"mirror-quote\"><summary></summary>")
  }

  private mutating func put(_ text: StaticString) {
    text.withUTF8Buffer { out.append(contentsOf: $0) }
  }

  private mutating func put(escaped text: PageBytes) { PageEscaping.append(text, into: &out) }
}
