import CGumbo

/// The characters beside a link without a blank between: with them its own are one word to a reader, whether the word is cut
/// into links or only a part of it is one.
enum AdjoiningLetters {
  private static let most = 64  // bytes
  private static let mostSteps = 64

  /// - Parameters:
  ///   - inside: what can be seen in the link.
  ///   - before: on which side.
  /// - Returns: alphanumeric characters, dots and hyphens, in their order; nil where
  ///   too much is between that shows nothing.
  static func of(
    _ link: PageElement, _ inside: Visibility, before: Bool, limits: PageLimits
  ) -> [UInt8]? {
    var letters: [UInt8] = []
    var node = PageNode(link)
    var around = surroundings(of: node, inside)
    for _ in 0..<mostSteps {
      guard letters.count < most else { return letters }
      guard let next = node.neighbour(before: before) else {
        guard let parent = node.parent, case .element(let element) = parent.content,
          !ends(element, isInTable: true, limits: limits)
        else { return letters }
        node = parent
        around = surroundings(of: node, inside)
        continue
      }
      if isBetweenParts(next) {
        node = next
        continue
      }
      guard let leaf = edge(of: next, around, before: before, limits: limits) else {
        return letters
      }
      node = leaf.node
      guard leaf.isSeen, case .text(let text) = leaf.node.content else { continue }
      let run = before ? text.count - lettersAtEnd(of: text) : lettersAtStart(of: text)
      letters = before ? Array(text[run...]) + letters : letters + text[..<run]
      if before ? run > 0 : run < text.count { return letters }
    }
    return nil
  }

  /// How small text is in what a node stands in. Colours do not matter: what has one has its width, too.
  private static func surroundings(
    of node: PageNode, _ inside: Visibility
  ) -> Visibility {
    var sizes: [PageElement] = []
    var parent = node.parent
    climb: while let around = parent, case .element(let element) = around.content {
      parent = around.parent
      if element.tag == GUMBO_TAG_FONT { sizes.append(element) }
      guard let style = element.attribute("style"), style.contains(word: "font") else { continue }
      if element.tag != GUMBO_TAG_FONT { sizes.append(element) }
      for (property, value) in Declarations(style) where property.equals("font-size") {
        // A size that stays on the page: what is around it does not matter.
        if let length = StyleLength(value), length.isFixed, (1...100).contains(length.value) {
          break climb
        }
      }
    }
    return sizes.reversed().reduce(into: inside.withoutSurroundings) { visibility, element in
      visibility.enterSize(of: element)
    }
  }

  private static func look(
    _ element: PageElement, inLink: Bool = false, limits: PageLimits
  ) -> ElementLook {
    let place: StyleRule.Place =
      element.tag == GUMBO_TAG_A && element.attribute("href") != nil
      ? .link : .of(element, inLink: inLink)
    return ElementLook(
      element, ElementRule.of(element).attributes.union(.text), at: place, limits: limits)
  }

  /// Whether a line or a cell ends with an element that can be seen.
  ///
  /// - Parameter isInTable: whether it is a table that decides for its parts.
  private static func ends(
    _ element: PageElement, isInTable: Bool, inLink: Bool = false, limits: PageLimits
  ) -> Bool {
    if isInTable, element.tag.isTablePart, element.tag != GUMBO_TAG_TABLE { return false }
    let look = look(element, inLink: inLink, limits: limits)
    return PageWords.separator(element, look) != nil && !look.isSetInLine
  }

  /// Whether it is a blank between a table's rows or cells.
  private static func isBetweenParts(_ node: PageNode) -> Bool {
    guard let parent = node.parent, case .element(let frame) = parent.content,
      frame.tag.isTableFrame
    else { return false }
    if case .element = node.content { return false }
    return true
  }

  /// What of a node comes first, read from that side, and whether it can be seen; nil where a line ends before it.
  private static func edge(
    of node: PageNode, _ around: Visibility, before: Bool, limits: PageLimits
  ) -> (node: PageNode, isSeen: Bool)? {
    var node = node
    var visibility = around
    var isInTable = false
    var isInLink = false
    while case .element(let element) = node.content {
      guard ElementRule.of(element).fate != .drop else { return (node, false) }
      visibility.enter(element, look(element, inLink: isInLink, limits: limits), limits: limits)
      guard !visibility.isGone else { return (node, false) }
      guard !ends(element, isInTable: isInTable, inLink: isInLink, limits: limits) else {
        return nil
      }
      if element.tag == GUMBO_TAG_TABLE { isInTable = true }
      if element.tag == GUMBO_TAG_A { isInLink = true }
      let children = element.children
      var child = children[before ? children.count - 1 : 0]
      while let blank = child, isBetweenParts(blank) { child = blank.neighbour(before: before) }
      guard let child else { return (node, false) }
      node = child
    }
    return (node, !visibility.isNothingBesideLink)
  }

  private static func lettersAtStart(of text: PageBytes) -> Int {
    text.prefix(most).prefix { isOfHost($0) }.count
  }

  private static func lettersAtEnd(of text: PageBytes) -> Int {
    text.suffix(most).reversed().prefix { isOfHost($0) }.count
  }

  static func isOfHost(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == ASCII.dot || byte == ASCII.dash
      || byte >= 0x80
  }
}
