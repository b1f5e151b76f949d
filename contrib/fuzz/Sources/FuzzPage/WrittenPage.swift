/// Reads a page that was made safe, knowing nothing of how that was done: it has to be text, tags of a few names that are
/// well nested, and attributes of a few names in double quotes.
struct WrittenPage {
  private let html: [UInt8]
  private var place = 0
  private var open: [String] = []

  init(_ html: [UInt8]) { self.html = html }

  private static let elements = Set(
    """
    a abbr acronym address article b bdi big blockquote br caption center cite code col colgroup dd del details dfn \
    div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark nav ol p pre q rp \
    rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var \
    wbr
    """.split(separator: " ").map(String.init))
  private static let void: Set = ["br", "col", "hr", "img", "wbr"]
  private static let attributes = Set(
    """
    align alt bgcolor border cellpadding cellspacing class color colspan datetime dir face height href lang rel rowspan \
    scope size span src start style title type valign value width
    """.split(separator: " ").map(String.init))
  private static let schemes = [
    "http:", "https:", "mailto:", "tel:", "news:", "nntp:", "ftp:", "matrix:", "xmpp:", "mid:",
    "cid:",
  ]

  mutating func read() {
    while place < html.count {
      if html[place] == UInt8(ascii: "<") { readTag() } else { readText(until: UInt8(ascii: "<")) }
    }
    precondition(open.isEmpty, "an element that is never closed")
  }

  /// Text without anything that could be markup.
  private mutating func readText(until end: UInt8) {
    while place < html.count, html[place] != end {
      precondition(!"<>\"'`".utf8.contains(html[place]), "markup in text")
      if html[place] == 0xE2, place + 2 < html.count {
        let rest = (html[place + 1], html[place + 2])
        precondition(
          !(rest.0 == 0x80 && (0xAA...0xAE).contains(rest.1))
            && !(rest.0 == 0x81 && (0xA6...0xA9).contains(rest.1)),
          "a control that turns words round")
      }
      precondition(html[place] >= 0x20 || html[place] == 0x0A || html[place] == 0x09, "a control")
      if html[place] == UInt8(ascii: "&") {
        let isKnown = ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;", "&#96;"].contains {
          html[place...].starts(with: $0.utf8)
        }
        precondition(isKnown, "an unknown reference")
      }
      place += 1
    }
  }

  private mutating func readTag() {
    place += 1
    let isEnd = place < html.count && html[place] == UInt8(ascii: "/")
    if isEnd { place += 1 }
    let name = readName()
    precondition(Self.elements.contains(name), "an element that is not allowed: \(name)")
    if isEnd {
      precondition(open.popLast() == name, "an end of something else: \(name)")
    } else {
      while place < html.count, html[place] == UInt8(ascii: " ") { readAttribute(of: name) }
      if !Self.void.contains(name) { open.append(name) }
    }
    precondition(place < html.count && html[place] == UInt8(ascii: ">"), "a tag that does not end")
    place += 1
  }

  private mutating func readAttribute(of element: String) {
    place += 1
    let name = readName()
    precondition(Self.attributes.contains(name), "an attribute that is not allowed: \(name)")
    precondition(html[place...].starts(with: "=\"".utf8), "an attribute without quotes")
    place += 2
    let start = place
    readText(until: UInt8(ascii: "\""))
    let value = String(decoding: html[start..<place], as: UTF8.self).lowercased()
    place += 1
    switch name {
    case "href":
      precondition(element == "a", "an address elsewhere")
      precondition(Self.schemes.contains { value.hasPrefix($0) }, "an address that runs: \(value)")
    case "src":
      precondition(element == "img" && value.hasPrefix("data:image/"), "something that loads")
    case "style":
      precondition(
        value.utf8.allSatisfy {
          $0 < 0x80 && !"\\/*@{}<".utf8.contains($0) || $0 == UInt8(ascii: "/")
        },
        "a style of other characters")
      for part in value.split(separator: "(").dropLast() {
        precondition(
          ["rgb", "rgba", "hsl", "hsla"].contains { part.hasSuffix($0) }, "a function: \(value)")
      }
    case "class": precondition(value.hasPrefix("mirror-"), "a class of the sender's")
    default: break
    }
  }

  private mutating func readName() -> String {
    let start = place
    while place < html.count, (html[place] | 0x20) &- 97 < 26 || html[place] &- 48 < 10 {
      place += 1
    }
    return String(decoding: html[start..<place], as: UTF8.self)
  }
}
