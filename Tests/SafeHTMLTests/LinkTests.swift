import Testing

@testable import SafeHTML

struct LinkTests {
  private static func misleads(_ label: String, _ address: String) -> String? {
    WebAddress(address).flatMap { LinkLabel.misleads(label, to: $0) }?.real
  }

  @Test(arguments: [
    ("www.bank.example", "http://evil.test/", "evil.test"),
    ("https://bank.com/login", "https://bank.com.evil.test/x", "bank.com.evil.test"),
    ("bank.com", "http://bank.com@evil.test/", "evil.test"),
    ("Go to https://bank.com now", "http://1.2.3.4/", "1.2.3.4"),
    ("bank.com", "http:\\\\evil.test\\bank.com", "evil.test"),
    ("bank.com", "http://%65vil.test/", "evil.test"),
    ("a@bank.com", "mailto:b@evil.test", "evil.test"),
    ("bank.co.uk", "http://evil.co.uk/", "evil.co.uk"),
    ("alice.github.io", "http://x.github.io", "x.github.io"),
    ("https://www.bank.com", "https://evil.test./", "evil.test"),
    ("paypal.com", "http://xn--pypal-4ve.com/", "xn--pypal-4ve.com"),
    ("Click here", "https://bank.com@evil.test/", "evil.test"),
    ("Click here", "https://bank.com%2Flogin@evil.test/", "evil.test"),
    ("bank.com", "http://evil.test\\@bank.com/", "evil.test"),
    ("ｂａｎｋ．ｃｏｍ", "http://evil.test/", "evil.test"),
    ("bank。com", "http://evil.test/", "evil.test"),
    ("ba\u{AD}nk.com", "http://evil.test/", "evil.test"),
    ("𝐛𝐚𝐧𝐤.com", "http://evil.test/", "evil.test"), ("bank.com", "http://0x7f.1/", "127.0.0.1"),
    ("bank.com!", "http://evil.test/", "evil.test"),
    ("maybank2u.com.my", "http://evil.test/", "evil.test"),
    ("swedbank.lt/login", "http://evil.test/", "evil.test"),
    ("сбербанк.рф", "http://evil.test/", "evil.test"),
    ("bit.ly/3xY", "http://evil.test/", "evil.test"),
    ("请登录icbc.com.cn查看", "http://evil.test/", "evil.test"),
    ("詳細はwww.smbc.co.jpへ", "http://evil.test/", "evil.test"),
    ("🔒bank.com›", "http://evil.test/", "evil.test"),
    ("Log in at bank.com now", "http://evil.test/", "evil.test"),
    ("bank.com/login", "http://evil.test/", "evil.test"),
    ("(bank.com:443)", "http://evil.test/", "evil.test"),
    ("✔https://www.bank.com/", "http://evil.test/", "evil.test"),
    ("Bank–www.bank.com", "http://evil.test/", "evil.test"),
    ("=https://bank.test/x", "http://evil.test/", "evil.test"),
    ("https ://www.bank.com", "http://evil.test/", "evil.test"),
    ("https:// bank.com", "http://evil.test/", "evil.test"),
    ("//bank.test/", "http://evil.test/", "evil.test"),
    ("https://www.bank.com…", "http://evil.test/", "evil.test"),
    ("bank.com…", "http://evil.test/", "evil.test"),
    ("www·bank·com", "http://evil.test/", "evil.test"),
    ("httрs://www.bank.com", "http://evil.test/", "evil.test"),
    ("bank.соm", "http://evil.test/", "evil.test"), ("ВАNК.СОМ", "http://evil.test/", "evil.test"),
    ("οasis.com", "http://evil.test/", "evil.test"),
    ("www.b\u{332}ank.com", "http://evil.test/", "evil.test"),
    ("аррӏе.com", "http://xn--80ak6aa92e.com/", "xn--80ak6aa92e.com"),
    ("www.bank.com@evil", "http://evil.test/", "evil.test"),
    ("https://x@bank.test/", "http://evil.test/", "evil.test"),
    ("evil.test or bank.com", "http://evil.test/", "evil.test"),
    ("Write to help@bank.com!", "mailto:x@evil.test", "evil.test"),
    (
      "bank.com", "https://www.google.com/url/../amp/s/evil.test/?q=https://bank.com/",
      "www.google.com"
    ),
    ("bank.com", "https://www.google.com/urlshortener?q=https://bank.com/", "www.google.com"),
    (
      "https://www.google.com/account", "https://www.google.com/url?q=http://evil.test/",
      "evil.test"
    ),
    ("youtube.com", "https://www.youtube.com/redirect?q=http://evil.test/", "evil.test"),
    (
      "https://www.google.com/url?q=http://a.test/",
      "https://www.google.com/url?q=http://evil.test/",
      "evil.test"
    ),
    (
      "https://bank.com@www.google.com/url?q=http://evil.test/",
      "https://www.google.com/url?q=http://evil.test/", "evil.test"
    ),
    ("mbank.pl", "http://evil.test/", "evil.test"),
    ("→ mbank.pl", "http://evil.test/x", "evil.test"),
    ("mbank.pl/logowanie", "http://evil.test/", "evil.test"),
    ("login.mbank.pl", "http://evil.test/login", "evil.test"),
    ("podatki.gov.pl?x=1", "http://evil.test/", "evil.test"),
    ("raiffeisen.rs", "http://evil.test/", "evil.test"),
    ("maib.md", "http://evil.test/", "evil.test"),
    ("bank.com.py", "http://evil.test/", "evil.test"),
    ("stopanska.mk", "http://evil.test/", "evil.test"),
    ("get.sh", "http://evil.test/", "evil.test"),
    ("bbc.news", "http://evil.test/", "evil.test"),
    ("ledger.pro", "http://evil.test/", "evil.test"),
    ("中国银行.中国", "http://evil.test/", "evil.test"), ("банка.бг", "http://evil.test/", "evil.test"),
    ("Done.It", "http://evil.test/", "evil.test"),
    ("click", "https://mbank.pl@evil.test/", "evil.test"),
    ("README.md", "http://a.test/README.md", "a.test"),
    ("mbank.pl", "https://evil.test/mbank.pl", "evil.test"),
    ("mbank.pl", "https://evil.test/login?u=mbank.pl", "evil.test"),
    ("Strona mbank.pl", "http://evil.test/", "evil.test"),
    ("Log in at mbank.pl/logowanie", "http://evil.test/", "evil.test"),
    ("mbank.pl, ipko.pl", "http://evil.test/", "evil.test"),
    ("Log in at login.ledger.pro", "http://evil.test/", "evil.test"),
    ("Log in at ledger.pro/x", "http://evil.test/", "evil.test"),
    ("bbc.news bbc.news", "http://evil.test/", "evil.test"),
    (
      "https://urldefense.com/v3/__https://a.test/__;!!x",
      "https://urldefense.com/v3/__https://a.test/__;!!x", "a.test"
    ),
    (
      "https://www.bing.com/ck/a?u=a1aHR0cHM6Ly9hLnRlc3Qv",
      "https://www.bing.com/ck/a?u=a1aHR0cHM6Ly9hLnRlc3Qv", "a.test"
    ),
    ("www.mbank.pl…", "http://evil.test/", "evil.test"),
    ("a@bank.com", "http://evil.test/", "evil.test"), ("bank.com", "ftp://evil.test/", "evil.test"),
    ("ASP.NET", "http://evil.test/", "evil.test"),
    ("foo.pl?https://bank.com/", "http://evil.test/", "evil.test"),
  ]) func `a label that names another host misleads`(label: String, address: String, real: String) {
    #expect(Self.misleads(label, address) == real)
  }

