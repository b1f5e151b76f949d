import CGumbo

/// The words of a page that links are only a part of: with what is beside it without a blank between, a link is one word to
/// a reader, whether an address is cut into links or only a piece of it is one.
///
/// All of the page is read once, and each word is judged once for all links in it.
final class LinkPlaces {
  private let body: PageElement
  private let sheets: SheetGrounds?
  private let limits: PageLimits

  private var words: [Word]?
  /// By link, the words that it is a part of.
  private var places: [PageNode.Identity: [Int]] = [:]

  private struct Word {
    var bytes: [UInt8]
    var names: NamedHosts?
  }

  /// Elements whose styles were read, and words that were judged.
  private(set) var steps = 0

  /// - Parameter body: of a page that stays as long as this is asked.
  init(in body: PageElement, sheets: SheetGrounds?, limits: PageLimits) {
    self.body = body
    self.sheets = sheets
    self.limits = limits
  }

  /// The hosts that are named by the words at both ends of a link, where it is not all of these.
  func names(around link: PageElement) -> [NamedHosts] {
    if words == nil { find() }
    return (places[link.identity] ?? []).compactMap(names(inWord:)).filter { !$0.isEmpty }
  }

  private func names(inWord place: Int) -> NamedHosts? {
    guard let word = words?[place] else { return nil }
    if let names = word.names { return names }
    steps += 1
    let names = NamedHosts(String(decoding: word.bytes, as: UTF8.self), isAlone: false)
    words?[place] = Word(bytes: [], names: names)
    return names
  }

  private func find() {
    var visibility = Visibility(sheets: sheets)
    visibility.enter(body, ElementLook(body, .text, at: .free, limits: limits), limits: limits)
    var walk = PlaceWalk(limits: limits)
    walk.readChildren(of: body, visibility, depth: 0)
    walk.text.endWord()
    words = walk.text.words.map { Word(bytes: $0, names: nil) }
    places = walk.text.places
    steps += walk.steps
  }
}

/// Walks over a page for its words as they are shown.
private struct PlaceWalk {
  let limits: PageLimits
  var text = PlaceText()
  var steps = 0
  private var hasCell = false

  init(limits: PageLimits) { self.limits = limits }

  mutating func readChildren(of element: PageElement, _ inside: Visibility, depth: Int) {
    guard depth < limits.depth else { return }
    let isFrame = element.tag.isTableFrame
    for child in element.children {
      switch child.content {
      case .nothing: break
      case .text(let words): if !isFrame { append(words, inside) }
      case .element(let child):
        if !isFrame || child.tag.isTablePart { read(child, inside, depth: depth) }
      }
    }
  }

  private mutating func append(_ words: PageBytes, _ inside: Visibility) {
    if inside.isNothingBesideLink { return }
    if inside.hidesText, inside.isInLink || !words.allSatisfy(ASCII.isBlank) { return }
    text.append(words, size: inside.textSize)
  }

  private mutating func read(_ element: PageElement, _ around: Visibility, depth: Int) {
    let rule = ElementRule.of(element)
    guard rule.fate != .drop else { return }
    let isLink =
      element.tag == GUMBO_TAG_A && PageLinks.address(of: element, limits: limits) != nil
    var inside = around
    var look = ElementLook()
    steps += 1
    if rule.fate == .words {
      // Its colours and sizes do not stay.
      var visibility = around
      visibility.enter(element, look, limits: limits)
      inside.isGone = visibility.isGone
      inside.isInvisible = visibility.isInvisible
    } else {
      look = ElementLook(
        element, rule.attributes.union(.text),
        at: isLink ? .link : .of(element, inLink: around.isInLink), limits: limits)
      if isLink { inside.enterLink() }
      inside.enter(element, look, limits: limits)
    }
    guard !inside.isGone else { return }
    let outerHasCell = hasCell
    if element.tag == GUMBO_TAG_TABLE { hasCell = false }
    let isPart = element.tag.isTablePart && element.tag != GUMBO_TAG_TABLE
    let ends = !isPart && PageWords.separator(element, look) != nil && !look.isSetInLine
    if ends { text.endWord() }
    if element.tag == GUMBO_TAG_TR { text.endWord() }
    if element.tag.isCell, hasCell { text.endCell() }
    if element.tag.isCell { hasCell = true }
    if isLink { text.open(element.identity) }
    readChildren(of: element, inside, depth: depth + 1)
    if isLink { text.close(element.identity) }
    if ends { text.endWord() }
    if element.tag == GUMBO_TAG_TABLE { hasCell = outerHasCell }
  }
}

/// Cuts a page's text into the words that a reader sees, and keeps those that links are a part of.
private struct PlaceText {
  private(set) var words: [[UInt8]] = []
  private(set) var places: [PageNode.Identity: [Int]] = [:]

