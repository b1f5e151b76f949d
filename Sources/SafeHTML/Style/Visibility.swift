import CGumbo
/// Whether what an element holds can be seen, as far as attributes tell: inherited from element to element.
struct Visibility {
  /// Nothing below can be seen whatever it says.
  var isGone = false
  /// Invisible until an element below says `visible`.
  var isInvisible = false
  /// Letters have no size until an element below gives them one: layouts put `font-size: 0` on cells of visible text.
  var hasNoSize = false
  var colour = Colour.black
  /// Nil where an image or something unknown lies below the text.
  var ground: Colour? = .white

  /// Whether text right here is hidden.
  var hidesText: Bool {
    if isGone || isInvisible || hasNoSize { return true }
    if colour.alpha < 6 { return true }
    guard let ground else { return false }
    return colour.isLike(ground)
  }

  /// Applies an element's attributes, and what is left of its style.
  mutating func enter(_ element: PageElement, _ look: ElementLook, limits: PageLimits) {
    for (name, value) in element.attributes where value.count <= limits.attributeBytes {
      if name.equals("style") {
        hide(value)
      } else if name.equals("hidden") {
        isGone = true
      } else if element.tag == GUMBO_TAG_FONT, name.equals("color") {
        if AttributeRule.accepts(value, as: .colour), let named = Colour(value, legacy: true) {
          colour = named
        }
      } else if name.equals("bgcolor"),
        !AttributeSet.cells.isDisjoint(with: ElementRule.of(element).attributes)
      {
        if AttributeRule.accepts(value, as: .colour), let named = Colour(value, legacy: true) {
          cover(named)
        }
      }
    }
    look.style.withUnsafeBytes { style in
      for (property, value) in Declarations(style) { apply(property, value) }
    }
  }

  private mutating func cover(_ colour: Colour) {
    switch colour.alpha {
    case 0: break
    case 250...: ground = colour
    default: ground = nil
    }
  }

  /// Looks for what hides an element with all that is in it: none of that stays in a style.
  private mutating func hide(_ style: PageBytes) {
    var facts = Facts()
    for (property, value) in Declarations(style) where value.count <= 100 {
      apply(property, value, &facts)
    }
    if facts.hasNoHeight && facts.cutsOverflow { isGone = true }
    if facts.isTakenOut && facts.isFarAway { isGone = true }
  }

  private mutating func apply(_ property: PageBytes, _ value: PageBytes) {
    if property.equals("color") {
      if let named = Colour(value) { colour = named }
    } else if property.equals("background-color") {
      if let named = Colour(value) { cover(named) } else { ground = nil }
    } else if property.equals("font-size") {
      applyFontSize(value)
    }
  }

  /// What hides only together.
  private struct Facts {
    var hasNoHeight = false
    var cutsOverflow = false
    var isTakenOut = false
    var isFarAway = false
  }

  private mutating func apply(_ property: PageBytes, _ value: PageBytes, _ facts: inout Facts) {
    guard let kind = Self.properties[property.nameHash] else { return }
    switch kind {
    case .display: if value.equals("none") { isGone = true }
    case .visibility:
      if value.equals("hidden") || value.equals("collapse") { isInvisible = true }
      if value.equals("visible") { isInvisible = false }
    case .opacity: if let number = StyleWords.number(value), number < 0.02 { isGone = true }
    case .maxHeight, .height:
      // Growing in height, an element with `height: 0` shows what is in it; with `max-height` it does not.
      if let number = StyleWords.number(value), number < 1 { facts.hasNoHeight = true }
    case .overflow: if !value.equals("visible") { facts.cutsOverflow = true }
    case .msoHide: if value.equals("all") { isGone = true }
    case .position:
      facts.isTakenOut = value.equals("absolute") || value.equals("fixed")
    case .offset: if let number = StyleWords.number(value), number < -500 { facts.isFarAway = true }
    case .indent: if let number = StyleWords.number(value), number < -500 { isGone = true }
    }
  }

  private mutating func applyFontSize(_ value: PageBytes) {
    guard let number = StyleWords.number(value) else {
      hasNoSize = false  // a name: every one of them can be read
      return
    }
    let isRelative =
      value.last == ASCII.percent
      || value.count > 2 && value.piece(value.count - 2..<value.count).equals("em")
        && !(value.count > 3 && value.piece(value.count - 3..<value.count).equals("rem"))
    if isRelative {
      if number == 0 { hasNoSize = true }  // a part of nothing is nothing
    } else {
      hasNoSize = number <= 1
    }
  }

  private enum Property {
    case display, visibility, opacity, maxHeight, height, overflow, msoHide, position, offset,
      indent
  }

  private static let properties: [UInt64: Property] = {
    let names: [(String, Property)] = [
      ("display", .display), ("visibility", .visibility), ("opacity", .opacity),
      ("max-height", .maxHeight), ("height", .height), ("overflow", .overflow),
      ("mso-hide", .msoHide), ("position", .position),
      ("left", .offset), ("top", .offset), ("text-indent", .indent), ("margin-left", .offset),
    ]
    return Dictionary(
      names.map { (Array($0.utf8).withUnsafeBytes(\.nameHash), $1) },
      uniquingKeysWith: { first, _ in first })
  }()
}
