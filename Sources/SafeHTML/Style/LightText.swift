import CGumbo

/// Looks whether text below an element was made to be read on something dark that the element is.
enum LightText {
  static func isFound(in element: PageElement, depth: Int = 0) -> Bool {
    var isLight = false
    for (name, value) in element.attributes {
      if name.equals("style") {
        for (property, value) in Declarations(value) {
          if property.equals("color") {
            isLight = Colour(value)?.isLight ?? isLight
          } else if depth > 0, property.begins(with: "background") {
            // Text in here has that as its ground.
            return false
          }
        }
      } else if element.tag == GUMBO_TAG_FONT, name.equals("color") {
        isLight = Colour(attribute: value)?.isLight ?? isLight
      } else if depth > 0, name.equals("bgcolor") || name.equals("background") {
        return false
      }
    }
    if isLight { return true }
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
  var isLight: Bool { Int(red) * 3 + Int(green) * 6 + Int(blue) > 2000 }
}
