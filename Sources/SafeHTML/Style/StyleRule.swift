import CGumbo

/// Which properties of a `style` attribute stay, and with which values.
///
/// A value is written anew from words, numbers and colours, so no function but a colour's is ever written, no escape and
/// no comment.
enum StyleRule {
  enum Kind { case any, words, colour, font, fontSize, display, length, height }

  /// What a style belongs to. Within a link nothing is written that puts its pieces in another order or lays them side by
  /// side: what is read there is what was judged.
  enum Place { case free, link, textOfLink, imageOfLink }

  private struct Rule {
    var kind: Kind
    var staysInLinks = true
  }

  private static let table: [UInt64: Rule] = {
    let names: [(Rule, String)] = [
      (Rule(kind: .colour), "color background-color background border-color"),
      (Rule(kind: .font), "font-family"), (Rule(kind: .fontSize), "font-size"),
      (Rule(kind: .display), "display"),
      // Not the room between characters: less than none turns a word round.
      (
        Rule(kind: .any),
        """
        font-weight font-style font-variant text-align text-transform white-space list-style-type border-collapse \
        border-spacing word-break overflow-wrap word-wrap empty-cells
        """
      ),
      // A line as thick as text would cover that of others.
      (Rule(kind: .words), "text-decoration"), (Rule(kind: .height), "height min-height"),
      (Rule(kind: .any, staysInLinks: false), "direction float clear vertical-align"),
      (
        Rule(kind: .length),
        """
        margin margin-top margin-right margin-bottom margin-left padding padding-top padding-right padding-bottom \
        padding-left border border-top border-right border-bottom border-left border-width border-style \
        border-radius border-top-width border-right-width border-bottom-width border-left-width width max-width
        """
      ),
    ]
    var table: [UInt64: Rule] = [:]
    for (rule, names) in names {
      for name in names.split(separator: " ") {
        table[Array(name.utf8).withUnsafeBytes(\.nameHash)] = rule
      }
    }
    return table
  }()

  /// Appends `property:value;` if both may stay.
  static func append(
    _ property: PageBytes, _ value: PageBytes, of element: PageElement, at place: Place,
    into style: inout [UInt8]
  ) -> Bool {
    guard let rule = table[property.nameHash], value.count <= 200,
      rule.staysInLinks || place == .free || place == .imageOfLink
    else { return false }
    if property.equals("background") { return appendGround(value, into: &style) }
    // Parts of a table stay parts of it: as such none is smaller than what it holds.
    if rule.kind == .display, element.tag.isTablePart {
      guard element.tag == GUMBO_TAG_TABLE, place == .free, value.begins(with: "inline") else {
        return false
      }
      style.append(contentsOf: "display:inline-table;".utf8)
      return true
    }
    let start = style.count
    if rule.kind == .height {
      // All but pictures may be higher than that: cells are, by themselves, and a caption is none of them.
      let isExact =
        element.tag.isTablePart && element.tag != GUMBO_TAG_CAPTION
        || property.equals("height")
          && (element.tag == GUMBO_TAG_IMG || place == .free && element.isBlank)
      style.append(contentsOf: (isExact ? "height" : "min-height").utf8)
    } else {
      style.append(contentsOf: property.lazy.map(ASCII.lowered))
    }
    style.append(ASCII.colon)
    guard
      append(
        value, as: rule.kind, at: place, isWidth: property.contains(word: "width"), into: &style)
    else {
      style.removeSubrange(start...)
      return false
    }
    style.append(ASCII.semicolon)
    return true
  }

  /// The same of a length alone.
  static func appendLength(
    _ property: PageBytes, _ value: PageBytes, into style: inout [UInt8]
  ) -> Bool {
    let start = style.count
    style.append(contentsOf: property.lazy.map(ASCII.lowered))
    style.append(ASCII.colon)
    guard append(value, as: .length, at: .free, isWidth: true, into: &style) else {
      style.removeSubrange(start...)
      return false
    }
    style.append(ASCII.semicolon)
    return true
  }

  /// Of `background` its colour stays.
  private static func appendGround(_ value: PageBytes, into style: inout [UInt8]) -> Bool {
    var words = StyleWords(value)
    while let word = words.next() {
      guard ColourWord(word.bytes) != nil else { continue }
      style.append(contentsOf: "background-color:".utf8)
      style.append(contentsOf: word.bytes.lazy.map(ASCII.lowered))
      style.append(ASCII.semicolon)
      return true
    }
    return false
  }

  private static func append(
    _ value: PageBytes, as kind: Kind, at place: Place, isWidth: Bool, into style: inout [UInt8]
  ) -> Bool {
    switch kind {
    case .font: return appendFonts(value, into: &style)
    case .display:
      guard let word = displays(at: place).first(where: { value.equals($0) }) else { return false }
      (place == .textOfLink ? "block" : word).withUTF8Buffer { style.append(contentsOf: $0) }
      return true
    case .any, .words, .colour, .fontSize, .length, .height:
      // Within a link what is read is not far from where the link begins and ends.
      let isInLink = place == .link || place == .textOfLink
      let most = isInLink ? isWidth || kind == .height ? 600.0 : 60 : 2000
      var words = StyleWords(value)
      var isFirst = true
      while let word = words.next() {
        guard accepts(word, as: kind, most: most) else { return false }
        if !isFirst { style.append(ASCII.space) }
        isFirst = false
        style.append(contentsOf: word.bytes.lazy.map(ASCII.lowered))
      }
      return !isFirst && !words.isBroken
    }
  }

