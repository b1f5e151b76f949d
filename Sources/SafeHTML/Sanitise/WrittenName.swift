import CGumbo

/// By what name an element is written.
enum WrittenName {
  static let span = Array("span".utf8)
  static let section = Array("section".utf8)

  /// - Parameters:
  ///   - isLink: whether it leads somewhere.
  ///   - inside: what the element makes of its surroundings.
  static func of(
    _ element: PageElement, _ rule: ElementRule, isLink: Bool, in inside: Surroundings,
    _ around: Surroundings
  ) -> [UInt8] {
    if element.tag == GUMBO_TAG_A, !isLink { return span }
    // A heading right below another would end it.
    if element.tag.isHeading, around.isHeading { return section }
    // Pieces that the browser puts where it wants would spell another host, or lie far from a link's mark.
    if element.tag.isArranged, around.visibility.isInLink { return span }
    if element.tag.isRuby, inside.isPlainRuby { return span }
    return rule.name
  }
}