  private var word: [UInt8] = []
  private var blanks = BlankWidth()
  /// Where in the word links begin and end.
  private var starts: [PageNode.Identity: Int] = [:]
  private var ends: [PageNode.Identity: Int] = [:]
  /// Whether the word is an address with something after its host: then more characters belong to it.
  private var hasDot = false
  private var hasPath = false
  /// Whether the last letter was of a script without blanks between words.
  private var needsNoBlanks: Bool?
  /// Whether another cell of a table has begun since.
  private var isAtCell = false

  mutating func open(_ link: PageNode.Identity) { starts[link] = word.count }

  mutating func close(_ link: PageNode.Identity) { ends[link] = word.count }

  mutating func endWord() {
    isAtCell = false
    _ = blanks.end()
    if !starts.isEmpty || !ends.isEmpty { keep() }
    word.removeAll(keepingCapacity: true)
    hasDot = false
    hasPath = false
    needsNoBlanks = nil
  }

  /// Cells may touch: the word goes on where the next one begins with a mark of an address.
  mutating func endCell() {
    _ = blanks.end()
    isAtCell = !word.isEmpty
  }

  private mutating func begin(with next: UInt8) {
    guard isAtCell else { return }
    isAtCell = false
    if "/.:".utf8.contains(next) { return }
    // Links of this cell began already.
    let opened = starts.filter { $0.value == word.count }
    for link in opened.keys { starts[link] = nil }
    endWord()
    for link in opened.keys { starts[link] = 0 }
  }

  /// Keeps the word for the links that are a part of it and not all.
  private mutating func keep() {
    let length = word.count
    var links: [PageNode.Identity] = []
    for (link, start) in starts where 0 < start && start < min(length, ends[link] ?? length) {
      links.append(link)
    }
    for (link, end) in ends where end < length {
      let start = starts[link] ?? 0
      if start == 0, start < end { links.append(link) }
    }
    starts.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    guard !links.isEmpty else { return }
    for link in links { places[link, default: []].append(words.count) }
    words.append(word)
  }

  mutating func append(_ text: PageBytes, size: Double) {
    var place = 0
    while place < text.count {
      let byte = text[place]
      guard byte >= 0x80 else {
        place += 1
        append(byte, size: size)
        continue
      }
      let length = min(byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4, text.count - place)
      let character = text.piece(place..<place + length)
      place += length
      guard let scalar = String(decoding: character, as: UTF8.self).unicodeScalars.first else {
        continue
      }
      append(scalar, character, size: size)
    }
  }

  private mutating func append(_ byte: UInt8, size: Double) {
    switch byte {
    case ...ASCII.space: if !isAtCell { blanks.add(size: size, collapses: true) }
    case UInt8(ascii: "|"), ASCII.less, ASCII.greater, ASCII.quote, ASCII.openParenthesis,
      ASCII.closeParenthesis, UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"),
      UInt8(ascii: "}"):
      endWord()
    case ASCII.comma where !hasPath, ASCII.semicolon where !hasPath: endWord()
    default:
      begin(with: byte)
      begin(size: size)
      if ASCII.isLetter(byte) || ASCII.isDigit(byte) { turn(needsNoBlanks: false) }
      if byte == ASCII.dot { hasDot = true }
      if hasDot, "/?#".utf8.contains(byte) { hasPath = true }
      word.append(byte)
    }
  }

  private mutating func append(_ scalar: Unicode.Scalar, _ character: PageBytes, size: Double) {
    if scalar.isNarrowBlank { return }
    if scalar.properties.isWhitespace {
      blanks.add(size: size, collapses: false)
    } else if scalar.properties.isDefaultIgnorableCodePoint {
      return
    } else if PlaceText.isOfHost(scalar) {
      begin(with: PlainLetters.fold(words: String(scalar)).utf8.first ?? 0)
      begin(size: size)
      if scalar.properties.isAlphabetic { turn(needsNoBlanks: scalar.needsNoBlanks) }
      word.append(contentsOf: character)
    } else {
      endWord()
    }
  }

  private mutating func begin(size: Double) {
    if blanks.end(size: size) == .wide { endWord() }
  }

  /// Words of other scripts touch those of one without blanks; a host's labels may be of both.
  private mutating func turn(needsNoBlanks: Bool) {
    if let last = self.needsNoBlanks, last != needsNoBlanks, let byte = word.last,
      byte != ASCII.dot, byte != ASCII.dash
    {
      endWord()
    }
    self.needsNoBlanks = needsNoBlanks
  }

  /// Whether hosts may be written with it, as browsers read them.
  private static func isOfHost(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\u{B7}", "\u{2027}", "\u{22C5}", "\u{2219}": true
    case "…": false
    default:
      scalar.properties.isAlphabetic || scalar.properties.generalCategory == .nonspacingMark
        || PlainLetters.isOther(scalar) || PlainLetters.isSign(scalar)
    }
  }
}
