import CGumbo

/// The grounds that a page's style sheets lay below text, and the colours that they give text.
///
/// Sheets are not applied, so text that was made for such a ground would have the wrong one, and a ground that was made for
/// such text, too. What they say only tells where ground or text in the mail are not what the attributes give. Of a selector its last part counts: what
/// the element has to be inside of is not looked at, so more elements count than have such a ground.
final class SheetGrounds: Sendable {
  enum Ground: Equatable {
    case colour(Colour)
    case unknown
  }

  /// The colour of an element's text.
  struct Text: Equatable {
    var colour: Ground
    /// Whether what the element's own style says does not count.
    var isImportant = false
  }

  /// By ``key(_:of:)``.
  private let grounds: [UInt64: Ground]
  private let texts: [UInt64: Text]
  private let namesElements: Bool

  /// Of all sheets in a page; nil where none sets a ground.
  static func find(in root: PageElement, limits: PageLimits) -> SheetGrounds? {
    var rules = SheetRules()
    func look(_ element: PageElement, depth: Int) {
      guard depth <= limits.depth else { return }
      for child in element.children {
        guard case .element(let child) = child.content else { continue }
        if child.tag == GUMBO_TAG_STYLE {
          for text in child.children {
            if case .text(let text) = text.content { rules.read(text) }
          }
        } else {
          look(child, depth: depth + 1)
        }
      }
    }
    look(root, depth: 0)
    for child in root.children {
      guard case .element(let body) = child.content, body.tag == GUMBO_TAG_BODY,
        let value = body.attribute("link"), let colour = Colour(attribute: value)
      else { continue }
      rules.addLinks(colour)
    }
    return rules.isEmpty ? nil : SheetGrounds(rules)
  }

  private init(_ rules: SheetRules) {
    grounds = rules.grounds
    texts = rules.texts
    namesElements = rules.namesElements
  }

  /// What sheets lay below the text of an element itself; nil where they say nothing.
  func ground(of element: PageElement) -> Ground? {
    var found: Ground?
    func add(_ key: UInt64) {
      if let ground = grounds[key] { found = Self.either(found, ground) }
    }
    guard !grounds.isEmpty else { return nil }
    Self.eachName(of: element, add)
    if namesElements { Self.eachKind(of: element, add) }
    return found
  }

  /// The colour that sheets give the text of an element itself; nil where they say nothing.
  func text(of element: PageElement) -> Text? {
    var found: Text?
    func add(_ key: UInt64) {
      if let text = texts[key] { found = Self.either(found, text) }
    }
    guard !texts.isEmpty else { return nil }
    Self.eachName(of: element, add)
    // A name counts more than a kind of elements.
    if namesElements, found == nil { Self.eachKind(of: element, add) }
    return found
  }

  private static func eachName(of element: PageElement, _ add: (UInt64) -> Void) {
    for (name, value) in element.attributes where value.count <= 4096 {
      if name.equals("class") {
        for word in value.split(whereSeparator: ASCII.isBlank) {
          add(key(.named(ASCII.dot), of: PageBytes(rebasing: word)))
        }
      } else if name.equals("id") {
        add(key(.named(ASCII.number), of: value.trimmed))
      }
    }
  }

  private static func eachKind(of element: PageElement, _ add: (UInt64) -> Void) {
    add(everything)
    if let name = gumbo_normalized_tagname(element.tag) {
      Array(String(cString: name).utf8).withUnsafeBytes { add(key(.element, of: $0)) }
    }
  }

  /// One of two rules applies, and it is not known here which.
  static func either(_ left: Ground?, _ right: Ground) -> Ground {
    left == nil || left == right ? right : .unknown
  }

  static func either(_ left: Text?, _ right: Text) -> Text {
    guard let left else { return right }
    return Text(
      colour: either(left.colour, right.colour),
      isImportant: left.isImportant || right.isImportant)
  }

  enum Name {
    case element
    case named(UInt8)
  }

  static func key(_ kind: Name, of name: PageBytes) -> UInt64 {
    switch kind {
    case .element: name.nameHash
    case .named(let mark): name.nameHash &* 31 &+ UInt64(mark)
    }
  }

  /// Of rules for whatever element.
  static let everything = Array("*".utf8).withUnsafeBytes { key(.element, of: $0) }
}

/// Reads the rules of style sheets as far as they set grounds and colours of text (CSS Syntax 3, roughly: what is read wrong
/// makes them uncertain, and no more).
struct SheetRules {
  private(set) var grounds: [UInt64: SheetGrounds.Ground] = [:]
  private(set) var texts: [UInt64: SheetGrounds.Text] = [:]
  private(set) var namesElements = false

  var isEmpty: Bool { grounds.isEmpty && texts.isEmpty }

  private static let open = UInt8(ascii: "{")
  private static let close = UInt8(ascii: "}")

  mutating func read(_ sheet: PageBytes) {
    guard sheet.contains(word: "color") || sheet.contains(word: "background") else { return }
    Self.withoutComments(sheet).withUnsafeBytes { readRules($0) }
  }

