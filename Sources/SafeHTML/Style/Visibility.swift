import CGumbo

/// Whether what an element holds can be seen, as far as attributes tell: inherited from element to element.
struct Visibility {
  /// Nothing below can be seen whatever it says.
  var isGone = false
  /// Invisible until an element below says `visible`.
  var isInvisible = false
  /// Of text, in pixels: layouts put `font-size: 0` on cells whose text has a size again.
  private(set) var fontSize = 16.0
  /// How much larger text is because of the elements around it, which is no reason to hide it.
  private var scale = 1.0
  /// Of all elements around, one through the other.
  private var opacity = 1.0
  var colour = Colour.black
  /// Nil where an image or something unknown lies below the text.
  var ground: Colour? = .white
  /// What lies there instead by a style sheet, or by a function of a style that is not known here; nil where nothing does.
  private var otherGround: SheetGrounds.Ground?
  /// The colour that text has instead by a style sheet; nil where it has its own.
  private var otherText: SheetGrounds.Ground?
  private let sheets: SheetGrounds?
  /// The colour that the element entered last has to be given, so that its text can be read on the ground that we know.
  private(set) var ink: Colour?
  /// Whether it is part of what a link says.
  private(set) var isInLink = false

  /// Pixels of text that cannot be read.
  private static let tiny = 2.0
  /// The same within a link, where they look like the dots of a name, and blanks like nothing.
  private static let tinyInLink = 5.0
  /// Part of the ink that cannot be seen.
  private static let faint = 0.1

  /// - Parameter sheets: of the page.
  init(sheets: SheetGrounds? = nil) { self.sheets = sheets }

  /// The size of text right here, in pixels.
  var textSize: Double { fontSize * scale }

  /// Whether text right here is hidden.
  var hidesText: Bool {
    if isGone || isInvisible || fontSize <= (isInLink ? Self.tinyInLink : Self.tiny) { return true }
    if colour.isFaint { return true }
    guard let ground else { return false }
    return colour.isLike(ground)
  }

  /// Whether text right here is nothing to who reads the link beside it: blanks like that part no words.
  var isNothingBesideLink: Bool { isGone || isInvisible || fontSize <= Self.tinyInLink }

  /// Whether a picture right here is hidden: it is as large as it says, whatever the size and colour of text are, and so
  /// are the words in its place.
  var hidesPictures: Bool { isGone || isInvisible }

  /// What follows is a link's.
  mutating func enterLink() {
    isInLink = true
    colour = .link
    otherText = nil
  }

  /// Applies an element's attributes, and what is left of its style.
  mutating func enter(_ element: PageElement, _ look: ElementLook, limits: PageLimits) {
    enter(element)
    for (name, value) in element.attributes where value.count <= limits.attributeBytes {
      if name.equals("style") {
        hide(value)
      } else if name.equals("hidden") {
        isGone = true
      } else if element.tag == GUMBO_TAG_FONT, name.equals("size") {
        if AttributeRule.accepts(value, as: .fontSize) { enter(fontSize: value) }
      } else if element.tag == GUMBO_TAG_FONT, name.equals("color") {
        if AttributeRule.accepts(value, as: .colour), let named = Colour(attribute: value) {
          colour = named
          otherText = nil
        }
      } else if name.equals("bgcolor"),
        !AttributeSet.cells.isDisjoint(with: ElementRule.of(element).attributes)
      {
        if AttributeRule.accepts(value, as: .colour), let named = Colour(attribute: value) {
          cover(named)
        }
      }
    }
    let text = sheets?.text(of: element)
    if let text { otherText = text.colour }
    var takesColour = false
    look.style.withUnsafeBytes { style in
      for (property, value) in Declarations(style) { apply(property, value, &takesColour) }
    }
    // Of all its text's colours the last one counts.
    if takesColour { cover(colour) }
    if let text, text.isImportant { otherText = text.colour }
    if let sheets, let named = sheets.ground(of: element) { otherGround = named }
    if look.hasUncertainGround { otherGround = .unknown }
    ink = takesColour ? nil : neededInk
    if let ink { colour = ink }
  }

