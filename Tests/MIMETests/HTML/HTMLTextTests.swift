import MIME
import Testing

struct HTMLTextTests {
  static func text(_ html: String, _ style: HTMLText.Style = .index) -> String {
    var text: [UInt8] = []
    Array(html.utf8).withUnsafeBytes { _ = HTMLText.append($0, style: style, into: &text) }
    return String(decoding: text, as: UTF8.self)
  }

  @Test(arguments: [
    ("a<b>b</b>c", "abc"), ("<p>a<p>b", "a\n\nb"), ("a<br>b<br/>c", "a\nb\nc"),
    ("<div>a</div><div>b</div>", "a\nb"),
    ("<table><tr><td>a</td><td>b</td></tr><tr><td>c", "a b\nc"),
    ("  a \n\t b  ", "a b"), ("a&nbsp;&nbsp;b&#160;c", "a b c"),
    ("<div>a</div>\n\n<div>b</div>", "a\nb"),
    ("a<div><br></div>b", "a\n\nb"), ("x<br><br><br><br><br>y", "x\n\n\ny"), ("", ""), ("   ", ""),
  ]) func `blocks become lines and blanks collapse`(html: String, text: String) {
    #expect(Self.text(html) == text)
  }

  @Test(arguments: [
    "<style>zebra{color:red}</style>a", "<script>if (a < b) '</scr'</script>a",
    "<head><title>zebra</title></head>a",
    "<!-- zebra -->a", "<!--[if mso]>zebra<![endif]-->a", "<![if !mso]>a<![endif]>",
    "<!DOCTYPE zebra>a",
    "<?xml zebra?>a", "<template>zebra</template>a", "<STYLE type='text/css'>zebra</STYLE >a",
    "<!-->a", "<!--->a",
    "<!--[if !mso]><!-->a<!--<![endif]-->", "<select><option>zebra</select>a", "<!-- x --!>a",
    "<head><meta charset=x><style>x</style>zebra</head><body>a",
    "<head><title>zebra</title><body>a",
  ]) func `what is no text is passed over`(html: String) {
    #expect(Self.text(html) == "a")
  }

  @Test(arguments: [
    "display:none", "DISPLAY : NONE !important", "color:red;visibility:hidden", "font-size:0px",
    "font-size:0;line-height:0",
    "max-height:0px;overflow:hidden", "opacity:0", "opacity:0.0", ";;display:none",
    "font-size: .0em",
  ]) func `hidden preheaders are not text`(style: String) {
    #expect(Self.text("<div style=\"\(style)\">zebra <b>zebra</b></div>a") == "a")
    #expect(Self.text("<span style='\(style)'>zebra</span>a") == "a")
  }

  @Test(arguments: [
    "font-size:0.8em", "opacity:0.5", "max-height:10px", "display:block", "color:none",
    "font-size:10px", "font-size:small",
  ]) func `what merely looks hidden is text`(style: String) {
    #expect(Self.text("<div style=\"\(style)\">a</div>b") == "a\nb")
  }

