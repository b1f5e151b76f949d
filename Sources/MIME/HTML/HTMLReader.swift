/// One pass over HTML: keeps just enough of the open elements to know what is hidden, quoted, or in a list.
struct HTMLReader {
  private struct Open {
    let name: UInt64
    let tag: HTMLTag
    let visibility: HTMLVisibility
  }

  struct OpenLink {
    let url: Range<Int>
    let textStart: Int
  }

  private static let deepest = 256
  static let mostLinks = 1000

  let html: UnsafeRawBufferPointer
  let style: HTMLText.Style
  let firstLink: Int
  let limit: Int
  let showsHidden: Bool
  var writer: HTMLWriter
  var result = HTMLText()
  var hasHidden = false
  private var tokens: HTMLTokenizer
  private var open: [Open] = []
  /// Elements that were opened below the deepest level kept.
  private var unkept = 0
  /// How many of each are open: most searches end here.
  private var openTags = [Int](repeating: 0, count: 64)
  private var visibility: HTMLVisibility = []
  var preformatted = 0
  private var isInHead = false
  private var quoteDepth = 0
  private var quoteStart = 0
  /// The next number of each list open; 0 where it has none.
  private var lists: [Int] = []
  var link: OpenLink?
  var linkNumbers: [String: Int] = [:]

  init(
    _ html: UnsafeRawBufferPointer, style: HTMLText.Style, firstLink: Int, limit: Int,
    showsHidden: Bool, text: [UInt8]
  ) {
    self.html = html
    self.style = style
    self.firstLink = firstLink
    self.limit = limit
    self.showsHidden = showsHidden
    writer = HTMLWriter(appendingTo: text)
    tokens = HTMLTokenizer(html)
  }

  var isHidden: Bool { !visibility.isEmpty || isInHead }

  mutating func read() {
    while writer.count < limit, let token = tokens.next() {
      switch token {
      case .text(let range): readText(range)
      case .start(let name, let attributes): start(name, attributes)
      case .end(let name): end(name)
      case .comment: break
      }
    }
    while !open.isEmpty { close() }
  }

  // MARK: Start tags

  private mutating func start(_ name: UInt64, _ attributes: Range<Int>) {
    let tag = HTMLTag.named(name)
    switch tag {
    case .skippedRaw: return tokens.skipRaw(name)
    case .head: isInHead = true
    case .html, .headOnly, .hidden: break
    default: isInHead = false
    }
    closeImplied(by: tag)
    if tag.isVoid { return standAlone(tag, attributes) }
    guard open.count < Self.deepest else {
      unkept += 1
      return
    }
    let href = visit(attributes, of: tag)
    open.append(Open(name: name, tag: tag, visibility: visibility))
    openTags[Int(tag.rawValue)] += 1
    guard !isHidden else { return }
    begin(tag, href)
  }

  /// Takes what the attributes say of visibility into account; returns the value of `href`.
  private mutating func visit(_ range: Range<Int>, of tag: HTMLTag) -> Range<Int>? {
    var href: Range<Int>?
    if tag == .hidden { visibility.insert(.gone) }
    var attributes = HTMLAttributes(html, in: range)
    while let (name, value) = attributes.next() {
      switch name {
      case HTMLAttributeName.style:
        visibility.apply(style: UnsafeRawBufferPointer(rebasing: html[value]))
      case HTMLAttributeName.hidden: visibility.insert(.gone)
      case HTMLAttributeName.href: href = value
      default: break
      }
    }
    if showsHidden { visibility = [] }
    return href
  }

  private mutating func standAlone(_ tag: HTMLTag, _ range: Range<Int>) {
    guard !isHidden else { return }
    switch tag {
    case .br: writer.lineBreak()
    case .hr:
      writer.blockBreak(1)
      if style == .show { writer.word(Array(repeating: ASCII.dash, count: 20)) }
      writer.blockBreak(1)
    case .img:
      var attributes = HTMLAttributes(html, in: range)
      while let (name, value) = attributes.next() {
        guard name == HTMLAttributeName.alt, !value.isEmpty else { continue }
        // A picture is no part of the words beside it.
        if isWord(html[value.lowerBound]) { writer.space() }
        writeText(html, value)
        if isWord(html[value.upperBound - 1]) { writer.space() }
      }
    default: break
    }
  }

  private func isWord(_ byte: UInt8) -> Bool { ASCII.isLetter(byte) || ASCII.isDigit(byte) }

