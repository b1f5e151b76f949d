import CGumbo

/// The classes that our own style sheet knows. A mail that uses them gains nothing.
enum PageClass {
  static func isOne(_ name: PageBytes) -> Bool {
    isPlaceholder(name) || name.elementsEqual("mirror-quote".utf8)
  }

  /// Whether an element holds the words in the place of a picture: their size, colour and ground are our sheet's.
  static func isPlaceholder(_ element: PageElement) -> Bool {
    element.tag == GUMBO_TAG_SPAN && element.attribute("class").map(isPlaceholder) ?? false
  }

  private static func isPlaceholder(_ name: PageBytes) -> Bool {
    name.elementsEqual("mirror-image".utf8)
  }
}
