import CGumbo

/// What becomes of an element. Nothing is known that is not named here.
struct ElementRule: Sendable {
  enum Fate: UInt8, Sendable {
    /// Stays, with the attributes it may have.
    case keep
    /// Its content stays, in a `span`: what the parser makes of the page depends on how deep things lie.
    case span
    /// Its content stays, in a `section`, for elements that take lines of their own.
    case section
    /// Only its words stay.
    case words
    /// Goes with all that is in it.
    case drop
  }

  var fate: Fate
  /// What a person is told of elements that go.
  var dropped: DroppedKind?
  /// As it is written.
  var name: [UInt8] = []
  /// Has neither content nor end tag.
  var isVoid = false
  var attributes: AttributeSet = []
  var nesting = Nesting.inline

  static func of(_ element: PageElement) -> ElementRule {
    guard element.isHTML else { return foreign }
    if PageLinks.isMark(element) { return mark }
    let place = Int(element.tag.rawValue)
    return place < table.count ? table[place] : unknown
  }

  private static let unknown = ElementRule(fate: .span)
  private static let mark = ElementRule(fate: .drop)
  private static let foreign = ElementRule(fate: .drop, dropped: .embedded)

  private static let table: [ElementRule] = {
    var table = Array(repeating: unknown, count: Int(GUMBO_TAG_LAST.rawValue) + 1)
    var tags: [String: Int] = [:]
    for place in table.indices {
      guard let name = gumbo_normalized_tagname(GumboTag(UInt32(place))) else { continue }
      tags[String(cString: name)] = place
    }
    for (rule, names) in rules {
      for name in names.split(separator: " ") {
        guard let place = tags[String(name)] else { continue }
        table[place] = rule
        table[place].nesting = rule.fate == .section ? .block : Nesting.of(GumboTag(UInt32(place)))
        table[place].name = Array(name.utf8)
      }
    }
    // It would turn other words round.
    table[Int(GUMBO_TAG_BDO.rawValue)].name = Array("bdi".utf8)
    return table
  }()

  private static let rules: [(ElementRule, String)] = [
    (
      ElementRule(fate: .keep, attributes: .text),
      """
      abbr acronym address article b bdi bdo big blockquote center cite code dd del dfn dl dt em figcaption figure \
      footer h1 h2 h3 h4 h5 h6 header i ins kbd main mark nav p pre q rp rt ruby s samp section small strike \
      strong sub summary sup time tt u var
      """
    ),
    (ElementRule(fate: .keep, attributes: [.text, .ownClass]), "details span"),
    (ElementRule(fate: .keep, attributes: [.text, .lists]), "ul ol li"),
    (ElementRule(fate: .keep, attributes: [.text, .align]), "div"),
    (ElementRule(fate: .keep, attributes: [.text, .font]), "font"),
    (ElementRule(fate: .keep, attributes: [.text, .link]), "a"),
    (
      ElementRule(fate: .keep, attributes: [.text, .cells]),
      "table caption tbody tfoot thead tr"
    ),
    (ElementRule(fate: .keep, attributes: [.text, .cells, .rows]), "td th"),
    (ElementRule(fate: .keep, attributes: [.text, .cells]), "colgroup"),
    (ElementRule(fate: .keep, isVoid: true, attributes: [.text, .cells]), "col"),
    (ElementRule(fate: .keep, isVoid: true), "br wbr"),
    (ElementRule(fate: .keep, isVoid: true, attributes: [.text, .align]), "hr"),
    (ElementRule(fate: .keep, isVoid: true, attributes: [.text, .image]), "img"),

    (ElementRule(fate: .section), "fieldset hgroup dir menu listing"),
    (ElementRule(fate: .section, dropped: .form), "form"),
    (ElementRule(fate: .words, dropped: .form), "button"),
    // What is open outside of it does not count within: no element that stays is like that but cells.
    (ElementRule(fate: .words), "marquee"),
    (ElementRule(fate: .drop, dropped: .form), "input select textarea keygen datalist isindex"),
    (ElementRule(fate: .drop, dropped: .script), "script"),
    (ElementRule(fate: .drop, dropped: .frame), "iframe frame frameset noframes"),
    (
      ElementRule(fate: .drop, dropped: .embedded),
      "object applet embed svg math video audio source track canvas map area bgsound param"
    ),
    (ElementRule(fate: .drop, dropped: .styleSheet), "style link"),
    (ElementRule(fate: .drop), "head title base meta template noscript noembed plaintext xmp"),
  ]
}

/// Attributes that an element may have, by topic.
struct AttributeSet: OptionSet, Sendable {
  let rawValue: UInt16

  /// Language, direction, colours, and the style that is left of `style`.
  static let text = AttributeSet(rawValue: 1)
  static let align = AttributeSet(rawValue: 2)
  static let lists = AttributeSet(rawValue: 4)
  static let font = AttributeSet(rawValue: 8)
  static let link = AttributeSet(rawValue: 16)
  static let cells = AttributeSet(rawValue: 32)
  static let image = AttributeSet(rawValue: 64)
  /// A class of ours, and no other.
  static let ownClass = AttributeSet(rawValue: 128)
  /// Over how many rows a cell reaches.
  static let rows = AttributeSet(rawValue: 256)
}

/// What was left out of a page.
package enum DroppedKind: String, Sendable, CaseIterable {
  case script, form, frame, embedded, styleSheet

  package func words(_ count: Int) -> String {
    let noun =
      switch self {
      case .script: "script"
      case .form: "form field"
      case .frame: "frame"
      case .embedded: "embedded object"
      case .styleSheet: "style sheet"
      }
    return "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}