  /// Text of a colour that cannot be read on the ground that is written was made for the other one, or the ground for text
  /// of the other colour.
  private var neededInk: Colour? {
    guard otherGround != nil || otherText != nil, let ground, !colour.isFaint else { return nil }
    let contrast = colour.contrast(to: ground)
    if case .colour(let text) = otherText {
      let other = text.contrast(to: ground)
      if contrast < 4.5, other > contrast, other >= 2, text.alpha >= 250 { return text }
      if other < 1.2, otherGround == nil { return nil }
    }
    guard contrast < (otherText == .unknown ? 4.5 : 2) else { return nil }
    if case .colour(let other) = otherGround, otherText == nil, colour.contrast(to: other) < 1.2 {
      return nil
    }
    let dark = isInLink && Colour.link.contrast(to: ground) >= 4.5 ? Colour.link : .black
    // Where both can be read, white is what the sheet means on a coloured ground.
    return Colour.white.contrast(to: ground) > min(4, dark.contrast(to: ground)) ? .white : dark
  }

  /// One of HTML's seven sizes: each can be read.
  private mutating func enter(fontSize value: PageBytes) {
    let digits = value.text.drop { $0 == "+" || $0 == "-" }
    guard let number = Int(digits) else { return }
    let size =
      value.first == UInt8(ascii: "+")
      ? 3 + number : value.first == ASCII.dash ? 3 - number : number
    fontSize = Self.namedSizes[max(1, min(7, size)) - 1]
    scale = 1
  }

  private static let namedSizes: [Double] = [10, 13, 16, 18, 24, 32, 48]

  /// What browsers do with an element that says nothing of itself, and our style sheet.
  private mutating func enter(_ element: PageElement) {
    switch element.tag {
    case GUMBO_TAG_SMALL, GUMBO_TAG_SUP, GUMBO_TAG_SUB: scale *= 0.83
    case GUMBO_TAG_BIG: scale *= 1.2
    case GUMBO_TAG_RT: scale *= 0.5
    case GUMBO_TAG_H1: scale *= 2
    case GUMBO_TAG_H2: scale *= 1.5
    // Brackets for browsers that cannot set what belongs above a word.
    case GUMBO_TAG_RP: isGone = true
    case GUMBO_TAG_MARK:
      colour = .black
      otherText = nil
      cover(.marker)
    case GUMBO_TAG_SPAN where PageClass.isPlaceholder(element):
      fontSize = 14
      colour = .placeholder
      otherText = nil
      cover(.white)
    default: break
    }
  }

  private mutating func cover(_ colour: Colour) {
    switch colour.alpha {
    case 0: break
    case 250...:
      ground = colour
      otherGround = nil
    default: ground = nil
    }
  }

  private mutating func apply(
    _ property: PageBytes, _ value: PageBytes, _ takesColour: inout Bool
  ) {
    if property.equals("color") {
      switch ColourWord(value) {
      case .colour(let named):
        colour = named
        otherText = nil
      case .initial:
        colour = .black
        otherText = nil
      case .current, .nothing, nil: break
      }
    } else if property.equals("background-color") {
      takesColour = false
      switch ColourWord(value) {
      case .colour(let named): cover(named)
      case .current: takesColour = true
      case .initial, .nothing, nil: break
      }
    } else if property.equals("font-size") {
      applyFontSize(value)
    }
  }

  private mutating func applyFontSize(_ value: PageBytes) {
    if let length = StyleLength(value) {
      if length.isFixed { scale = 1 }
      fontSize = length.pixels(size: fontSize, whole: fontSize)
    } else if value.equals("smaller") || value.equals("larger") {
      fontSize *= value.equals("smaller") ? 0.83 : 1.2
    } else if !value.equals("inherit"), StyleWords.number(value) == nil {
      scale = 1
      fontSize = 16  // a name: every one of them can be read
    }
  }

  // MARK: What hides an element with all that is in it

  /// Looks for it in what the sender wrote: none of it stays in a style.
  private mutating func hide(_ style: PageBytes) {
    var facts = Facts()
    for (property, value) in Declarations(style) where value.count <= 100 {
      guard let kind = Self.properties[property.nameHash] else { continue }
      apply(kind, value, &facts)
    }
    if facts.hasOtherColour { otherText = .unknown }
    opacity *= facts.opacity
    let isGoneHere =
      opacity < Self.faint || facts.hasNoHeight && facts.cutsOverflow
      || facts.isPlaced && facts.isFarAway || facts.isTakenOut && facts.isClipped
    if isGoneHere { isGone = true }
  }

