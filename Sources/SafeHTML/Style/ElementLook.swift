import CGumbo

/// How an element may look: its `style` written anew.
///
/// What is hidden and what is not is judged by this and not by what the sender wrote, as far as it stays: so a page that
/// is made safe twice is judged alike twice.
struct ElementLook {
  /// Declarations, each with its semicolon.
  private(set) var style: [UInt8] = []
  private(set) var setsColours = false
  /// Whether its style puts it on lines of its own.
  private(set) var isBlock = false
  /// Whether it stands among words, though such elements have lines of their own.
  var isSetInLine: Bool { isInline || floats }
  private var isInline = false
  private var floats = false
  /// Whether its style says in which direction lines run.
  private(set) var turnsDirection = false
  /// Whether its ground is one that browsers know and this program does not.
  private(set) var hasUncertainGround = false
  private var room = BoxRoom()

  /// The ground of light text whose picture is not shown.
  private static let darkGround = Array("background-color:#5a5a5a;".utf8)

  init() {}

  init(
    _ element: PageElement, _ set: AttributeSet, at place: StyleRule.Place, limits: PageLimits
  ) {
    guard set.contains(.text) else { return }
    var standsOnImage = false
    var ground: Colour?
    var hasGround = false
    for (name, value) in element.attributes where value.count <= limits.attributeBytes {
      if name.equals("style") {
        for (property, value) in Declarations(value) {
          let isGround = property.begins(with: "background")
          if isGround, value.contains(word: "url(") || value.contains(word: "gradient(") {
            standsOnImage = true
          }
          if room.keep(property, value) { continue }
          guard StyleRule.append(property, value, of: element, at: place, into: &style) else {
            if isGround, value.contains(ASCII.openParenthesis) { hasUncertainGround = true }
            continue
          }
          if isGround {
            hasGround = true
            ground = Colour(firstIn: value) ?? ground
          }
          if isGround || property.equals("color") { setsColours = true }
          if property.equals("display") {
            isBlock = place == .textOfLink || !value.begins(with: "inline")
            room.isInline = value.equals("inline")
            isInline = !isBlock
          }
          if property.equals("float") { floats = !value.equals("none") }
          if property.equals("direction") { turnsDirection = true }
          room.add(property, value)
        }
      } else if name.equals("class") {
        // Outlook's paragraphs are lines; its style sheet said so.
        if element.tag == GUMBO_TAG_P, value.begins(with: "mso") {
          style.append(contentsOf: "margin:0;".utf8)
        }
      } else if name.equals("background") {
        if !value.isEmpty, set.contains(.cells) || element.tag == GUMBO_TAG_BODY {
          standsOnImage = true
        }
      } else if element.tag == GUMBO_TAG_TABLE, name.equals("align") {
        if value.equals("left") || value.equals("right") { floats = true }
      } else if AttributeRule.value(name, in: set) == .colour,
        AttributeRule.accepts(value, as: .colour)
      {
        setsColours = true
        if name.equals("bgcolor") {
          hasGround = true
          ground = Colour(attribute: value)
        }
      } else if element.tag == GUMBO_TAG_BODY, name.equals("bgcolor") || name.equals("text") {
        guard let colour = Colour(attribute: value) else { continue }
        setsColours = true
        if name.equals("bgcolor") {
          hasGround = true
          ground = colour
          style.append(contentsOf: "background-".utf8)
        }
        style.append(contentsOf: "color:\(colour.hex);".utf8)
      }
    }
    if room.widens(element) {
      isBlock = isBlock || place == .textOfLink
      style.append(
        contentsOf: (place == .textOfLink ? "display:block;" : "display:inline-block;").utf8)
    }
    // A light ground is for those whose image does not come: light text was made for the image.
    if standsOnImage, !hasGround || ground?.isLight ?? false, LightText.isFound(in: element) {
      style.append(contentsOf: Self.darkGround)
      setsColours = true
    }
  }

  /// Writes what depends on what is around the element, too.
  ///
  /// - Parameter inside: what the element makes of its surroundings.
  mutating func finish(_ element: PageElement, _ inside: Visibility) {
    if let ink = inside.ink {
      style.append(contentsOf: "color:\(ink.hex);".utf8)
      setsColours = true
    }
    room.finish(element, inLink: inside.isInLink, fontSize: inside.fontSize, into: &style)
  }
}

extension Colour {
  /// The one that a `background` names before its image.
  fileprivate init?(firstIn value: PageBytes) {
    var words = StyleWords(value)
    while let word = words.next() {
      guard let colour = Colour(word.bytes) else { continue }
      self = colour
      return
    }
    return nil
  }

  fileprivate var hex: String {
    "#"
      + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