  @Test(arguments: [
    ("www.bank.com", "https://login.bank.com/x"), ("Click here", "http://evil.test/"),
    ("src/setup.py", "http://a.test/"), ("Done.So we go", "http://a.test/"),
    ("photos.zip (2 MB)", "http://a.test/"), ("bbc.news bbc.news x", "http://a.test/"),
    ("more.news today", "http://a.test/"), ("a.b", "http://a.test/"),
    ("x.nosuchtld", "http://a.test/"),
    ("mbank.pl", "https://www.mbank.pl/x"), ("ann@mbank.pl", "http://www.mbank.pl/"),
    ("setup%2Epy", "http://a.test/"),
    (
      "bank.com",
      "https://eu1.safelinks.protection.outlook.com/?url=https%3A%2F%2Fwww.bank.com%2F&data=x"
    ),
    ("bank.com", "https://www.google.com/url?q=https://bank.com/&sa=D"),
    ("bank.com", "https://urldefense.proofpoint.com/v2/url?u=https-3A__www.bank.com_x&d=y"),
    ("bank.com", "https://urldefense.com/v3/__https://bank.com/__;!!x"),
    ("e.g. this", "http://a.test/"),
    ("node.js", "http://nodejs.org"), ("v1.2.3", "http://a.test/"),
    ("bücher.de", "http://xn--bcher-kva.de/"),
    ("a@bank.com", "mailto:a@bank.com?subject=x"), ("Ann a@bank.com", "http://other.test/"),
    ("a@bank.com", "https://www.bank.com/"),
    ("12.50", "http://shop.test"), ("https://exam…", "http://a.test/"),
    ("www.example.com/lon…", "http://www.example.com/longer"),
    ("bank.com", "http://ann@bank.com/"), ("the code", "https://token@code.test/"),
  ]) func `a label that names no host, or the same organisation's, does not`(
    label: String, address: String
  ) {
    #expect(Self.misleads(label, address) == nil)
  }