  @Test func `an element inside may undo a font of no size`() {
    #expect(
      Self.text("<td style='font-size:0px'><div style='font-size:13px'>a</div>zebra</td>") == "a")
    #expect(
      Self.text("<div style='visibility:hidden'>zebra<b style='visibility:visible'>a</b></div>")
        == "a")
    #expect(Self.text("<div hidden>zebra</div>a<p style=display:none>zebra<p>b") == "a\n\nb")
  }

  @Test func `hidden text is better than none`() {
    #expect(Self.text("<body style='opacity:0'><p>a</p></body>") == "a")
  }

  @Test(arguments: [
    ("a&zwnj;&nbsp;&zwnj;&#8203;&#847;&shy; &#8199;&#65279;b", "a b"), ("a\u{200B}b\u{AD}c", "abc"),
    ("می\u{200C}خواهم", "می\u{200C}خواهم"), ("👨\u{200D}👩", "👨\u{200D}👩"),
    (
      "&lt;b&gt; &amp;amp; &copy &euro; &#x20AC; &#128; &#0; &hellip;",
      "<b> &amp; © € € € \u{FFFD} …"
    ),
    ("a & b &c &nosuch; &#; &#x;", "a & b &c &nosuch; &#; &#x;"), ("R&D AT&T", "R&D AT&T"),
  ]) func `padding vanishes and references are read`(html: String, text: String) {
    #expect(Self.text(html) == text)
  }

  @Test(arguments: [
    ("a < b", "a < b"), ("a <3 b", "a <3 b"),
    ("mail <me@example.org> now", "mail <me@example.org> now"),
    ("<a href=\"x>y\">b</a>", "b"), ("<a href=\"x>b</a>", "b"), ("a<", "a<"), ("a</", "a</"),
    ("a<b", "a"),
    ("<b>a</i>b</b>c", "abc"), ("</div></p>a", "a"), ("<td>a</div>b</td>", "ab"), ("a<!-- b", "a"),
    ("<style>a", ""), ("<div style=\"display:none\"><span></div></span>a", "a"),
    ("<span><div style=display:none>zebra</span>zebra</div>a", "a"),
  ]) func `broken markup reads as in a browser`(html: String, text: String) {
    #expect(Self.text(html) == text)
  }

  @Test func `people see lists quotes and numbered links`() {
    #expect(
      Self.text("<ul><li>a<li>b<ol><li>c</li><li>d</ol></ul>e", .show)
        == "- a\n- b\n  1. c\n  2. d\n\ne")
    #expect(
      Self.text("a<blockquote>b<br>c<blockquote>d</blockquote></blockquote>e", .show)
        == "a\n\n> b\n> c\n>\n>> d\n\ne")
    var text: [UInt8] = []
    let html = """
      <a href="https://example.org/?a=1&amp;b=2">Look</a> <a href='https://example.org'>example.org</a>
      <a href=mailto:a@b.c>a@b.c</a> <a href="#x">Top</a> <a href="https://example.org/?a=1&amp;b=2">again</a>
      """
    let result = Array(html.utf8).withUnsafeBytes { HTMLText.append($0, style: .show, into: &text) }
    #expect(String(decoding: text, as: UTF8.self) == "Look [1] example.org a@b.c Top again [1]")
    #expect(result.links.map(\.url) == ["https://example.org/?a=1&b=2"])
  }

  @Test func `preformatted text keeps its blanks`() {
    #expect(Self.text("<pre>\n a  b\n   c</pre>d") == " a  b\n   c\n\nd")
  }

  @Test func `the place of quotations is told`() {
    var text: [UInt8] = Array("x".utf8)
    let result = Array("a<blockquote>b</blockquote>c".utf8).withUnsafeBytes {
      HTMLText.append($0, into: &text)
    }
    #expect(result.quotes.count == 1)
    #expect(result.quotes.map { String(decoding: text[$0], as: UTF8.self) } == ["\n\nb"])
  }

  @Test(arguments: [
    ("<meta http-equiv=\"Content-Type\" content=\"text/html; charset=koi8-r\">", "koi8-r"),
    ("<meta charset='Shift_JIS'>", "shift_jis"),
    ("<?xml version=\"1.0\" encoding=\"utf-8\"?>", "utf-8"),
    ("<meta charset = big5 >", "big5"),
  ]) func `a declared charset is found`(html: String, name: String) {
    #expect(Array(html.utf8).withUnsafeBytes { HTMLText.declaredCharset($0)?.name } == name)
  }

  @Test(arguments: [
    "<", "<a ", "<div>", "</div>", "<a href=\"", "<!--", "&", "&#", "<style>", "<b></i>", "<p>",
    "<td>", "<x \"'=", "<!",
    "<blockquote>", "<li>", "<script></", "<a href=x>", "<span><div>", "<p style=\"", "< <!-- -- >",
    "&amp", "<ul><li>",
  ]) func `broken input of any size takes linear time`(piece: String) {
    let html = Array(String(repeating: piece, count: 100_000 / piece.utf8.count).utf8)
    var text: [UInt8] = []
    let time = ContinuousClock().measure {
      html.withUnsafeBytes { _ = HTMLText.append($0, style: .show, into: &text) }
    }
    // Quadratic time would be minutes; a debug build on a busy machine is far below this.
    #expect(time < .seconds(20))
  }

  @Test func `random markup never breaks the reader`() {
    let pieces = [
      "<", ">", "&", ";", "\"", "'", "=", "a", " ", "<p", "<!--", "-->", "</", "style",
      "<div hidden>", "</div>", "&#", "é",
      "\u{200D}", "<pre>", "</pre>", "<blockquote>", "</blockquote>", "<a href=http://x>", "</a>",
      "<td>", "\n", "<li>",
      "<style>", "</style>", "style=display:none", "</td>", "<ul>", "</ul>", "<img alt=x>",
    ]
    for _ in 0..<3000 {
      let html = (0..<Int.random(in: 0..<40)).map { _ in pieces.randomElement()! }.joined()
      for style in [HTMLText.Style.index, .show] {
        var text: [UInt8] = []
        Array(html.utf8).withUnsafeBytes { _ = HTMLText.append($0, style: style, into: &text) }
        #expect(String(validating: text, as: UTF8.self) != nil, "\(html)")
      }
    }
  }
}