  private mutating func begin(_ tag: HTMLTag, _ href: Range<Int>?) {
    switch tag {
    case .p, .paragraph: writer.blockBreak(2)
    case .block, .tr, .dt, .body: writer.blockBreak(1)
    case .td: writer.space()
    case .dd:
      writer.blockBreak(1)
      if style == .show { writer.mark([ASCII.space, ASCII.space]) }
    case .ul, .ol:
      writer.blockBreak(lists.isEmpty ? 2 : 1)
      if lists.count < 32 { lists.append(tag == .ol ? 1 : 0) }
      setIndent()
    case .li:
      writer.blockBreak(1)
      if style == .show { writer.mark(listMark()) }
    case .blockquote:
      writer.blockBreak(2)
      if quoteDepth == 0 { quoteStart = writer.position }
      quoteDepth += 1
      setQuoteDepth()
    case .pre:
      writer.blockBreak(2)
      preformatted += 1
      tokens.skipLineFeed()
    case .a where href != nil && style == .show:
      link = href.map { OpenLink(url: $0, textStart: writer.position) }
    default: break
    }
  }

  private mutating func listMark() -> [UInt8] {
    guard let number = lists.last, number > 0 else { return Array("- ".utf8) }
    lists[lists.count - 1] += 1
    return Array("\(number). ".utf8)
  }

  private mutating func setIndent() {
    writer.indent = style == .show ? max(0, lists.count - 1) * 2 : 0
  }

  private mutating func setQuoteDepth() {
    writer.quoteDepth = style == .show ? quoteDepth : 0
  }

  // MARK: End tags

  /// Some elements end where another begins: `<p>` at any block, `<li>`, `<td>`, `<tr>` at their like.
  private mutating func closeImplied(by tag: HTMLTag) {
    switch tag {
    case .p, .paragraph, .block, .ul, .ol, .blockquote, .pre, .hr: closeTo(.p)
    case .li: closeTo(.li)
    case .td: closeTo(.td)
    case .tr: closeTo(.tr)
    case .dt, .dd:
      closeTo(.dt)
      closeTo(.dd)
    default: break
    }
  }

  /// Closes the nearest `tag` if nothing stands between that keeps it open.
  private mutating func closeTo(_ tag: HTMLTag) {
    guard openTags[Int(tag.rawValue)] > 0 else { return }
    var index = open.count - 1
    while index >= 0 {
      let found = open[index].tag
      if found == tag {
        while open.count > index { close() }
        return
      }
      switch found {
      case .other, .a: break
      case .p where tag != .p: break
      case .block where tag != .p: break
      case .td where tag == .tr: break
      default: return
      }
      index -= 1
    }
  }

  private mutating func end(_ name: UInt64) {
    if unkept > 0 {
      unkept -= 1
      return
    }
    let tag = HTMLTag.named(name)
    if tag == .head { isInHead = false }
    let isInline = tag == .other || tag == .a
    var index = openTags[Int(tag.rawValue)] > 0 ? open.count - 1 : -1
    while index >= 0, open[index].name != name {
      let other = open[index].tag
      if isInline ? other != .other && other != .a : other == .td && !Self.closesCells(tag) {
        return
      }
      index -= 1
    }
    guard index >= 0 else {
      if tag == .p, !isHidden { writer.blockBreak(2) }
      return
    }
    while open.count > index { close() }
  }

  private static func closesCells(_ tag: HTMLTag) -> Bool {
    switch tag {
    case .td, .tr, .paragraph, .body, .html: true
    default: false
    }
  }

  /// Ends the innermost element.
  private mutating func close() {
    let closed = open.removeLast()
    openTags[Int(closed.tag.rawValue)] -= 1
    let wasHidden = !closed.visibility.isEmpty
    visibility = open.last?.visibility ?? []
    guard !wasHidden else { return }
    switch closed.tag {
    case .p, .paragraph: writer.blockBreak(2)
    case .block, .tr, .li, .dt, .dd: writer.blockBreak(1)
    case .td: writer.space()
    case .ul, .ol:
      _ = lists.popLast()
      writer.blockBreak(lists.isEmpty ? 2 : 1)
      setIndent()
    case .blockquote:
      guard quoteDepth > 0 else { return }
      quoteDepth -= 1
      setQuoteDepth()
      writer.blockBreak(2)
      if quoteDepth == 0 { result.quotes.append(quoteStart..<writer.position) }
    case .pre:
      preformatted = max(0, preformatted - 1)
      writer.blockBreak(2)
    case .a: closeLink()
    default: break
    }
  }
}