  /// Where services lead that put themselves before a link, and where what looks like one does.
  @Test(
    arguments: [
      ("https://www.linkedin.com/redir/redirect?url=https%3A%2F%2Fa%2Etest&x=y", "a.test"),
      ("https://www.linkedin.com/safety/go?url=http://a.test/", "a.test"),
      ("https://www.linkedin.com/redir/general-malware-page?url=http%3A%2F%2Fa.test", "a.test"),
      ("https://www.linkedin.com/in/x?url=http://a.test/", nil),
      ("https://linkedin.com.b.test/safety/go?url=http://a.test/", nil),
      ("https://www.google.de/url?q=http://a.test/", "a.test"),
      ("https://www.google.pizza/url?q=http://a.test/", nil),
      ("https://www.google.com/amp/s/a.com/x", "a.com"),
      ("https://www.google.com/aclk?sa=l&adurl=https://a.test/", "a.test"),
      ("https://www.googleadservices.com/pagead/aclk?adurl=https://a.test/", "a.test"),
      ("https://adclick.g.doubleclick.net/pcs/click?x&adurl=https://a.test/", "a.test"),
      ("https://www.bing.com/ck/a?!&&p=x&u=a1aHR0cHM6Ly9hLnRlc3Qv&ntb=1", "a.test"),
      ("https://www.bing.com/ck/a?u=aHR0cHM6Ly9hLnRlc3Qv", nil),
      ("https://duckduckgo.com/l/?uddg=https%3A%2F%2Fa.test", "a.test"),
      ("https://r.search.yahoo.com/_ylt=x/RU=https%3a%2f%2fa.test%2f/RK=2/RS=y", "a.test"),
      ("https://l.facebook.com/l.php?u=http://a.test", "a.test"),
      ("https://www.facebook.com/l.php?u=http://a.test", "a.test"),
      ("https://www.facebook.com/x/l.php?u=http://a.test", nil),
      ("https://www.google.co.ke/url?q=http://a.test/", "a.test"),
      ("https://www.google.lt/url?q=http://a.test/", "a.test"),
      ("https://www.google.com/local_url?q=http://a.test/", "a.test"),
      ("https://google.evil.ke/url?q=http://a.test/", nil),
      ("https://www.google.net.ke/url?q=http://a.test/", nil),
      ("https://lm.facebook.com/l.php?u=http://a.test", "a.test"),
      ("https://out.reddit.com/t3_x?url=http://a.test", "a.test"),
      ("https://deref-gmx.net/mail/client/x/dereferrer/?redirectUrl=http://a.test", "a.test"),
      ("https://protect2.fireeye.com/v1/url?k=x&u=http://a.test", "a.test"),
      ("https://scanmail.trustwave.com/?c=1&u=http%3a%2f%2fa.test", "a.test"),
      ("https://eu-west-1.protection.sophos.com?d=b.test&u=aHR0cHM6Ly9hLnRlc3Qv", "a.test"),
      ("https://secure-web.cisco.com/1abc/https%3A%2F%2Fa.test%2Fb", "a.test"),
      ("https://x.r.us-east-1.awstrack.me/L0/https:%2F%2Fa.test%2Fb/1/x", "a.test"),
      ("https://click.pstmrk.it/3s/a.com%2Fb/x/y", "a.com"),
      (
        "https://statics.teams.cdn.office.net/evergreen-assets/safelinks/1/atp-safelinks.html?url=http://a.test",
        "a.test"
      ),
      (
        "https://www.linkedin.com/safety/go?url=https://www.google.com/url?q=http://a.test",
        "a.test"
      ),
      ("https://www.linkedin.com/redir/../x?url=http://a.test", nil),
      ("https://www.linkedin.com/redir/%2e%2e/x?url=http://a.test", nil),
      ("https://www.linkedin.com/redir/.%2E/x?url=http://a.test", nil),
      ("https://www.linkedin.com/redir/%2E./x?url=http://a.test", nil),
      ("https://www.linkedin.com/redir/..;x/x?url=http://a.test", nil),
      ("https://www.linkedin.com/redir/%2e/x?url=http://a.test", nil),
      ("https://www.linkedin.com/redir/a..b?url=http://a.test/../b", "a.test"),
      ("https://vk.com/away.php?to=http://a.test&to=http://b.test", nil),
      ("https://vk.com/away.php?to=http://a.test&t%6f=http://b.test", nil),
      ("https://vk.com/away.php?to=http://a.test&TO=http://b.test", nil),
      ("https://vk.com/away.php?to=http://a.test&+to[]=http://b.test", nil),
      ("https://vk.com/away.php?to=http://a.test/;to=http://b.test", nil),
      ("https://vk.com/away.php?x&amp;to=http://a.test", nil),
      ("https://vk.com/away.php?to=http://a.test&to=http%3A//a.test", "a.test"),
      ("https://vk.com/away.php?to=http://a.test/x;y=1&utf=1", "a.test"),
      ("https://steamcommunity.com/linkfilter/?u=http://a.test&url=http://b.test", nil),
      ("https://steamcommunity.com/linkfilter/?url=http://a.test", "a.test"),
      ("https://www.bing.com/ck/a?u=a1aHR0cHM6Ly9hLnRlc3Qv&u=a1aHR0cHM6Ly9iLnRlc3Qv", nil),
      ("https://www.google.com/url?q=words&url=http://a.test", nil),
      ("https://www.google.com/url?q=&url=http://a.test", "a.test"),
      ("https://www.google.com/amp/s/b.test:443/a.com/", nil),
      ("https://www.google.com/amp/s//a.com/", nil),
      ("https://www.google.com/amp/s/b.test%2Fx/a.com/", nil),
      ("https://www.google.com/amp/s/www.google.com/url?q=http://a.test", "a.test"),
      ("https://click.pstmrk.it/3s/b.test%3A443/a.com%2Fb/x", nil),
      ("https://click.pstmrk.it/x/b.test:1/a.com%2Fb/x", nil),
      ("https://x.r.us-east-1.awstrack.me/L0/b.test:1/https:%2F%2Fa.test/x", nil),
      ("https://secure-web.cisco.com/1a/b/https%3A%2F%2Fa.test", nil),
      ("https://r.search.yahoo.com/x/RU=http%3a%2f%2fa.test/%52U=http%3a%2f%2fb.test/", nil),
      ("https://urldefense.com/v3/__https://b.test*.a.com/__;Lw!!x", nil),
      ("https://urldefense.proofpoint.com/x?u=http://a.test", nil),
      ("https://www.linkedin.com/safety/go?url=javascript:x", nil),
    ] as [(String, String?)]) func `a service's link leads where it sends on`(
      address: String, host: String?
    ) throws
  {
    #expect(Redirect.target(of: try #require(WebAddress(address)))?.host == host)
  }

