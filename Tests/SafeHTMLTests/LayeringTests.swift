import Testing

@testable import SafeHTML

/// No box of a mail's page lies over what another holds: a link without words would be clicked for the text below it.
struct LayeringTests {
  @Test(arguments: [
    ("<div style='height:0'>x</div>", "<div style=\"min-height:0;\">x</div>"),
    ("<div style='height:9px'>&nbsp;</div>", "<div style=\"height:9px;\">\u{A0}</div>"),
    ("<div style='min-height:9px'>x</div>", "<div style=\"min-height:9px;\">x</div>"),
    (
      "<table style='display:block;height:9px'><tr style='display:inline-block'><td style='height:9px;display:block'>x",
      "<table style=\"height:9px;\"><tbody><tr><td style=\"height:9px;\">x</td></tr></tbody></table>"
    ),
    (
      "<table style='display:inline-block;table-layout:fixed'><td>x",
      "<table style=\"display:inline-table;\"><tbody><tr><td>x</td></tr></tbody></table>"
    ),
    ("<p style='line-height:0'>x", "<p style=\"line-height:1.2;\">x</p>"),
    (
      "<p style='line-height:20px;font-size:14px'>x",
      "<p style=\"font-size:14px;line-height:1.43;\">x</p>"
    ),
    ("<p style='line-height:150%'>x", "<p style=\"line-height:1.5;\">x</p>"),
    ("<p style='line-height:1.25em'>x", "<p style=\"line-height:1.25;\">x</p>"),
    ("<p style='line-height:normal'>x", "<p style=\"line-height:normal;\">x</p>"),
    ("<p style='line-height:400px'>x", "<p style=\"line-height:4;\">x</p>"),
    (
      "<div style='font-size:3px;line-height:3px'><b style='font-size:40px'>x</b></div>",
      "<div style=\"font-size:3px;\"><b style=\"font-size:40px;\">x</b></div>"
    ),
    ("<p style='line-height:1px'>&nbsp;</p>", "<p style=\"line-height:1px;\">\u{A0}</p>"),
    ("<p style='line-height:-1'>x", "<p>x</p>"),
    (
      "<span style='padding:40px 0'>x</span>",
      "<span style=\"padding:40px 0;display:inline-block;\">x</span>"
    ),
    (
      "<b style='border-top:30px solid #fff'>x</b>",
      "<b style=\"border-top:30px solid #fff;display:inline-block;\">x</b>"
    ),
    (
      "<p style='display:inline;padding-bottom:1em'>x",
      "<p style=\"display:inline;padding-bottom:1em;display:inline-block;\">x</p>"
    ),
    (
      "<i style='padding:2px 90px 4px;border-radius:9px'>x</i>",
      "<i style=\"padding:2px 90px 4px;border-radius:9px;\">x</i>"
    ),
    ("<p style='padding:40px'>x", "<p style=\"padding:40px;\">x</p>"),
    ("<p style='text-decoration:line-through 40px #fff'>x", "<p>x</p>"),
    (
      "<p style='text-decoration:underline #00f'>x",
      "<p style=\"text-decoration:underline #00f;\">x</p>"
    ),
    ("<p style='min-width:0;width:3px'>x", "<p style=\"width:3px;\">x</p>"),
    ("<p style='min-width:90px'>x", "<p style=\"min-width:90px;\">x</p>"),
    (
      "<img src='data:image/gif;base64,1' style='height:2px;min-height:3px'>",
      "<img src=\"data:image/gif;base64,1\" alt=\"\" style=\"height:2px;min-height:3px;\">"
    ),
  ]) func `no box is smaller than what it holds`(page: String, left: String) {
    #expect(safe(page) == left)
    #expect(safe(left) == left)
  }