  /// What hides only together with something else, or is said more than once.
  private struct Facts {
    var hasNoHeight = false
    var cutsOverflow = false
    /// Whether it is where its style says, beside the others' flow or not.
    var isPlaced = false
    var isTakenOut = false
    var isFarAway = false
    var isClipped = false
    var opacity = 1.0
    /// Text has a colour by a function of a style that is not known here.
    var hasOtherColour = false
  }

  private mutating func apply(_ property: Property, _ value: PageBytes, _ facts: inout Facts) {
    switch property {
    case .colour:
      facts.hasOtherColour = ColourWord(value) == nil && value.contains(ASCII.openParenthesis)
    case .display: if value.equals("none") { isGone = true }
    case .visibility:
      if value.equals("hidden") || value.equals("collapse") { isInvisible = true }
      if value.equals("visible") { isInvisible = false }
    case .contentVisibility: if value.equals("hidden") { isGone = true }
    case .opacity: facts.opacity = Self.part(value) ?? facts.opacity
    case .filter:
      // `alpha(opacity=0)` is how old programs wrote it.
      if let range = value.firstRange(of: "opacity") {
        let rest = value.piece(range.upperBound..<value.count)
          .drop { $0 == ASCII.openParenthesis || $0 == UInt8(ascii: "=") || $0 == ASCII.space }
        let number = PageBytes(rebasing: rest.prefix { $0 != ASCII.closeParenthesis }).trimmed
        if let part = Self.part(number) { facts.opacity = min(facts.opacity, part) }
      }
    case .maxHeight, .height:
      // Growing in height, an element with `height: 0` shows what is in it; with `max-height` it does not.
      if let pixels = pixels(value), pixels < 1 { facts.hasNoHeight = true }
    case .overflow: if !value.equals("visible") { facts.cutsOverflow = true }
    case .position:
      facts.isTakenOut = value.equals("absolute") || value.equals("fixed")
      facts.isPlaced = facts.isTakenOut || value.equals("relative")
    case .offset:
      if let pixels = pixels(value), Vanishing.isFarAway(pixels) { facts.isFarAway = true }
    case .indent: if let pixels = pixels(value), pixels < -500 { isGone = true }
    case .font:
      let words = value.split(whereSeparator: ASCII.isBlank)
        .map { PageBytes(rebasing: $0.prefix { $0 != ASCII.slash }) }
      if let size = words.first(where: { StyleLength($0) != nil && !Self.isWeight($0) }) {
        applyFontSize(size)
      }
    case .transform: if Vanishing.isTransformedAway(value, size: fontSize) { isGone = true }
    case .scale: if let number = StyleWords.number(value), abs(number) < 0.05 { isGone = true }
    case .clip: if Vanishing.isClippedAway(value, size: fontSize) { facts.isClipped = true }
    case .clipPath: if Vanishing.isOutsideOfPath(value, size: fontSize) { isGone = true }
    }
  }

  private func pixels(_ value: PageBytes) -> Double? {
    StyleLength(value)?.pixels(size: fontSize)
  }

  /// `0.5`, `50%`
  private static func part(_ value: PageBytes) -> Double? {
    StyleWords.number(value).map { value.last == ASCII.percent ? $0 / 100 : $0 }
  }

  /// `700` of `font: 700 12px Arial`.
  private static func isWeight(_ word: PageBytes) -> Bool {
    word.count == 3 && word.allSatisfy(ASCII.isDigit)
  }

  private enum Property {
    case colour, display, visibility, contentVisibility, opacity, filter, maxHeight, height,
      overflow,
      position, offset, indent, font, transform, scale, clip, clipPath
  }

  private static let properties: [UInt64: Property] = {
    let names: [(String, Property)] = [
      ("color", .colour), ("display", .display), ("visibility", .visibility),
      ("content-visibility", .contentVisibility), ("opacity", .opacity), ("filter", .filter),
      ("max-height", .maxHeight), ("height", .height), ("overflow", .overflow),
      ("position", .position), ("left", .offset), ("top", .offset),
      ("right", .offset), ("bottom", .offset), ("margin-left", .offset), ("text-indent", .indent),
      ("font", .font), ("transform", .transform), ("-webkit-transform", .transform),
      ("scale", .scale), ("clip", .clip), ("clip-path", .clipPath),
      ("-webkit-clip-path", .clipPath),
    ]
    return Dictionary(
      names.map { (Array($0.utf8).withUnsafeBytes(\.nameHash), $1) },
      uniquingKeysWith: { first, _ in first })
  }()
}
