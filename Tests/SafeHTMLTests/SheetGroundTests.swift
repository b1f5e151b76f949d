import Testing

@testable import SafeHTML

/// Text is hidden for its colour only where the ground below it is known.
struct SheetGroundTests {
  private static let white = "<span style='color:#fff'>words of mail</span>"

  private static func isShown(_ sheet: String, _ body: String) -> Bool {
    let html = "<html><head><style>\(sheet)</style></head><body>seen \(body)"
    let page = safePage(html)
    let left = String(decoding: page.html, as: UTF8.self)
    let text = Array(html.utf8).withUnsafeBytes { PageText.read($0) }
    let isShown = left.contains("words of mail")
    #expect(String(decoding: text.text, as: UTF8.self).contains("words of mail") == isShown)
    #expect((page.hiddenWords == 0) == isShown && (text.hiddenWords == 0) == isShown)
    #expect(safe(left) == left)
    return isShown
  }

  @Test(arguments: [
    (".b{background:#039}", "<p class=b>"), (".b{background-color:navy}", "<p class='a B c'>"),
    ("#b{background:#039}", "<p id=b>"), ("td{background:#222}", "<table><td>"),
    ("table td.b{background:#222}", "<table><td class=b>"),
    ("body{background:#111}", ""), ("html{background:#111}", ""),
    ("*{background:#111}", "<p>"), ("[bgcolor]{background:#111}", "<p>"),
    (".b{background:url(x.png)}", "<p class=b>"),
    (".b{background:linear-gradient(red,blue)}", "<p class=b>"),
    (".b{background-image:url(x)}", "<p class=b>"), (".b{background:var(--x)}", "<p class=b>"),
    ("@media screen{.b{background:#039}}", "<p class=b>"),
    ("@media print{p{color:red}} .b{background:#039}", "<p class=b>"),
    ("/* } */ a{color:red} <!-- .b{background:#039} -->", "<p class=b>"),
    (".a,.b > i,.b{color:red;background:#039 !important}", "<p class=b>"),
    (".b{background:#fff} .b{background:#039}", "<p class=b>"),
    ("@import url(x); .b{background:#039}", "<p class=b>"),
    (".b:first-child{background:#039}", "<p class=b>"),
    (".b{background:#039}", "<div class=b style='color:#fff'><p style='color:inherit'>"),
    (".b{background:#039}", "<div style='color:#fff'><p class=b>"),
    (".b{background:#039}", "<p class=b><font color=white>"),
    ("", "<p style='background:oklch(40% .1 240)'>"), ("", "<p style='background:var(--x,#039)'>"),
    ("", "<p style='background-color:color-mix(in srgb,red,blue)'>"),
  ]) func `on a ground that a style sheet or an unknown function sets it is shown`(
    sheet: String, opening: String
  ) {
    #expect(Self.isShown(sheet, opening + Self.white))
  }

  @Test(arguments: [
    ("", "<p class=b>"), (".c{background:#039}", "<p class=b>"), (".b{color:#039}", "<p class=b>"),
    (".b{background:#fff}", "<p class=b>"), (".b{background:none}", "<p class=b>"),
    (".b{background-size:cover}", "<p class=b>"), (".b{background:transparent}", "<p class=b>"),
    ("@media (prefers-color-scheme:dark){.b{background:#111}}", "<p class=b>"),
    ("@media print{.b{background:#111}}", "<p class=b>"),
    ("[data-ogsc] .b{background:#111}", "<p class=b>"),
    (".b:hover{background:#111}", "<p class=b>"),
    ("@keyframes x{from{background:#111}} @font-face{background:#111}", "<p class=b>"),
    (".b{background:#039}", "<p class=b><i style='background:#fff'>"),
    (".b{background:#039}", "<p class=b style='display:none'>"),
    (".b{background:#039}", "<p class=b style='opacity:0'>"),
    (".b p{background:#039}", "<i class=b>"),
    ("td{background:#222}", "<p>"),
  ]) func `on one that is known, or that nothing sets, it is not`(sheet: String, opening: String) {
    #expect(!Self.isShown(sheet, opening + Self.white))
  }

  @Test(arguments: [
    (".b{background:#039}", "<p class=b>", "color:#fff;color:#000000;"),
    // The ground that is written is dark.
    (
      ".b{background:#ff0}", "<div style='background:#000'><p class=b>", "color:#111;color:#ffffff;"
    ),
    // What can be read stays as it is.
    (".b{background:#039}", "<p class=b>", "color:#c00;"),
    (".b{background:#fefefe}", "<p class=b>", "color:#eee;"),
    (".b{background:#039}", "<p class=b>", "color:#ddd;color:#000000;"),
  ]) func `it is written in a colour that can be read`(
    sheet: String, opening: String, style: String
  ) {
    let colour = style.prefix { $0 != ";" }
    let left = safe("<style>\(sheet)</style>\(opening)<i style='\(colour)'>x</i>")
    #expect(left.contains("<i style=\"\(style)\">x</i>"))
  }

