import CGumbo

/// The room that an element's box has: written so that no box lies over what another holds.
///
/// A link without words over the text beside it would be clicked for that. Text reaches out of a box that is too narrow,
/// too low or whose lines are too close; an inline box reaches into other lines by its padding and border. So heights
/// are least heights, boxes are as wide as what is in them (`PageStyle`), lines as high as their text, and what needs
/// room above and below has it as a block.
struct BoxRoom {
  /// Whether `display` says so; nil where it says nothing.
  var isInline: Bool?
  private var reachesOut = false
  private var hasWidth = false
  private var leastWidth: [UInt8] = []
  private var lineHeight: LineHeight?

  private enum LineHeight {
    case normal
    case length(StyleLength)
  }

  /// More than this, in pixels, is seen on other lines.
  private static let most = 4.0
  /// Lines are so many times as high as their text: fonts reach a little beyond their size.
  private static let factors = 1.2...4.0
  /// Text smaller than this is there for its height only.
  private static let smallest = 6.0

  /// Keeps a declaration back until all are known.
  ///
  /// - Returns: whether it is kept.
  mutating func keep(_ property: PageBytes, _ value: PageBytes) -> Bool {
    if property.equals("line-height") {
      if value.equals("normal") {
        lineHeight = .normal
      } else if let length = StyleLength(value), length.value >= 0 {
        lineHeight = .length(length)
      }
      return true
    }
    if property.equals("min-width") {
      var style: [UInt8] = []
      if StyleRule.appendLength(property, value, into: &style) { leastWidth = style }
      return true
    }
    return false
  }

  /// Regards a declaration that was written.
  mutating func add(_ property: PageBytes, _ value: PageBytes) {
    if property.equals("width") || property.equals("max-width") {
      hasWidth = true
    } else if property.begins(with: "padding") || property.begins(with: "border") {
      if Self.reachesOut(property, value) { reachesOut = true }
    }
  }

  /// Whether the element has to be a block, being inline otherwise.
  func widens(_ element: PageElement) -> Bool {
    reachesOut && !element.tag.isTablePart && element.tag != GUMBO_TAG_IMG
      && (isInline ?? Self.isInline(element))
  }

  mutating func finish(
    _ element: PageElement, inLink: Bool, fontSize: Double, into style: inout [UInt8]
  ) {
    if !hasWidth { style.append(contentsOf: leastWidth) }
    guard let lineHeight else { return }
    switch lineHeight {
    case .normal: style.append(contentsOf: "line-height:normal;".utf8)
    case .length(let length):
      // A line that holds nothing is one that was drawn.
      if !inLink, !length.isNumber, element.isBlank {
        let pixels = length.pixels(size: fontSize, whole: fontSize)
        guard pixels <= 2000 else { return }
        style.append(contentsOf: "line-height:\(Self.written(pixels))px;".utf8)
        return
      }
      guard fontSize >= Self.smallest else { return }
      let factor =
        length.isNumber
        ? length.value : length.pixels(size: fontSize, whole: fontSize) / fontSize
      let bound = min(max(factor, Self.factors.lowerBound), Self.factors.upperBound)
      style.append(contentsOf: "line-height:\(Self.written(bound));".utf8)
    }
  }

  /// `1.43`
  private static func written(_ number: Double) -> String {
    let hundredths = Int((number * 100).rounded())
    let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
    if rest == 0 { return "\(whole)" }
    return "\(whole)." + (rest % 10 == 0 ? "\(rest / 10)" : rest < 10 ? "0\(rest)" : "\(rest)")
  }

  private static func reachesOut(_ property: PageBytes, _ value: PageBytes) -> Bool {
    for word in ["left", "right", "radius", "spacing"] as [StaticString]
    where property.contains(word: word) { return false }
    var lengths: [StyleLength] = []
    var words = StyleWords(value)
    while let word = words.next() { StyleLength(word.bytes).map { lengths.append($0) } }
    guard let first = lengths.first else { return false }
    let isOfSides = property.equals("padding") || property.equals("border-width")
    return ([first] + (isOfSides && lengths.count > 2 ? [lengths[2]] : [])).contains {
      $0.isFixed ? $0.pixels(size: 0) > most : $0.value > 0
    }
  }

  private static func isInline(_ element: PageElement) -> Bool {
    let rule = ElementRule.of(element)
    return rule.fate != .section && !rule.isVoid && element.tag != GUMBO_TAG_BODY
      && Nesting.of(element.tag) == .inline
      && BlockKind.of(element.tag) == .none
  }
}

extension PageElement {
  /// Whether nothing is in it but blanks.
  var isBlank: Bool {
    children.allSatisfy { child in
      switch child.content {
      case .nothing: return true
      case .element: return false
      case .text(let text):
        var rest = text[...]
        while let byte = rest.first {
          if ASCII.isBlank(byte) {
            rest = rest.dropFirst()
          } else if rest.starts(with: [0xC2, 0xA0]) {
            rest = rest.dropFirst(2)
          } else {
            return false
          }
        }
        return true
      }
    }
  }
}
