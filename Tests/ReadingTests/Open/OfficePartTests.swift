import Testing

@testable import Reading

@Suite struct OfficePartTests {
  private func find(_ xml: String, _ name: String) -> DocumentTrap? { find(Array(xml.utf8), name) }

  private func find(_ bytes: [UInt8], _ name: String) -> DocumentTrap? {
    guard let text = OfficePart.readable(bytes) else { return .unreadable }
    return text.withUnsafeBytes { bytes in
      var part = OfficePart(bytes, name: name)
      return part.find()
    }
  }

  private static let base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"

  private static func relation(
    _ type: String, _ target: String, _ mode: String = "TargetMode=\"External\""
  ) -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Relationships><Relationship Id=\"r1\" Type=\"\(base)\(type)\" "
      + "Target=\"\(target)\" \(mode)/></Relationships>"
  }

  @Test(arguments: [
    (relation("attachedTemplate", "http://x/t.dotm"), DocumentTrap.elsewhere),
    (relation("image", "http://x/a.png", "TargetMode=\"&#69;xternal\""), .elsewhere),
    (relation("image", "&#104;ttp://x/a.png", ""), .elsewhere),
    (relation("image", "&#x68;ttp://x/a.png", ""), .elsewhere),
    (relation("image", "\\\\server\\a.png", ""), .elsewhere),
    (relation("image", "http://x/hyperlink\"  TargetMode\n=\n'External", ""), .elsewhere),
    (relation("attachedTemplate", "file:////server/t.dotm"), .elsewhere),
    (relation("attachedTemplate", "file:///\\\\server\\t.dotm"), .elsewhere),
    (relation("aFChunk", "a.html", ""), .elsewhere), (relation("vbaProject", "x.bin", ""), .macros),
    (relation("image", "&#0000000000000104;ttp://x/a.png", ""), .elsewhere),
    (relation("image", "a.png", "x:Target='b' z:Target='http://x/'"), .elsewhere),
    (relation("image", "http://x/a.png", "x:Type='a/hyperlink'"), .elsewhere),
    ("<!--> -->" + relation("image", "http://x/a.png"), .elsewhere),
    ("<!DOCTYPE a [<!ENTITY e 'http'>]>" + relation("image", "&e;://x/", ""), .unreadable),
    ("<?xml version='1.0' encoding='utf-7'?>", .unreadable),
  ]) func `what relations fetch is found however it is written`(xml: String, trap: DocumentTrap) {
    #expect(find(xml, "word/_rels/document.xml.rels") == trap)
    let units = Array(("\u{FEFF}" + xml).utf16)
    let wide: [UInt8] = units.flatMap { unit -> [UInt8] in [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
    let found = find(wide, "word/_rels/document.xml.rels")
    #expect(found == trap || xml.contains("utf-7") && found == nil)
  }

  @Test(arguments: [
    relation("hyperlink", "https://x.example/"), relation("image", "media/a.png", ""),
    relation("attachedTemplate", "file:///C:\\Users\\x\\Letter.dotx"),
    relation("attachedTemplate", "file:///C:/Users/x/Letter.dotx"),
    "<!-- <Relationship Target='http://x/'/> -->" + relation("image", "a.png", ""),
    "<!--> <Relationship Target='http://x/'/> -->" + relation("image", "a.png", ""),
    relation("image", "a&#104;;&http://x/.png", ""),
  ]) func `links and what lies here are nothing`(xml: String) {
    #expect(find(xml, "word/_rels/document.xml.rels") == nil)
  }

  @Test(arguments: [
    ("<draw:image xlink:href=\"https://x/a\"/>", DocumentTrap.elsewhere),
    ("<draw:image xlink:href=\"&#104;ttps://x/a\"/>", .elsewhere),
    ("<d:image xmlns:x='http://www.w3.org/1999/xlink' x:href=' https://x/a'/>", .elsewhere),
    ("<draw:image xlink:href\n=\n'//x/a'/>", .elsewhere),
    ("<draw:image a='>' xlink:href='ftp://x/a'/>", .elsewhere),
    ("<script:event-listener xlink:href='vnd.sun.star.script:x'/>", .macros),
    ("<table:table-cell table:formula='of:=WEBSERVICE(&quot;http://x/&quot;)'/>", .elsewhere),
    ("<office:dde-source office:dde-application='x'/>", .macros),
    ("<manifest:encryption-data/>", .unreadable),
    ("<!--> <a x=\"--><draw:image xlink:href='http://x/'/><!-- \" -->", .elsewhere),
    ("<draw:image z:href='Pictures/1.png' xlink:href='http://x/'/>", .elsewhere),
    ("<form:image form:image-data='http://x/'/>", .elsewhere),
    ("<xf:instance src='http://x/'/>", .elsewhere),
  ]) func `what OpenDocument fetches is found however it is written`(
    xml: String, trap: DocumentTrap
  ) {
    #expect(find(xml, "Object 1/content.xml") == trap)
  }

  @Test(arguments: [
    "<text:a xlink:href='https://x/'>x</text:a>", "<draw:image xlink:href='Pictures/1.png'/>",
    "<draw:a xlink:href='mailto:a@b.test'/>", "<draw:image xlink:href='#x'/>",
    "<draw:image xlink:href='data:image/png;base64,AA'/>", "<![CDATA[<x href='http://x/'>]]>",
    "<meta:template xlink:href='file:///home/x/t.ott'/>",
    "<table:table-cell table:formula='of:=SUM([.A1])'/>",
  ]) func `links and parts of OpenDocument are nothing`(xml: String) {
    #expect(find(xml, "content.xml") == nil)
  }

  @Test(arguments: [
    ("<w:instrText>INCLUDE</w:instrText><w:instrText>PICTURE \"http://x/\"</w:instrText>", true),
    ("<w:fldSimple w:instr='DDEAUTO c:\\\\x'/>", true),
    ("<f>_xlfn.WEBSERVICE(\"http://x\")</f>", true),
    ("<f>_xlfn.WEBSERVICE (\"http://x\")</f>", true),
    ("<definedName name='x'>WEBSERVICE(\"http://x\")</definedName>", true),
    ("<w:instrText><![CDATA[INCLUDEPICTURE \"http://x/\"]]></w:instrText>", true),
    ("<w:instrText>INCLUDE<!--x-->PICTURE \"http://x/\"</w:instrText>", true),
    ("<w:instrText> LINK Excel.Sheet.8 \"http://x/\"</w:instrText>", true),
    ("<w:instrText>IMPORT \"http://x/\"</w:instrText>", true),
    ("<w:instrText>DDE\u{A0}x</w:instrText>", true),
    ("<w:instrText>PAGE</w:instrText><w:fldChar/><w:instrText>RD x</w:instrText>", true),
    ("<w:instrText>DATA</w:instrText><w:instrText>BASE \\c</w:instrText>", true),
    ("<w:instrText>HYPERLINK \"http://x/import link\"</w:instrText>", false),
    ("<w:instrText>HYPERLINK \"http://x/\" \\o \"Madde 5\"</w:instrText>", false),
    ("<a:blip r:embed='rId1' r:link='rId2'/>", true), ("<a:blip r:embed='rId1'/>", false),
    ("<connection refreshOnLoad='1'/>", true), ("<w:instrText>PAGE</w:instrText>", false),
    ("<w:t>INCLUDEPICTURE</w:t>", false), ("<f>SUM(A1)</f>", false),
    ("<connection refreshOnLoad='0'/>", false), ("<x r:href='http://x/'/>", false),
  ]) func `fields and formulas that fetch are found`(xml: String, isTrap: Bool) {
    #expect((find(xml, "word/document.xml") == .elsewhere) == isTrap)
  }

  @Test func `characters of four bytes are not read`() {
    let xml = "<draw:image xlink:href='http://x/'/>"
    for isTurned in [true, false] {
      let bytes = xml.unicodeScalars.flatMap { scalar -> [UInt8] in
        let four: [UInt8] = [0, 0, 0, UInt8(scalar.value)]
        return isTurned ? four.reversed() : four
      }
      #expect(find(bytes, "content.xml") == .unreadable)
      #expect(
        find((isTurned ? [0xFF, 0xFE, 0, 0] : [0, 0, 0xFE, 0xFF]) + bytes, "content.xml")
          == .unreadable)
    }
  }

  @Test func `broken XML is read to its end`() {
    for xml in [
      "<a b", "<a b=", "<a b=\"", "<a \" = 'x' <b", "<!--", "<![CDATA[", "<?x", "<", "</",
    ] {
      #expect(find(xml, "content.xml") == nil)
    }
    let many = String(repeating: "<a", count: 100_000)
    #expect(find(many, "content.xml") == nil)
  }
}
