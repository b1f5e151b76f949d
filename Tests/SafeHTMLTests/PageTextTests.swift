import SafeHTML
import Testing

struct PageTextTests {
  private static func read(_ html: String) -> PageText {
    Array(html.utf8).withUnsafeBytes { PageText.read($0) }
  }

  private static func text(_ html: String) -> String {
    String(decoding: read(html).text, as: UTF8.self)
  }

  @Test(arguments: [
    ("<p>a<p>b", "a\n\nb"), ("a<br>b", "a\nb"), ("<div>a</div><div>b</div>", "a\nb"),
    ("a&nbsp;&nbsp;b&#160;c", "a b c"),
    ("<ul><li>a<li>b<ul><li>c</ul></ul>", "- a\n- b\n  - c"),
    ("<ol start=3><li>a<li>b</ol>", "3. a\n4. b"),
    ("<dl><dt>a<dd>b</dl>", "a\n  b"), ("<h1>Title</h1>x", "Title\n═════\n\nx"),
    ("<h2>Part</h2>x", "Part\n────\n\nx"),
    ("<h3>Small</h3>x", "Small\n\nx"),
    ("a<blockquote>b<blockquote>c</blockquote></blockquote>d", "a\n\n> b\n>\n>> c\n\nd"),
    ("<pre>a\n  b</pre>", "a\n  b"), ("<img alt='A cat'>", "A cat"), ("wo&shy;rd&#8203;s", "words"),
    ("a<hr>b", "a\n--------------------\nb"), ("<script>x</script><style>y</style>a<!--z-->", "a"),
    ("<select><option>x</select>a", "a"), ("a\u{0}b", "ab"),
    ("a<marquee>b</marquee>c", "a\nb\nc"),
  ]) func `blocks become lines`(html: String, text: String) {
    #expect(Self.text(html) == text)
  }

  @Test func `tables of data line up, numbers to the right`() {
    let table = Self.text(
      "<table><tr><th>Item<th>Price<tr><td>Tea<td>3.50<tr><td>日本茶<td>12.00</table>after")
    #expect(table == "Item    Price\nTea      3.50\n日本茶  12.00\n\nafter")
  }

  @Test func `tables of layout are read cell by cell`() {
    let cell = String(repeating: "long words ", count: 10)
    #expect(!Self.text("<table><tr><td>\(cell)<td>b<tr><td>c<td>d</table>").contains("  "))
    #expect(Self.text("<table><tr><td><p>a<p>b<td>c</table>") == "a\n\nb\n\nc")
  }

  @Test func `links are numbered once, and marked where they mislead`() {
    let page = Self.read(
      "<a href=http://a.example/x>one</a> <a href=http://b.example>b.example</a> <a href=http://a.example/x>two</a> <a href=http://evil.test>www.bank.com</a>"
    )
    #expect(
      String(decoding: page.text, as: UTF8.self)
        == "one [1] b.example two [1] www.bank.com [2 leads to evil.test]")
    #expect(page.links.map(\.url) == ["http://a.example/x", "http://evil.test"])
    #expect(page.links.map(\.misleadsTo) == [nil, "evil.test"])
  }

  @Test(arguments: [
    "<a href=http://a.example/x>one<br></a>two", "<a href=http://a.example/x><p>one</p></a>two",
  ])
  func `a link's number stands on the line of its label`(html: String) {
    #expect(Self.text(html).hasPrefix("one [1]\n"))
  }

  @Test func `hidden words are left out and counted`() {
    let page = Self.read(
      "a<div style=display:none>two words</div><span style='font-size:0'>x</span>b")
    #expect(page.text == Array("a\nb".utf8) || page.text == Array("ab".utf8))
    #expect(page.hiddenWords == 3)
  }

  @Test func `a page that is hidden as a whole is shown`() {
    #expect(Self.text("<body style='display:none'><p>words</p>") == "words")
  }

  @Test func `what Outlook quotes is marked`() {
    #expect(
      Self.text("<p>own</p><div id=divRplyFwdMsg>Von: x</div><p>old</p>")
        == "own\n\n> Von: x\n>\n> old")
  }

  @Test func `a page that is too large has no text here`() {
    #expect(Self.read(String(repeating: "<i>", count: 120_000)).isRefused)
  }

  @Test func `a limit cuts and says so`() {
    let page = Array(String(repeating: "<p>words</p>", count: 100).utf8).withUnsafeBytes {
      PageText.read($0, limit: 50)
    }
    #expect(page.isCut)
    #expect(page.text.count < 80)
  }
}