  private static func displays(at place: Place) -> [StaticString] {
    switch place {
    case .free:
      [
        "block", "inline", "inline-block", "list-item", "table", "table-cell", "table-row",
        "inline-table",
      ]
    case .link, .imageOfLink: ["block", "inline", "inline-block"]
    // A button among them: with its room, and as it was judged, on lines of its own.
    case .textOfLink: ["block", "inline-block", "inline-table", "table"]
    }
  }

  /// - Parameter most: pixels of a length.
  private static func accepts(_ word: StyleWords.Word, as kind: Kind, most: Double) -> Bool {
    switch word.kind {
    case .name: return kind != .colour || ColourWord(word.bytes) != nil
    case .colour:
      let isWhole = word.bytes.first == ASCII.number
      return kind == .length || kind == .words
        || kind == .colour && (isWhole || ColourWord(word.bytes) != nil)
    case .number(let value):
      switch kind {
      case .colour, .words: return false
      case .fontSize: return value >= 0 && value <= 120
      case .any: return value >= -20 && value <= 2000
      case .font, .display, .length, .height:
        guard value >= 0, value <= 2000 else { return false }
        guard most < 2000, let length = StyleLength(word.bytes), !length.isPart else { return true }
        return length.pixels(size: 16) <= most
      }
    }
  }

  private static func appendFonts(_ value: PageBytes, into style: inout [UInt8]) -> Bool {
    var isFirst = true
    for name in value.split(separator: ASCII.comma) {
      let bytes = PageBytes(rebasing: name)
      let letters = bytes.filter { $0 != ASCII.quote && $0 != ASCII.apostrophe }
      let isName = letters.allSatisfy {
        ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == ASCII.space || $0 == ASCII.dash
      }
      guard isName else { return false }
      let words = letters.split(separator: ASCII.space)
      guard let first = words.first?.first, ASCII.isLetter(first) else { continue }
      if !isFirst { style.append(ASCII.comma) }
      isFirst = false
      style.append(contentsOf: words.joined(separator: [ASCII.space]))
    }
    return !isFirst
  }
}

extension StyleRule.Place {
  static func of(_ element: PageElement, inLink: Bool) -> StyleRule.Place {
    guard inLink else { return .free }
    return element.tag == GUMBO_TAG_IMG ? .imageOfLink : .textOfLink
  }
}

/// The words of a value: names, numbers with their units, and colours.
struct StyleWords: IteratorProtocol {
  enum Kind {
    case name
    case number(Double)
    case colour
  }

  struct Word {
    var kind: Kind
    var bytes: PageBytes
  }

  private let value: PageBytes
  private var place = 0
  /// Whether something stood there that is no word; it ends the words.
  private(set) var isBroken = false

  init(_ value: PageBytes) { self.value = value }

  mutating func next() -> Word? {
    while place < value.count, ASCII.isBlank(value[place]) || value[place] == ASCII.comma {
      place += 1
    }
    guard place < value.count, !isBroken else { return nil }
    let start = place
    while place < value.count, !ASCII.isBlank(value[place]), value[place] != ASCII.comma {
      if value[place] == ASCII.openParenthesis {
        guard let close = value[place...].firstIndex(of: ASCII.closeParenthesis) else {
          isBroken = true
          return nil
        }
        place = close
      }
      place += 1
    }
    let bytes = value.piece(start..<place)
    guard let kind = Self.kind(bytes) else {
      isBroken = true
      return nil
    }
    return Word(kind: kind, bytes: bytes)
  }

  private static func kind(_ word: PageBytes) -> Kind? {
    guard let first = word.first else { return nil }
    if first == ASCII.number {
      let digits = word.piece(1..<word.count)
      let isWhole = digits.count == 6 || digits.count == 3 || digits.count == 8 || digits.count == 4
      return isWhole && digits.allSatisfy { ASCII.hexValue($0) != nil } ? .colour : nil
    }
    if word.last == ASCII.closeParenthesis { return isColourFunction(word) ? .colour : nil }
    if ASCII.isLetter(first) {
      return word.allSatisfy { ASCII.isLetter($0) || $0 == ASCII.dash || ASCII.isDigit($0) }
        ? .name : nil
    }
    return number(word).map { .number($0) }
  }

  /// `rgb(1, 2, 3)` and its kin, of numbers only.
  private static func isColourFunction(_ word: PageBytes) -> Bool {
    guard let open = word.firstIndex(of: ASCII.openParenthesis) else { return false }
    let name = word.piece(0..<open)
    guard name.equals("rgb") || name.equals("rgba") || name.equals("hsl") || name.equals("hsla")
    else { return false }
    return word.piece(open + 1..<word.count - 1).allSatisfy {
      ASCII.isDigit($0) || ",. %/".utf8.contains($0)
    }
  }

  /// `12px`, `-.5em`, `100%`, `0`.
  static func number(_ word: PageBytes) -> Double? {
    var end = 0
    if word.first == ASCII.dash || word.first == UInt8(ascii: "+") { end = 1 }
    let digits = end
    while end < word.count, ASCII.isDigit(word[end]) || word[end] == ASCII.dot { end += 1 }
    guard end > digits, end <= 10, let value = Double(word.piece(0..<end).text) else { return nil }
    let unit = word.piece(end..<word.count)
    return unit.isEmpty
      || unit.count <= 4 && unit.allSatisfy { ASCII.isLetter($0) || $0 == ASCII.percent }
      ? value : nil
  }
}
