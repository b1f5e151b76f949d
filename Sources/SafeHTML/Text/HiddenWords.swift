import CGumbo

/// Counts words that cannot be seen.
enum HiddenWords {
  static func count(below element: PageElement, limits: PageLimits, depth: Int = 0) -> Int {
    guard depth < limits.depth else { return 0 }
    var count = 0
    for child in element.children {
      switch child.content {
      case .nothing: break
      case .text(let text): count += text.wordCount
      case .element(let element) where ElementRule.of(element).fate != .drop:
        count += self.count(below: element, limits: limits, depth: depth + 1)
      default: break
      }
    }
    return count
  }
}