  @Test(arguments: [
    ("bank.com", true), ("bank.com!", true), ("🔒 bank.com ›", true),
    ("https://bank.test now", true),
    ("Log in at www.bank.com", true), ("https :// bank.com:443 /", true),
    ("Log in at bank.com", false), ("Mail.app", false), ("ASP.NET", false), ("java.io", false),
    ("System.IO", false), ("Makefile.am", false), ("ann@bank.com", false), ("asp.net.com", true),
    ("bank.com login", false), ("README.md", false), ("setup.py", false), ("main.rs", false),
    ("user.name", false), ("Shop.Now", false), ("mbank.pl/logowanie", false),
    ("Log in at mbank.pl", false), ("https://mbank.pl", true), ("www.mbank.pl", true),
    ("News.com: the week, see https://a.test/", true),
  ]) func `a host's name among other words marks a link and is no warning`(
    words: String, isWarning: Bool
  ) {
    let page = safePage("<a href=http://evil.test/>\(words)</a>")
    #expect(page.misleadingLinks.count == (isWarning ? 1 : 0))
    #expect(String(decoding: page.html, as: UTF8.self).contains("title=\"evil.test\""))
  }

  @Test func `a page marks such a link with where it leads`() {
    let page = safePage("<a href=http://evil.test/>www.<b>bank.com</b></a>")
    #expect(
      String(decoding: page.html, as: UTF8.self)
        == "<a href=\"http://evil.test/\" rel=\"noopener noreferrer nofollow\" class=\"mirror-elsewhere\" "
        + "title=\"evil.test\">www.<b>bank.com</b></a><small class=\"mirror-leads\">→ evil.test</small>"
    )
    #expect(page.misleadingLinks.map(\.label) == ["www.bank.com"])
  }

  /// Page and text tell of the same links, whatever their words stand in.
  @Test(arguments: [
    "www.<b>bank</b>.com", "ba&shy;nk.com", "bank&#x200B;.com", "ｂａｎｋ.com",
    "<bdo dir=rtl>moc.knab</bdo>",
    "&#x202E;moc.knab", "www.&#x202E;knab&#x202C;.com", "ba<mark>nk</mark>.com",
    "ba<ins>nk</ins>.com",
    "bank<span style='font-size:0'>x</span>.com", "bank<u style='display:none'>x</u>.com",
    "<div>bank.com</div>",
    "<img src=cid:x alt=bank.com>", "ba<o:p>nk</o:p>.com", "ba<sup>nk</sup>.com", "bank<wbr>.com",
    "com&rlm;.&rlm;bank&rlm;.com", "bank<i style='font-size:3px'> </i>.com", "bank&#8202;.com",
    "<table><tr><td>bank<td>.com</table>", "bank<i style='font-size:4px'>x</i>.com",
    "bank<rp>x</rp>.com",
    "bank<i style='color:canvas'>x</i>.com", "ba<i style='float:left'>nk</i>.com",
    "bank.com<sub>!</sub>",
  ]) func `a link that shows another host by whatever letters is marked on page and in text`(
    words: String
  ) {
    let html = "<div>see <a href=http://evil.test/>\(words)</a></div>"
    let page = safePage(html)
    #expect(
      String(decoding: page.html, as: UTF8.self).contains(
        "class=\"mirror-elsewhere\" title=\"evil.test\""))
    #expect(page.misleadingLinks.map(\.real) == ["evil.test"])
    #expect(
      safe(String(decoding: page.html, as: UTF8.self)) == String(decoding: page.html, as: UTF8.self)
    )
    let text = Array(html.utf8).withUnsafeBytes { PageText.read($0) }
    #expect(text.links.map(\.misleadsTo) == ["evil.test"])
    #expect(String(decoding: text.text, as: UTF8.self).contains("[1 leads to evil.test]"))
  }

  @Test(arguments: [
    "ba<br>nk.com", "ba<div>nk.com</div>", "ba<b style='display:block'>nk.com</b>",
    "<img src=cid:x alt=ba>nk.com", "ba<p style='display:inline'>nk.com</p>",
    "ba<li style='display:inline'>nk.com</li>",
  ]) func `words on lines of their own are no name together`(words: String) {
    #expect(
      safePage("<a href=http://evil.test/>b<i>\(words)</i></a>").misleadingLinks.map(\.shown) != [
        "bank.com"
      ])
  }

  @Test(arguments: [
    ("<a href=http://evil.test/>bank</a><a href=http://evil.test/>.com</a>", 2),
    ("www.bank<b><a href=http://evil.test/>.com</a></b>", 1),
    ("<i>www.</i><!-- x --><i><a href=http://evil.test/>bank</a></i><s hidden>x</s>.com", 1),
    ("<a href=http://evil.test/>bank</a><script>x</script><u>.<b>com</b></u>/login", 1),
    ("www.<br><a href=http://evil.test/>bank</a> .com", 0),
    ("Done.<a href=http://evil.test/>It</a>", 0),
    ("<p>www.</p><a href=http://evil.test/>bank</a><div>.com</div>", 0),
    ("bank.com|<a href=http://evil.test/>here</a>, bank.com", 0),
    ("<table><td>www.bank<td><a href=http://evil.test/>here</a>.", 0),
    ("me@<a href=http://b.test/>b.test</a>", 0),
    ("www.<a href=http://bank.com/>bank</a>.com", 0), ("<a href=http://evil.test/>here</a>.com", 1),
  ]) func `a link is read with the letters beside it`(html: String, marks: Int) {
    let page = String(decoding: safePage("<div>" + html).html, as: UTF8.self)
    #expect(page.ranges(of: "title=\"").count == marks)
    #expect(safe(page) == page)
  }

  private static let pixel =
    "<img src='data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7' alt=x>"

  /// What is hidden parts nothing, nor does what stands among words though it has lines of its own elsewhere.
  @Test(
    arguments: [
      "<br hidden>", "<br style='display:none'>", "<hr hidden>", "<div hidden>x</div>",
      "<ul hidden><li>x</ul>", "<p style='display:none'></p>", "<i style='font-size:0'> </i>",
      "<i style='font-size:0'><b style='font-size:1px'> x </b></i>", pixel,
    ].map { ("{}" + $0, "") }
      + [
        ("<div style='display:inline'>{}</div>", ""), ("<h1 style='display:inline'>{}</h1>", ""),
        ("<center style='display:inline-block'>{}</center>", ""),
        ("<section style='float:left'>{}</section>", ""),
        ("<ul style='display:inline'><li style='display:inline'>{}</li></ul>", ""),
        ("<table align=left><td>{}</table>", ""),
        ("<table style='display:inline'> <tr> <td>{}</td> </tr> </table>", ""),
        ("<p style='font-size:0'><i style='font-size:16px'>{}</i> ", ""),
        ("<p style='font-size:0'><i style='font-size:1em'>{} ", ""),
        ("<p style='font-size:0'><i style='font-size:999px'>{} ", ""),
      ])
  func `a host in two links is one where nothing is seen between them`(
    before: String, after: String
  ) {
    let first = "<a href=http://evil.test/ style='font-size:16px'>bank.</a>"
    let second = "<a href=http://evil.test/ style='font-size:16px'>com</a>"
    let page = String(
      decoding: safePage(before.replacing("{}", with: first) + second + after).html, as: UTF8.self)
    #expect(page.ranges(of: "title=\"evil.test\"").count == 2)
    #expect(safe(page) == page)
  }

  @Test(arguments: [
    "<br>", "<hr>", "<div>x</div>", " ", "<i style='font-size:9px'> </i>", "<p></p>",
    "<div style='display:block'></div>",
  ]) func `and is none where something is`(between: String) {
    let first = "<a href=http://evil.test/>bank.</a>"
    #expect(
      !safe("<div>\(first)\(between)<a href=http://evil.test/>com</a>").contains("mirror-leads"))
    #expect(
      !safe("<table><td>\(first)<td><a href=http://evil.test/>com</a></table>").contains(
        "mirror-leads"))
  }

  @Test func `the words of a picture that is shown are none of a link's`() {
    for label in ["bank.\(Self.pixel)com", "www.bank\(Self.pixel).com", "ba\(Self.pixel)nk.com"] {
      let page = safe("<a href=http://evil.test/>\(label)</a>")
      #expect(page.contains("mirror-leads\">→ evil.test<"))
    }
    let page = safe("www.<a href=http://evil.test/>\(Self.pixel)bank</a>.com")
    #expect(page.contains("mirror-leads"))
    #expect(!safe("<a href=http://evil.test/>bank \(Self.pixel) com</a>").contains("mirror-leads"))
  }

  /// A mail's own would name any host.
  @Test func `a mark of ours in a mail is left out`() {
    let mark = "<small class=mirror-leads>→ bank.com</small>"
    #expect(safe("<p>a\(mark)b</p><small>c</small>") == "<p>ab</p><small>c</small>")
    let page = safe(
      "<a href=http://evil.test/>ba\(mark)nk.com</a>\(mark)<a href=http://b.test/>b.test</a>")
    #expect(page.ranges(of: "mirror-leads\">→ evil.test<").count == 1)
    #expect(page.ranges(of: "mirror-leads").count == 1)
    #expect(safe(page) == page)
    let text = Array("<p>ba\(mark)nk.com</p>".utf8).withUnsafeBytes { PageText.read($0) }
    #expect(String(decoding: text.text, as: UTF8.self) == "bank.com")
  }

  @Test(arguments: [
    "&nbsp;&nbsp; &nbsp;", "<i>&nbsp;</i><i> </i>&#x200B;", "\n \n", "&#x3164;&#x2800;&#xFEFF;",
  ]) func `the words of a marked link are close to the mark`(blanks: String) {
    let many = String(repeating: blanks, count: 100)
    for label in ["bank.com" + many, many + "bank.com", "bank.com" + many + "now"] {
      let page = safe("<a href=http://evil.test/>\(label)</a>")
      let words = page.replacing("<i>", with: "").replacing("</i>", with: "")
      let start = words.firstRange(of: "title=\"evil.test\">")
      let end = words.firstRange(of: "</a>")
      let inside = words[
        (start?.upperBound ?? words.startIndex)..<(end?.lowerBound ?? words.endIndex)]
      #expect(inside.unicodeScalars.count <= "bank.com now".count)
      #expect(safe(page) == page)
    }
    #expect(safe("<a href=http://a.test/>x\(many)y</a>").utf8.count > 300)
  }

  @Test func `a long link has its mark on both sides`() {
    let page = safe(
      "<a href=http://evil.test/>bank.com \(String(repeating: "word ", count: 50))</a>")
    #expect(page.hasPrefix("<small class=\"mirror-leads\">→ evil.test</small><a "))
    #expect(page.hasSuffix("</a><small class=\"mirror-leads\">→ evil.test</small>"))
    #expect(safe(page) == page)
  }

  /// Neither blanks nor tags switch the judgement off; what is too much to read is marked.
  @Test(arguments: [
    (String(repeating: " ", count: 17_000) + "https://www.bank.com", true),
    (String(repeating: "&nbsp;", count: 9000) + "https://www.bank.com", true),
    (String(repeating: "<i> </i>", count: 17_000) + "https://www.bank.com", true),
    (String(repeating: "<span>", count: 70) + "https://www.bank.com", true),
    (String(repeating: "<span>", count: 200) + "https://www.bank.com", true),
    (String(repeating: "&#8203;", count: 7000) + "https://www.bank.com", false),
    (String(repeating: "a", count: 17_000) + " https://www.bank.com", false),
    (String(repeating: "<i>&#8203;</i>", count: 17_000) + "https://www.bank.com", false),
  ]) func `no padding keeps a link from its mark`(label: String, isTold: Bool) {
    let page = safePage("<a href=http://evil.test/>\(label)</a>")
    let html = String(decoding: page.html, as: UTF8.self)
    #expect(html.hasSuffix("</a><small class=\"mirror-leads\">→ evil.test</small>"))
    #expect(page.misleadingLinks.count == (isTold ? 1 : 0))
    #expect(safe(html) == html)
  }

  @Test func `nor do empty elements between it and the letters beside it`() {
    let empty = String(repeating: "<i></i>", count: 70)
    let page = safe("<p>www.bank\(empty)<a href=http://evil.test/>.com</a></p>")
    #expect(page.contains("mirror-leads\">→ evil.test<"))
    #expect(
      !safe("<p>www.\(empty) <a href=http://evil.test/>here</a></p>").contains("mirror-leads"))
  }

  @Test func `many words do not hide a host, nor letters that cannot be seen`() {
    let words = String(repeating: "a ", count: 31)
    let tiny = "<i style='font-size:3px'>" + String(repeating: "a", count: 20_000) + "</i>"
    for label in [
      words + "www.bank.com", tiny + "bank.com", words + words + words + "https://bank.com",
    ] {
      #expect(safePage("<a href=http://evil.test/>\(label)</a>").misleadingLinks.count == 1)
    }
  }

  @Test(arguments: [
    ("https://ann@evil.test/", "evil.test"), ("https://xn--pypal-4ve.com/", "xn--pypal-4ve.com"),
    ("https://аррӏе.com/", "xn--80ak6aa92e.com"),
    ("https://pаypal.com/", "xn--pypal-4ve.com"),
  ]) func `an address that nobody reads right carries a mark, and is no other host's`(
    address: String, host: String
  ) {
    let page = safePage("<a href='\(address)'>Click here</a>")
    #expect(
      String(decoding: page.html, as: UTF8.self).contains(
        "class=\"mirror-elsewhere\" title=\"\(host)\""))
    #expect(page.misleadingLinks.isEmpty)
    let text = Array("<a href='\(address)'>Click here</a>".utf8).withUnsafeBytes {
      PageText.read($0)
    }
    #expect(String(decoding: text.text, as: UTF8.self) == "Click here [1 leads to \(host)]")
  }

  /// As the URL Standard has them; `nil` where browsers go nowhere.
  @Test(
    arguments: [
      ("HTTPS://A.Example:443/b?c#d", "https://a.example/b?c#d"),
      ("http://a.test:8080", "http://a.test:8080"),
      ("http:\\\\a.test\\b\\c?d\\e", "http://a.test/b/c?d\\e"),
      ("http://a.test\\@b.test/", "http://a.test/@b.test/"),
      ("http:a.test", "http://a.test"), ("http:////a.test/", "http://a.test/"),
      ("//a.test/x", "https://a.test/x"),
      ("http://a@b@c.test/", "http://a%40b@c.test/"), ("http://%65vil.test/", "http://evil.test/"),
      ("http://bücher.test/ü", "http://xn--bcher-kva.test/%C3%BC"),
      ("http://ＡＢＣ。test/", "http://abc.test/"),
      ("http://a\u{AD}b.test/", "http://ab.test/"), ("http://2130706433/", "http://127.0.0.1/"),
      ("http://0x7f.0.0.01/", "http://127.0.0.1/"), ("http://[::1]:80/", "http://[::1]/"),
      ("http://a.test/b c\"<>`", "http://a.test/b%20c%22%3C%3E%60"),
      ("ht\ntps://a.te\tst/", "https://a.test/"),
      ("http://a b.test/", nil), ("http://a%2fb.test/", nil), ("http://a.test:99999/", nil),
      ("http://1.2.3.256/", nil),
      ("http://", nil), ("http://@/", nil), ("http://a.test:b/", nil), ("javascript:alert(1)", nil),
      ("http://...", nil),
      ("mailto:a@b.test?subject=x y", "mailto:a@b.test?subject=x%20y"),
    ] as [(String, String?)])
  func `an address is read as browsers read it, and written so that all do`(
    address: String, text: String?
  ) {
    #expect(WebAddress(address)?.text == text)
    if let text { #expect(WebAddress(text)?.text == text) }
  }

  @Test(
    arguments: [
      ("/x", "http://a.test:81/x"), ("y?z", "http://a.test:81/b/y?z"),
      ("../y", "http://a.test:81/y"), ("?q", "http://a.test:81/b/c?q"),
      ("//o.test/", "http://o.test/"), ("\\\\o.test/", "http://o.test/"),
      ("https://o.test/", "https://o.test/"), ("javascript:x", nil),
      ("x:y", nil), ("./d/./e", "http://a.test:81/b/d/e"),
    ] as [(String, String?)]) func `what leads on is read by the page it stands on`(
      reference: String, text: String?
    ) throws
  {
    let page = try #require(WebAddress("http://a.test:81/b/c?d"))
    #expect(WebAddress(reference, on: page)?.text == text)
  }

  @Test(arguments: [
    ("xn--bcher-kva.example", "bücher.example"), ("xn--80ak6aa92e.com", "аррӏе.com"),
    ("plain.example", "plain.example"),
  ])
  func `an international name has two forms`(ascii: String, unicode: String) {
    #expect(HostName(ascii).unicode == unicode)
    #expect(HostName(unicode).ascii == ascii)
  }

  @Test(arguments: [
    ("mail.example.co.uk", "example.co.uk"), ("a.b.example.com", "example.com"),
    ("example.org", "example.org"),
    ("x.github.io", "x.github.io"), ("a.x.github.io", "x.github.io"),
    ("a.b.s3.amazonaws.com", "b.s3.amazonaws.com"), ("login.windows.net", "login.windows.net"),
    ("a.evil.z13.web.core.windows.net", "z13.web.core.windows.net"), ("192.0.2.1", "192.0.2.1"),
    ("localhost", "localhost"),
  ]) func `hosts belong to organisations`(host: String, domain: String) {
    #expect(Organisation.domain(of: host) == domain)
  }
}