  /// Text that a sheet gives its colour, on a ground that the mail gives it, would be black on black.
  @Test(arguments: [
    (".h{color:#fff}", "<table><td bgcolor=#000000><p class=h>{}", "#ffffff"),
    ("body{color:#fff}", "<body style='background:#000'><p>{}", "#ffffff"),
    ("td{color:#eee}", "<table style='background-color:#000'><td>{}", "#eeeeee"),
    ("*{color:#fff}", "<p style='background:#111'>{}", "#ffffff"),
    (".w{color:#fff}", "<div class=w><p style='background:#000'>{}", "#ffffff"),
    (
      ".t{color:#fff!important}", "<table bgcolor=#000000><td style='color:#000' class=t>{}",
      "#ffffff"
    ),
    (".t{color:#fff}", "<p style='background:#000'><font class=t color=#000000>{}", "#ffffff"),
    (".a{color:#fff} .b{color:#eee}", "<p style='background:#000' class='a b'>{}", "#ffffff"),
    (".a{color:var(--x)}", "<p style='background:#000' class=a>{}", "#ffffff"),
    ("p{color:#333} .a{color:#fff}", "<p style='background:#000' class=a>{}", "#ffffff"),
    (".t{color:#fff}", "<p style='background:#0b57d0' class=t>{}", "#ffffff"),
    (
      ".btn{color:#fff}", "<table><td bgcolor=#0b57d0><a class=btn href=http://a.test/>{}",
      "#ffffff"
    ),
    ("a{color:#fff}", "<a style='background:#1a73e8' href=http://a.test/>{}", "#ffffff"),
    ("a:link{color:#ff0}", "<table bgcolor=#003399><td><a href=http://a.test/>{}", "#ffff00"),
    ("", "<body link=#ffff00 bgcolor=#003399><a href=http://a.test/>{}", "#ffff00"),
    ("@media screen{.h{color:#fff}}", "<p style='background:#000' class=h>{}", "#ffffff"),
  ]) func `text of a sheet's colour can be read on the mail's ground`(
    sheet: String, body: String, colour: String
  ) {
    let body = body.replacing("{}", with: "words of mail")
    #expect(Self.isShown(sheet, body))
    #expect(safe("<style>\(sheet)</style>\(body)").contains("color:\(colour);\">"))
  }

  @Test(arguments: [
    // As in a browser, it is not to be seen.
    (".h{color:#000}", "<p style='background:#000' class=h>{}", false),
    (".h{color:#fff}", "<p style='background:#000;color:#000' class=h>{}", false),
    (".h{color:#fff}", "<p style='background:#000' class=i>{}", false),
    (".h:hover{color:#fff}", "<p style='background:#000' class=h>{}", false),
    ("@media print{.h{color:#fff}}", "<p style='background:#000' class=h>{}", false),
    (
      "@media (prefers-color-scheme:dark){.h{color:#fff}}", "<p style='background:#000' class=h>{}",
      false
    ),
    // It can be read.
    (".h{color:#333}", "<p style='background:#eee' class=h>{}", true),
    (".h{color:#fff}", "<p class=h>{}", true),
    (".h{color:#fff}", "<p style='background:#000;color:#ddd' class=h>{}", true),
    (".h{color:#fff}", "<i class=h><p style='background:#000;color:#888'>{}", true),
    (".h{color:#fff}", "<i class=h><p style='background:#000;color:#000'>{}", false),
    ("a{color:#fff}", "<p style='background:#eee'><a href=http://a.test/>{}", true),
    ("", "<body link=#fff><a href=http://a.test/>{}", true),
  ]) func `and what the mail says of its colours stays`(sheet: String, body: String, isSeen: Bool) {
    let body = body.replacing("{}", with: "words of mail")
    #expect(Self.isShown(sheet, body) == isSeen)
    let left = safe("<style>\(sheet)</style>\(body)")
    #expect(left == safe(body))
  }

  @Test func `a link on such a ground has a link's colour`() {
    let left = safe(
      "<style>.b{background:#039}</style><a class=b href=http://a.example/ style='color:#fff'>Go</a>"
    )
    #expect(left.contains("style=\"color:#fff;color:#0b57c4;\">Go</a>"))
    let page = safePage(
      "<style>.b{background:#039}</style><a class=b href=http://evil.test/ style='color:#fff'>bank.com</a>"
    )
    #expect(page.misleadingLinks.count == 1)
  }

  @Test func `sheets that cannot be read through are no harm`() {
    for sheet in [
      "{", "}", "background", ".{background:red", "@media{", "background{}}}}{background:red}",
      ".b{background:red;}}}", "/*", "<!--", ".b{{{{background:red", ",,,{background:red}",
      ">{background:red}", "[{background:red}", ":{background:#0",
    ] {
      #expect(safe("<style>\(sheet)</style><p class=b>x").contains("x"))
    }
  }

  /// A colour by a function, or one of two that a sheet gives, is not known: the text is given one that can be read.
  @Test(arguments: [
    "<table><td bgcolor=#000000><p style='color:var(--c,#fff)'>due</p></table>",
    "<table><td bgcolor=#000000><p style='color:light-dark(#fff,#eee)'>due</p></table>",
    "<style>p{color:#333}.hero p{color:#fff}</style><table><td bgcolor=#343a40><p>due</p></table>",
    "<style>a{color:#1155cc}.btn a{color:#fff}</style>"
      + "<table><td bgcolor=#1a73e8><a href=http://a.example>due</a></table>",
    "<style>a{color:inherit}</style>"
      + "<table><td bgcolor=#0b57c4 style='color:#fff'><a href=http://a.example>due</a></table>",
  ]) func `text of a colour that is not known can be read`(html: String) {
    let page = safe(html)
    #expect(page.contains("color:#ffffff") && page.contains("due"), "\(page)")
    #expect(safe(page) == page)
  }

  @Test func `a rule for links that Apple's programs make leaves a button as it is`() {
    let page = safe(
      "<style>a[x-apple-data-detectors]{color:inherit !important}</style><table>"
        + "<td bgcolor=#ff6600><a href=http://a.example style='color:#fff'>Buy</a></table>")
    #expect(page.contains("style=\"color:#fff;\">Buy"), "\(page)")
  }
}
