import CGumbo

/// What of a page is not written: elements by kind, and words that cannot be seen.
struct PageOmissions {
  private(set) var elements: [DroppedKind: Int] = [:]
  var words = UnseenWords()
  private let limits: PageLimits

  init(limits: PageLimits) { self.limits = limits }

  mutating func add(_ kind: DroppedKind?) {
    if let kind { elements[kind, default: 0] += 1 }
  }

  /// Counts what goes with an element.
  mutating func addAll(in element: PageElement, depth: Int) {
    guard depth < limits.depth else { return }
    for child in element.children {
      guard case .element(let element) = child.content else { continue }
      add(ElementRule.of(element).dropped)
      addAll(in: element, depth: depth + 1)
    }
  }

  /// Counts the words of what cannot be seen, and the images by which it is counted itself.
  mutating func hideAll(
    in element: PageElement, depth: Int, _ images: inout PageImages
  ) {
    guard depth < limits.depth else { return }
    for child in element.children {
      switch child.content {
      case .nothing: break
      case .text(let text): words.hide(text)
      case .element(let element):
        let rule = ElementRule.of(element)
        add(rule.dropped)
        if element.tag == GUMBO_TAG_IMG, element.isHTML {
          images.countHidden(element)
        } else if rule.fate != .drop {
          hideAll(in: element, depth: depth + 1, &images)
        }
      }
    }
  }
}
