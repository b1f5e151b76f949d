import CGumbo

/// Looks whether text below an element was made to be read on something dark.
enum LightText {
  static func isFound(in element: PageElement, depth: Int = 0) -> Bool {
    for (name, value) in element.attributes {
      if name.equals("style") {
        for (property, value) in Declarations(value) where property.equals("color") {
          if let colour = Colour(value), colour.isLight { return true }
        }
      } else if element.tag == GUMBO_TAG_FONT, name.equals("color") {
        if let colour = Colour(value, legacy: true), colour.isLight { return true }
      }
    }
    guard depth < 32 else { return false }
    for child in element.children {
      if case .element(let child) = child.content, isFound(in: child, depth: depth + 1) {
        return true
      }
    }
    return false
  }
}

extension Colour {
  fileprivate var isLight: Bool { Int(red) * 3 + Int(green) * 6 + Int(blue) > 2000 }
}
