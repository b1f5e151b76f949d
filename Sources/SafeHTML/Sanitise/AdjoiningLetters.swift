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
    for _ in 0..<mostSteps {
      guard letters.count < most else { return letters }
      guard let next = node.neighbour(before: before) else {
        guard let parent = node.parent, case .element(let around) = parent.content,
          PageWords.separator(around, ElementLook()) == nil
        else { return letters }
        node = parent
        continue
      }
      guard let leaf = edge(of: next, inside, before: before, limits: limits) else {
        return letters
      }
      node = leaf
      guard case .text(let text) = leaf.content else { continue }
      let run = before ? text.count - lettersAtEnd(of: text) : lettersAtStart(of: text)
      letters = before ? Array(text[run...]) + letters : letters + text[..<run]
      if before ? run > 0 : run < text.count { return letters }
    }
    return nil
  }

  /// What of a node comes first, read from that side; nil where a line ends before it.
  private static func edge(
    of node: PageNode, _ inside: Visibility, before: Bool, limits: PageLimits
  ) -> PageNode? {
    var node = node
    while case .element(let element) = node.content {
      let rule = ElementRule.of(element)
      guard rule.fate != .drop else { return node }
      let look = ElementLook(element, rule.attributes.union(.text), at: .free, limits: limits)
      guard PageWords.separator(element, look) == nil else { return nil }
      var visibility = inside.withoutSurroundings
      visibility.enter(element, look, limits: limits)
      let children = element.children
      guard !visibility.isGone, !visibility.hidesText,
        let child = children[before ? children.count - 1 : 0]
      else { return node }
      node = child
    }
    return node
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