  @Test(arguments: [
    ("padding:5px 700px", ""), ("padding:12px 40px", "padding:12px 40px;"), ("margin:0 90px", ""),
    ("width:700px", ""), ("width:200px", "width:200px;"), ("width:100%", "width:100%;"),
    ("padding-left:9em", ""),
  ]) func `in a link what is read is close to its ends`(style: String, left: String) {
    let attribute = left.isEmpty ? "" : " style=\"\(left)\""
    let within = left.hasPrefix("padding") ? " style=\"\(left)display:block;\"" : attribute
    let own = left.hasPrefix("padding") ? " style=\"\(left)display:inline-block;\"" : attribute
    let page = safe("<a href=http://a.example/ style='\(style)'>x<i style='\(style)'>y</i></a>")
    #expect(
      page
        == "<a href=\"http://a.example/\" rel=\"noopener noreferrer nofollow\"\(own)>x<i\(within)>y</i></a>"
    )
    #expect(safe(page) == page)
  }

  /// In each the cell of two columns reaches into the place of the one that has several rows.
  @Test(arguments: [
    "<tr><td>a<td rowspan=2>b<tr><td colspan=2>c", "<tr><td>a<td rowspan=0>b<tr><td colspan=2>c",
    "<tr><td>a<td rowspan=3>b<tr><td>c<tr><td colspan=2>d",
    "<tr><td>a<td rowspan=2>b<tr><td hidden>x<td colspan=2>c",
    "<tr><td>a<td rowspan=2>b<tr hidden><td>x<tr><td colspan=2>c",
    "<thead><tr><td>a</thead><tr><td>a<td rowspan=2>b<tr><td colspan=999>c",
  ]) func `cells do not lie over one another`(rows: String) {
    let page = safe("<table>\(rows)</table>")
    #expect(!page.contains("rowspan") && page.contains("colspan"))
    #expect(safe(page) == page)
  }

  /// Only the cell that another reaches into loses its rows; how the others lie follows from that.
  @Test(arguments: [
    ("<tr><td rowspan=3>a<td>b<tr><td>c<tr><td>d<tr><td>e<td rowspan=2>f<tr><td colspan=2>g", "a"),
    ("<tr><td>e<td rowspan=2>f<tr><td colspan=2>g<tr><td rowspan=2>a<td>b<tr><td>c", "a"),
    ("<tr><td rowspan=2>a<td>x<td rowspan=3>f<tr><td>y<tr><td colspan=3>g", "a"),
    ("<tr><td>x<td rowspan=2>f<tr><td colspan=2>g<tbody><tr><td rowspan=2>a<td>b<tr><td>c", "a"),
    (
      "<tr><td>x<td rowspan=9>f<td rowspan=9>h<tr><td colspan=3>g<tr><td rowspan=2>a<td>b<tr><td>c",
      "a"
    ),
  ]) func `cells that lie over no others keep their rows`(rows: String, kept: String) {
    let page = safe("<table>\(rows)</table>")
    let cells = page.split(separator: "<td").filter { $0.contains("rowspan") }
    #expect(cells.map { $0.drop { $0 != ">" }.dropFirst().first.map(String.init) } == [kept])
    #expect(safe(page) == page)
  }

  @Test func `a caption is as high as its words`() {
    let page = safe("<table><caption style='height:1px'>x</caption><tr><td style='height:1px'>y")
    #expect(page.contains("<caption style=\"min-height:1px;\">"))
    #expect(page.contains("<td style=\"height:1px;\">"))
  }

  @Test func `words above others are no link's`() {
    let link = "<a href=\"http://a.example/\" rel=\"noopener noreferrer nofollow\">y</a>"
    for (html, wanted) in [
      (
        "<ruby>x<rt><a href=http://a.example/>y</a></rt></ruby>",
        "<span>x<span>\(link)</span></span>"
      ),
      ("<rt><a href=http://a.example/>y</a></rt>", "<span>\(link)</span>"),
      ("<ruby>x<rt>y</rt></ruby>", "<ruby>x<rt>y</rt></ruby>"),
    ] { #expect(safe(html) == wanted) }
  }

  @Test(arguments: [
    "<tr><td rowspan=2>a<td>b<tr><td>c", "<tr><td rowspan=2>a<td colspan=2>b<tr><td>c<td>d",
    "<tr><td colspan=2>a<td rowspan=2>b<tr><td>c<td>d<tr><td colspan=3>e",
    "<tr><td>a<td rowspan=2>b</tr><tbody><tr><td colspan=2>c",
    "<tr><td>a<td rowspan=2>b<tr><td hidden colspan=2>x<td>c",
  ]) func `cells of several rows that meet no others stay`(rows: String) {
    let page = safe("<table>\(rows)</table>")
    #expect(page.contains("rowspan=\"2\""))
    #expect(safe(page) == page)
  }

  @Test func `a table of thousands of wide cells costs little`() {
    let row = "<tr><td rowspan=9>" + String(repeating: "<td colspan=999>", count: 400)
    #expect(!safe("<table>" + String(repeating: row, count: 20)).contains("rowspan"))
  }
}
