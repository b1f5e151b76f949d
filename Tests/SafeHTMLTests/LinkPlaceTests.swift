import CGumbo
import Testing

@testable import SafeHTML

/// What a reader sees of a link is the whole word that it stands in.
struct LinkPlaceTests {
  private static let evil = "<a href=http://evil.test/>"

  private static func marks(_ html: String) -> Int {
    let page = safe("<div>" + html)
    #expect(safe(page) == page)
    return page.ranges(of: "mirror-leads\">→ evil.test<").count
  }

  @Test(arguments: [
    "<a href=https://www.bank.com/>https://www.bank.com/</a>\(evil)signin?session=83</a>",
    "<u>https://www.bank.com/</u>\(evil)signin</a>", "www.bank.com\(evil)/signin</a>",
    "bank.com\(evil)/signin</a>",
    "\(evil)https://</a>www.bank.com/signin", "https:\(evil)//</a>www.bank.com/signin",
    "https://www.bank.com/a?b=\(evil)c</a>&d", "https://www.bank.com/a;\(evil)b</a>",
    "https://\(evil)here now</a>", "see www.\(evil)bank.com now</a>",
    "\(evil)log in at www</a>.bank.com", "请访问www.\(evil)bank</a>.com查看",
    "中国银行\(evil).com</a>", "bank.com<b></b>\(evil)/a</a>", "bank.com&#8202;\(evil)/a</a>",
    "\(evil)bank</a>\(String(repeating: "&#8203;", count: 40)).com",
    "https://www.bank.com/\(String(repeating: "a", count: 500))\(evil)b</a>",
    "www.bank.com\(evil)∕signin</a>", "www.bank.com\(evil)⁄signin</a>", "www.bank\(evil)‐a.com</a>",
    "<table><td>https://www.bank.com<td>\(evil)/signin</a></table>",
    "<table><td>\(evil)bank</a><td>.com/signin</table>",
    "<table><td>\nwww.bank.com\n</td>\n<td>\n\(evil)/signin</a></table>",
  ]) func `one that touches an address needs its host`(html: String) {
    #expect(Self.marks(html) == (html.contains("here now") ? 0 : 1))
  }

  @Test(arguments: [
    "https://www.bank.com/ \(evil)signin</a>", "https://www.bank.com/&nbsp;\(evil)signin</a>",
    "https://www.bank.com/<br>\(evil)signin</a>", "https://www.bank.com/|\(evil)signin</a>",
    "(https://www.bank.com/)\(evil)signin</a>", "www.bank.com,\(evil)signin</a>",
    "www.bank.com;\(evil)signin</a>", "www.bank.com•\(evil)signin</a>",
    "请访问https://www.bank.com/\(evil)查看</a>",
    "<table><td>https://www.bank.com/<td>\(evil)signin</a></table>",
    "<p>https://www.bank.com/</p>\(evil)signin</a>",
    "https://evil.test/\(evil)signin</a>", "ann@bank.com\(evil)/signin</a>", "Done.\(evil)Now</a>",
    "https://www.bank.com\(evil)</a> x", "https://www.bank.com/\(evil) signin</a>",
    "\(evil)signin </a>https://www.bank.com/",
  ]) func `one beside it, or of the same host, does not`(html: String) {
    #expect(Self.marks(html) == 0)
  }

  /// A blank is measured by the letters beside it.
  @Test(arguments: [
    ("<i style='font-size:6px'> </i>", true), ("<i style='font-size:7px'> &nbsp;</i>", true),
    ("<i style='font-size:9px'> </i>", false),
    ("<small><small><small><small> </small></small></small></small>", true),
    ("<sup><sub><sup><small> </small></sup></sub></sup>", true), ("<small> </small>", false),
    ("<b style='font-size:40px'></b> ", false),
    ("<i style='font-size:50%'> </i>", false), ("<i style='font-size:.4em'> </i>", true),
    ("<i style='font-size:6px'> </i> ", true), (" <i style='font-size:6px'> </i>", false),
    ("<i style='font-size:6px'> </i>&nbsp;", false), ("<i style='font-size:6px'><br></i>", false),
  ]) func `one far smaller than the letters parts no host`(blank: String, joins: Bool) {
    #expect(Self.marks("\(Self.evil)bank\(blank).com</a>") == (joins ? 1 : 0))
    #expect(Self.marks("\(Self.evil)bank</a>\(blank)\(Self.evil).com</a>") == (joins ? 2 : 0))
  }