  private static func withoutComments(_ sheet: PageBytes) -> [UInt8] {
    var rest = sheet[...]
    var out: [UInt8] = []
    out.reserveCapacity(sheet.count)
    while let byte = rest.first {
      if rest.starts(with: "/*".utf8) {
        rest = rest.dropFirst(2)
        while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest = rest.dropFirst() }
        rest = rest.dropFirst(2)
      } else if rest.starts(with: "<!--".utf8) {
        rest = rest.dropFirst(4)
      } else if rest.starts(with: "-->".utf8) {
        rest = rest.dropFirst(3)
      } else {
        out.append(byte)
        rest = rest.dropFirst()
      }
    }
    return out
  }

  private mutating func readRules(_ sheet: PageBytes) {
    var place = 0
    while let end = sheet[place...].firstIndex(where: {
      $0 == Self.open || $0 == Self.close || $0 == ASCII.semicolon
    }) {
      let selectors = sheet.piece(place..<end).trimmed
      place = end + 1
      guard sheet[end] == Self.open else { continue }
      if selectors.first == ASCII.at, Self.isApplied(selectors) { continue }  // its rules follow
      let start = place
      var depth = 1
      while place < sheet.count, depth > 0 {
        if sheet[place] == Self.open { depth += 1 }
        if sheet[place] == Self.close { depth -= 1 }
        place += 1
      }
      guard selectors.first != ASCII.at else { continue }
      let (ground, text) = Self.looks(sheet.piece(start..<place))
      guard ground != nil || text != nil else { continue }
      for selector in selectors.split(separator: ASCII.comma) {
        add(PageBytes(rebasing: selector).trimmed, ground, text)
      }
    }
  }

  /// Whether an `@` rule holds others that apply on a light screen.
  private static func isApplied(_ rule: PageBytes) -> Bool {
    guard
      rule.begins(with: "@media") || rule.begins(with: "@supports") || rule.begins(with: "@layer")
        || rule.begins(with: "@container") || rule.begins(with: "@scope")
    else { return false }
    if rule.contains(word: "color-scheme"), rule.contains(word: "dark") { return false }
    return !rule.contains(word: "print") || rule.contains(word: "screen")
      || rule.contains(word: "not")
  }

  /// What the declarations of a rule lay below text, and what colour they give it; nil for nothing.
  private static func looks(
    _ declarations: PageBytes
  ) -> (ground: SheetGrounds.Ground?, text: SheetGrounds.Text?) {
    var body = declarations
    if body.last == close { body = body.piece(0..<body.count - 1) }
    var ground: SheetGrounds.Ground?
    var text: SheetGrounds.Text?
    var rest = Declarations(body)
    while let (property, value) = rest.next() {
      if property.equals("background") || property.equals("background-color")
        || property.equals("background-image")
      {
        ground = Self.ground(of: value) ?? ground
      } else if property.equals("color"), let colour = Self.text(of: value) {
        text = SheetGrounds.Text(
          colour: colour, isImportant: rest.isImportant && colour != .unknown)
      }
    }
    return (ground, text)
  }

  private static func text(of value: PageBytes) -> SheetGrounds.Ground? {
    switch ColourWord(value) {
    case .colour(let named): named.isFaint ? nil : .colour(named)
    case .initial: .colour(.black)
    // A link's that is said to be inherited is not the link's own.
    case .current, .nothing: value.equals("inherit") ? .unknown : nil
    case nil: value.contains(ASCII.openParenthesis) ? .unknown : nil
    }
  }

  private static func ground(of value: PageBytes) -> SheetGrounds.Ground? {
    var words = StyleWords(value)
    var colour: ColourWord?
    while let word = words.next() { colour = colour ?? ColourWord(word.bytes) }
    if words.isBroken, value.contains(ASCII.openParenthesis) { return .unknown }
    switch colour {
    case .colour(let named):
      return named.alpha == 0 ? nil : named.alpha >= 250 ? .colour(named) : .unknown
    case .current: return .unknown
    case .initial, .nothing, nil: return nil
    }
  }

  /// Names by which an element is chosen, of the last part of a selector.
  private mutating func add(
    _ selector: PageBytes, _ ground: SheetGrounds.Ground?, _ text: SheetGrounds.Text?
  ) {
    // So Outlook marks what it shows on a dark ground, and Apple's programs links of their own.
    guard !selector.isEmpty, !selector.contains(word: "[data-og"),
      !selector.contains(word: "[x-apple")
    else { return }
    var start = 0
    var depth = 0
    for (place, byte) in selector.enumerated() {
      switch byte {
      case UInt8(ascii: "["), ASCII.openParenthesis: depth += 1
      case UInt8(ascii: "]"), ASCII.closeParenthesis: depth -= 1
      case _ where depth == 0 && (ASCII.isBlank(byte) || ">+~".utf8.contains(byte)):
        start = place + 1
      default: break
      }
    }
    let last = selector.piece(start..<selector.count)
    // What is so only while a pointer is there, or is no text of the page's.
    for word in [":hover", ":active", ":focus", ":visited", ":before", ":after"] as [StaticString]
    where last.contains(word: word) { return }
    let end = last.firstIndex { ":[".utf8.contains($0) } ?? last.count
    let names = last.piece(0..<end)
    let key: UInt64
    if let mark = names.firstIndex(where: { $0 == ASCII.dot || $0 == ASCII.number }) {
      let rest = names.piece(mark + 1..<names.count)
      let name = rest.prefix { $0 != ASCII.dot && $0 != ASCII.number }
      key = SheetGrounds.key(.named(names[mark]), of: PageBytes(rebasing: name))
    } else {
      namesElements = true
      key =
        names.isEmpty
        ? SheetGrounds.everything
        : names.equals("html")
          ? Array("body".utf8).withUnsafeBytes { SheetGrounds.key(.element, of: $0) }
          : SheetGrounds.key(.element, of: names)
    }
    if let ground { grounds[key] = SheetGrounds.either(grounds[key], ground) }
    if let text { texts[key] = SheetGrounds.either(texts[key], text) }
  }

  /// What the page's `body` says of links: any sheet counts more.
  mutating func addLinks(_ colour: Colour) {
    namesElements = true
    let key = Array("a".utf8).withUnsafeBytes { SheetGrounds.key(.element, of: $0) }
    if texts[key] == nil { texts[key] = SheetGrounds.Text(colour: .colour(colour)) }
  }
}