  @Test func `large letters make a usual blank small`() {
    let large = "font-size:40px"
    #expect(
      Self.marks("\(Self.evil)<b style=\(large)>bank</b> <b style=\(large)>.com</b></a>") == 1)
    #expect(Self.marks("<p style=\(large)>\(Self.evil)bank .com</a>") == 0)
    #expect(Self.marks("<font size=7>\(Self.evil)bank<font size=2> </font>.com</a>") == 1)
    #expect(Self.marks("<font size=+1>\(Self.evil)bank<font size=2> </font>.com</a>") == 0)
  }

  /// However many links there are, and however deep: each element's style is read once for all of them.
  @Test(arguments: [
    (String(repeating: "<div style='font:12px x'>", count: 200), "", 200),
    (String(repeating: "<font size=1>", count: 200), "", 200),
    ("", String(repeating: "<b style='font-family:a'>", count: 60), 0),
  ]) func `the work is that of one reading`(around: String, within: String, depth: Int) throws {
    let ends = String(repeating: "</b>", count: within.isEmpty ? 0 : 60)
    let link = within + Self.evil + "pay</a>" + ends + "<br hidden>"
    let html = around + String(repeating: link, count: 300)
    try Array(html.utf8).withUnsafeBytes { bytes in
      let tree = try PageTree(bytes)
      tree.withRoot { root in
        guard let root, let body = Self.first(GUMBO_TAG_BODY, in: root) else {
          Issue.record("no body")
          return
        }
        let places = LinkPlaces(in: body, sheets: nil, limits: .standard)
        var links = 0
        Self.eachLink(in: body) { link in
          links += 1
          _ = places.names(around: link)
          _ = places.names(around: link)
        }
        #expect(links == 300)
        // Every element once, and the one word.
        #expect(places.steps <= depth + 300 * (2 + (within.isEmpty ? 0 : 60)) + 1)
      }
    }
  }

  private static func first(_ tag: GumboTag, in element: PageElement) -> PageElement? {
    for child in element.children {
      if case .element(let child) = child.content, child.tag == tag { return child }
    }
    return nil
  }

  private static func eachLink(in element: PageElement, _ body: (PageElement) -> Void) {
    for child in element.children {
      guard case .element(let child) = child.content else { continue }
      if child.tag == GUMBO_TAG_A { body(child) }
      eachLink(in: child, body)
    }
  }

  @Test func `of too many names that may be hosts a link's words are read no further`() {
    let names = (0..<2000).map { "a\($0).pl" }.joined(separator: " ")
    let mentions = HostMentions(in: names)
    #expect(mentions.isCutInDoubt && !mentions.isCut)
    let page = safePage("<a href=http://evil.test/>\(names) bank.com</a>")
    #expect(page.misleadingLinks.isEmpty)
    #expect(String(decoding: page.html, as: UTF8.self).contains("mirror-leads\">→ evil.test<"))
    #expect(!HostMentions(in: "a.pl b.pl").isCutInDoubt)
  }

  /// A word may name very many hosts and domains: each link is compared with few.
  @Test func `mail addresses without end in one word cost no more than hosts do`() {
    let addresses = (0..<5000).map { "x@a\($0).com" }.joined(separator: ":")
    let names = NamedHosts(addresses, isAlone: false)
    #expect(names.readings.allSatisfy { $0.mailDomains.count <= HostMentions.most && $0.isCut })
    #expect(!names.isEmpty)
    #expect(NamedHosts("x@a.com:x@a.com:y@a.com").readings.first?.mailDomains.count == 1)
  }

  @Test(arguments: [64, 100, 63]) func `so many addresses hide no other`(count: Int) {
    let addresses = (0..<count).map { "a@b\($0).cc" }.joined(separator: " ")
    let label = "\(addresses) https://www.bank.com/signin"
    #expect(Self.marks("\(Self.evil)\(label)</a>") > 0)
  }

  @Test(arguments: [
    "<table><td>www.evil.test</td><td>\(evil)-12%</a></table>",
    "<table><td>www.evil.test</td><td>\(evil)#deals</a></table>",
    "<table><tr><td>www.bank.com</td></tr><tr><td>\(evil).com and more</a></table>",
  ]) func `cells that do not go on are none of it`(html: String) {
    #expect(Self.marks(html) == 0)
  }
}
