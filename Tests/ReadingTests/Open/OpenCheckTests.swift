import Foundation
import MailIndex
import Testing

@testable import Reading

@Suite struct OpenCheckTests {
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0]

  private func look(_ content: [UInt8], _ name: String, _ type: String) throws {
    var attachment = FoundAttachment.sample(name: name)
    attachment.mediaType = type
    _ = try content.withUnsafeBytes { try OpenCheck.look(at: $0, of: attachment, savedAs: name) }
  }

  @Test(arguments: [
    ("%PDF-1.7\n", "report.pdf", "application/pdf"),
    ("%PDF-1.7\n", "report.pdf", "application/octet-stream"),
    ("Words.\n", "notes.txt", "text/plain"), ("<html><p>x", "page.html", "text/html"),
    ("GIF89a", "part-2", "image/gif"), ("ID3", "part-3", "audio/mpeg"),
    ("RIFF____AVI LIST", "film.avi", "video/x-msvideo"), ("fLaC", "a.flac", "audio/flac"),
    ("BEGIN:VCARD\nURL:http://a.test/\n", "a.vcf", "text/vcard"),
    ("[words](http://a.test/)", "a.md", "text/markdown"),
    ("BEGIN:VCALENDAR\n", "invite.ics", "text/calendar"),
    ("{\\rtf1", "letter.doc", "application/msword"),
    ("<?xml version='1.0'?><!DOCTYPE a [<!ELEMENT a ANY>]><a>SYSTEM</a>", "a.xml", "text/xml"),
    ("words", "a.m3u.txt", "text/plain"),
    ("", "empty.txt", "text/plain"), ("Ünïcode\n", "notes.md", "text/markdown"),
  ])
  func `what is what it says is opened`(content: String, name: String, type: String) {
    #expect(throws: Never.self) { try look(Array(content.utf8), name, type) }
  }

  @Test func `an image is an image`() {
    #expect(throws: Never.self) { try look(Self.png, "a.png", "image/png") }
    #expect(throws: OpenError.self) { try look(Self.png, "a.pdf", "image/png") }
    // A program for one picture shows another: what it was sent as opens nothing.
    #expect(throws: Never.self) { try look(Self.png, "a.jpg", "image/jpeg") }
    #expect(throws: Never.self) { try look(Self.png, "a.png", "application/pdf") }
  }

  @Test(arguments: [
    ("a;b\n1;2", "export.csv", "application/vnd.ms-excel"),
    ("words", "a.txt", "application/msword"),
    ("\u{FEFF}\n%PDF-1.7\n", "a.pdf", "text/plain"), ("GIF89a", "a.heic", "image/heic"),
    ("RIFF____WEBPVP8 ", "a.jpg", "image/jpeg"), ("\0\0\0\u{18}ftypheic", "a.jpg", "image/jpeg"),
    ("\0\0\0\u{18}ftypheic", "a.HEIC", "image/heic"), ("\0\0\u{1}\0", "a.ico", "image/x-icon"),
    ("#!AMR\n", "a.amr", "audio/amr"), ("\0\0\0\u{8}wide", "a.mov", "video/quicktime"),
    ("\0\0\0\u{18}ftyp3gp4", "a.3gp", "video/3gpp"), ("OggS", "a.mp3", "audio/mpeg"),
    ("{\\rtf1 x}", "a.docx", "application/rtf"),
  ])
  func `what is of the class of its name is opened`(content: String, name: String, type: String) {
    #expect(throws: Never.self) { try look(Array(content.utf8), name, type) }
  }

  @Test(arguments: [
    ("\0\0\0\u{18}ftypheic", "a.mp4"), ("\0\0\0\u{18}ftypisom", "a.jpg"), ("GIF89a", "a.pdf"),
    ("%PDF-1.7\n", "a.png"), ("%PDF-1.7\n", "a.txt"), ("OggS", "a.gif"), ("words", "a.docx"),
    ("ID3", "a.csv"), ("GIF89a", "a.xls"), ("abcdwide", "a.mov"), ("<p>x", "a.mp3"),
  ])
  func `what is of another class is not`(content: String, name: String) {
    #expect(error(Array(content.utf8), name) != nil)
    #expect(error(Array(content.utf8), name)?.question == nil)
  }

  @Test(arguments: [
    ("<?xml version='1.0'?>\n<Invoice><a>M&#252;ller</a></Invoice>", "a.xml", Form.text),
    ("<?xml version='1.0'?><?xml-stylesheet href='x'?><a/>", "a.xml", .text),
    ("<?xml version='1.0'?>\n<a xmlns='http://www.w3.org/1999/xhtml'>", "a.xml", .text),
    ("<root xmlns:h='http://www.w3.org/1999/xhtml'><h:script>x", "a.xml", .text),
    ("<?xml version='1.0'?><a xmlns='http://www.w3.org/1999/x&#104;tml'>", "a.xml", .text),
    ("<?xml version=\"1.0\" encoding = \"HZ-GB-2312\"?><a/>", "a.xml", .text),
    ("<?xml version='1.0'?><!DOCTYPE a SYSTEM 'http://x/a.dtd'><a/>", "a.xml", .text),
    ("<a xmlns:x='http://www.w3.org/2001/XInclude'/>", "a.xml", .text),
    ("<rss version='2.0'>", "a.xml", .text), ("<Workbook xmlns='urn:x'>", "a.xml", .text),
    ("<svg onload=x>", "a.txt", .text), ("<!DOCTYPE html>", "invoice.txt", .text),
    ("<b>bold</b> words", "a.txt", .text), ("#EXTM3U\n", "a.txt", .text),
    ("<?xml version='1.0'?><Invoice><a>1</a></Invoice>", "a.xml", .file), ("words", "a.txt", .file),
  ])
  func `text that a browser would run is shown as text`(
    content: String, name: String, form: Form
  ) throws {
    let found = try Array(content.utf8).withUnsafeBytes {
      try OpenCheck.look(at: $0, of: .sample(name: name), savedAs: name)
    }
    #expect(found == form)
  }

  typealias Form = OpenCheck.Form

  @Test(arguments: [
    ("MZ\u{90}", "report.pdf", "application/pdf"), ("#!/bin/sh\n", "notes.txt", "text/plain"),
    ("\u{7F}ELF", "picture.png", "image/png"), ("<html><script>x", "report.pdf", "application/pdf"),
    ("\n\n <SCRIPT>", "a.png", "image/png"),
    ("words", "report.pdf", "application/pdf"), ("words", "run.sh", "text/plain"),
    ("words", "macro.docm", "application/octet-stream"), ("words", "setup.exe", "text/plain"),
    ("[InternetShortcut]\nURL=x", "a.txt", "text/plain"),
    ("[Desktop Entry]\nExec=x", "a.txt", "text/plain"),
    ("words", "a.txt", "application/javascript"), ("<svg xmlns='x'>", "a.svg", "image/svg+xml"),
    ("words", "a.xhtml", "text/plain"), ("words", "a.mht", "text/plain"),
    ("words", "a", "image/svg+xml"),
    ("From: <Saved by Blink>\n", "page", "application/octet-stream"),
    ("<p>x", "a.png", "image/png"),
    ("http://x/a.mp3\n", "a.m3u", "audio/x-mpegurl"), ("http://x/a.mp3\n", "a.M3U8", "text/plain"),
    ("[playlist]\n", "a.pls", "text/plain"), ("#EXTM3U\n", "a.mp3", "audio/mpeg"),
    ("words", "a", "application/vnd.apple.mpegurl"), ("<office:document/>", "a.fodt", "text/xml"),
    ("#EXTM3U\nhttp://x/a.mp3\n", "list", "application/octet-stream"),
    ("[Playlist]\nFile1=x", "song", "x/y"),
    ("<?xml version='1.0'?>\n<!-- a --><playlist version='1'>", "song", "x/y"),
    ("<?xml version='1.0'?>\n<!--> <a> --><playlist version='1'>", "song", "x/y"),
    ("d8:announce3:a:bc", "x", "application/octet-stream"),
    ("[Flatpak Ref]\nUrl=x", "a.flatpakref", "text/plain"), ("[WFClient]\n", "a", "text/plain"),
    ("words", "a.ica", "x/y"), ("words", "a.rdp", "x/y"), ("words", "a.snap", "x/y"),
    ("#EXTM3U\n", "film.avi", "video/x-msvideo"), ("#EXTM3U\n", "film.mkv", "video/x-matroska"),
    ("<rss/>", "a.rss", "application/octet-stream"), ("d8:announce", "a.torrent", "text/plain"),
    ("<kml/>", "a.kml", "text/xml"), ("MZ", "a.eml", "message/rfc822"),
    ("words", "a.m3u", "message/rfc822"),
  ])
  func `what is not what it says, or runs, is not opened`(
    content: String, name: String, type: String
  ) {
    #expect(throws: OpenError.self) { try look(Array(content.utf8), name, type) }
  }

  private func error(_ content: [UInt8], _ name: String) -> OpenError? {
    do {
      try look(content, name, "application/octet-stream")
      return nil
    } catch {
      return error as? OpenError
    }
  }

  @Test(arguments: [
    ("whatever", "unheard.of"), ("words", "a.blend"), ("PK\u{3}\u{4}", "all.zip"), ("%!PS", "a.ps"),
    ("words", "a.torrent.x"), ("\u{1}\u{2}", "data"), ("words", "a.service"), ("words", "a.gpx2"),
    ("a;b\n1;2", "export.xls"), ("words", "a.doc"), ("<p>x", "a.doc"), (" ID;P", "a.xls"),
    ("MIME-Version: 1.0\n", "a.doc"), ("Rar!\u{1A}\u{07}", "a.rar"),
    ("%PDF-1.7", "invoice of 12.2026"), ("words", "a.sla"),
  ]) func `what is on no list is opened by a person's word only`(content: String, name: String) {
    let error = error(Array(content.utf8), name)
    guard case .unlisted = error else {
      Issue.record("\(name): \(String(describing: error))")
      return
    }
    #expect(error?.question?.hasSuffix("Open it?") == true)
  }

  @Test func `office documents are looked into`() {
    #expect(error(SampleDocuments.letter, "a.docx") == nil)
    #expect(error(SampleDocuments.openLetter, "a.odt") == nil)
    for (document, trap) in [
      (SampleDocuments.picture, DocumentTrap.elsewhere), (SampleDocuments.template, .elsewhere),
      (SampleDocuments.macros, .macros), (SampleDocuments.openPicture, .elsewhere),
      (SampleDocuments.openMacros, .macros),
      (Array(SampleDocuments.letter.dropLast(9)), .unreadable),
      (Array("PK\u{3}\u{4}".utf8), .unreadable),
    ] {
      #expect(error(document, "a.docx") == .holds("a.docx", trap))
      #expect(error(document, "a.docx")?.question != nil)
    }
  }

  @Test(
    arguments: [
      ("{\\rtf1 words}", "a.rtf", nil), ("{\\rtf1{\\*\\template http://x/}}", "a.rtf", .elsewhere),
      ("{\\rtf1{\\object\\objdata 01}}", "a.doc", .macros),
      ("BEGIN:VEVENT\nATTACH:http://x/a\n", "a.ics", .elsewhere),
      ("BEGIN:VEVENT\r\nATT\r\n ACH;X=1:htt\r\n p://x/a\r\n", "a.ics", .elsewhere),
      ("BEGIN:VCARD\nitem1.PHOTO;VALUE=uri:http://x/a\n", "a.vcf", .elsewhere),
      ("BEGIN:VCARD\nPHOTO;ENCODING=b:AAAA\n", "a.vcf", nil),
      ("BEGIN:VEVENT\nDESCRIPTION:ATTACH:http://x/\n", "a.ics", nil),
      ("![x](http://x/a.png)", "a.md", .elsewhere), ("# Words", "a.md", nil),
      ("<video src=http://x/a>", "a.md", .elsewhere), ("<b>x</b>", "a.md", nil),
      ("{\\rtf1 {\\*\\fldinst INCLUDE{}PICTURE \"http://x/\"}}", "a.rtf", .elsewhere),
      ("{\\rtf1 {\\*\\fldinst \\'49NCLUDE\\b PICTURE \"http://x/\"}}", "a.rtf", .elsewhere),
      ("{\\rtf1 {\\*\\fldinst \\u73?NCLUDEPICTURE \"http://x/\"}}", "a.rtf", .elsewhere),
      ("{\\rtf1 include your picture}", "a.rtf", nil),
      ("=WEBSERVICE(\"http://x/\")", "a.csv", .elsewhere), ("ID;PX", "a.csv", .macros),
      ("\u{FEFF}\n ID;PX", "a.tsv", .macros), ("=WEBSERVICE (\"http://x/\")", "a.csv", .elsewhere),
      ("{\\rtf1{\\*\\fldinst INCLUDE{\\*\\x junk}PICTURE \"http://x/\"}}", "a.rtf", .elsewhere),
      ("{\\rtf1{\\*\\fldinst{\\b IMPORT \"http://x/\"}}}", "a.rtf", .elsewhere),
      ("{\\rtf1{\\*\\fldinst HYPERLINK \"http://x/\"}}", "a.rtf", nil),
      ("{\\rtf1{\\info{\\title import}}\\binfsxn0 link}", "a.rtf", nil),
      ("{\\rtf1 a\\bin3 abc}", "a.rtf", .unreadable),
      ("\0\0\0\u{8}wide moov rmra rmda rdrf", "a.mov", .elsewhere),
      ("\0\0\0\u{8}wide moov cmov cmvd", "a.mov", .elsewhere),
      ("\0\0\0\u{8}wide dref url \0\0\0\0http://x/", "a.mov", .elsewhere),
      ("\0\0\0\u{8}wide dref url \0\0\0\u{1}", "a.mov", nil),
      ("a,=b", "a.csv", nil), ("BEGIN:VEVENT\nCONFERENCE:https://x/\n", "a.ics", nil),
    ] as [(String, String, DocumentTrap?)])
  func `so are other documents`(content: String, name: String, trap: DocumentTrap?) {
    #expect(error(Array(content.utf8), name) == trap.map { .holds(name, $0) })
  }

  @Test func `old Office documents with macros are known`() {
    let ole: [UInt8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]
    #expect(error(ole, "a.doc") == nil)
    let name = "_VBA_PROJECT".utf8.flatMap { [UInt8]([$0, 0]) }
    #expect(error(ole + name, "a.doc") == .holds("a.doc", .macros))
  }

  private static let ole: [UInt8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]
  private static let head = ole + [UInt8](repeating: 0, count: 504)

  private static func wide(_ text: String) -> [UInt8] {
    text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
  }

  /// Of a directory: a name, its length and its kind.
  private static func entry(_ name: String, kind: UInt8 = 1) -> [UInt8] {
    let bytes = wide(name)
    return bytes + [UInt8](repeating: 0, count: 64 - bytes.count) + [
      UInt8(bytes.count + 2), 0, kind,
    ]
      + [UInt8](repeating: 0, count: 61)
  }

  private static let macroSheet: [UInt8] =
    [0x85, 0, 14, 0, 0, 0, 0, 0, 0, 1, 6, 0] + Array("Macro1".utf8)

  @Test(
    arguments: [
      (entry("Macros"), .macros), (entry("VBA"), .macros), (entry("_VBA_PROJECT_CUR"), .macros),
      (macroSheet, .macros), (wide("EncryptedPackage"), .unreadable),
      (Array("\u{13} INCLUDEPICTURE \"https://evil.test/a\" \u{14}x\u{15}".utf8), .elsewhere),
      (wide("\u{13} IncludePicture \"https://evil.test/a\" \u{14}x\u{15}"), .elsewhere),
      (Array("\u{13}DDEAUTO c:\\cmd.exe".utf8), .elsewhere),
      (wide("\u{13}  LINK Excel.Sheet"), .elsewhere), (Array("\u{13} rd \"a\"".utf8), .elsewhere),
      (Array("\u{13} dde\\x".utf8), .elsewhere), (Array("_xlfn.WEBSERVICE(".utf8), .elsewhere),
      (wide("https://evil.test/t.dotm"), .elsewhere), (wide("\\\\evil.test\\t.DOT"), .elsewhere),
    ] as [([UInt8], DocumentTrap)]) func `an old document that runs or fetches something is held`(
      content: [UInt8], trap: DocumentTrap
    )
  {
    let tail = [UInt8](repeating: 0, count: 200)
    #expect(error(Self.head + content + tail, "a.doc") == .holds("a.doc", trap))
  }

  @Test(
    arguments: [
      [], wide("How to write Macros in Word"), entry("Macros", kind: 0),
      entry("WordDocument", kind: 2),
      entry("Macros2"), Array("\u{13} HYPERLINK \"https://a.test/\"".utf8),
      wide("\u{13} HYPERLINK \"https://a.test/\""), wide("\u{13} PAGE \\* MERGEFORMAT"),
      wide("a link to import"), Array("\u{13}linked".utf8), wide("Normal.dotm"),
      wide("C:\\Templates\\a.dotx"), wide("https://a.test/x"),
      [0x85, 0, 14, 0, 0, 0, 0, 0, 0, 0, 6, 0] + Array("Sheet1".utf8),
      [0x85, 0, 15, 0, 0, 0, 0, 0, 0, 1, 6, 0] + Array("Sheet1".utf8),
    ] as [[UInt8]]) func `an ordinary one opens`(content: [UInt8])
  {
    let tail = [UInt8](repeating: 0, count: 200)
    for name in ["a.doc", "a.xls", "a.ppt"] {
      #expect(error(Self.head + content + tail, name) == nil)
    }
  }

  @Test(arguments: [
    ("=MSEXCEL|'..\\cmd.exe /c calc'!''", true), ("a;\"=ms_excel |x\"", true), ("1\t-cmd2|x", true),
    ("='https://evil.test/x.csv'#$A.A1", true), ("= 'file:///etc/passwd'#$A.A1", true),
    ("a|b,c|d", false), ("a=b|c", false), ("-5|3,=1|2", false), ("2026-01-05|x", false),
    ("a,=SUM(A1)\nb|c", false), ("x='y'", false),
  ]) func `a cell that asks a program or another file is held`(sheet: String, isHeld: Bool) {
    #expect(
      error(Array(sheet.utf8), "a.csv") == (isHeld ? .holds("a.csv", .elsewhere) : nil))
  }

  @Test func `what runs or lies is not asked about`() {
    for (content, name) in [
      ("MZ", "a.blend"), ("words", "a.exe"), ("words", "a.pdf"), ("x", "a.m3u"),
    ] {
      let error = error(Array(content.utf8), name)
      #expect(error != nil && error?.question == nil)
    }
  }

  @Test func `text without an ending gets one`() {
    func named(_ name: String, _ content: String) -> String {
      Array(content.utf8).withUnsafeBytes { OpenCheck.named(name, $0) }
    }
    #expect(named("README", "words") == "README.txt" && named("a.csv", "words") == "a.csv")
    #expect(named("part-2", "GIF89a") == "part-2")
  }

  @Test func `what is packed is unpacked, and damage is seen`() {
    var number = 1
    let letters = Array("abcdefgh \n<>".utf8)
    var wanted = (0..<500).map { _ -> UInt8 in
      number = (number &* 1_103_515_245 &+ 12345) & 0x7FFF_FFFF
      return letters[(number >> 16) % 12]
    }
    wanted += wanted.prefix(200)
    let packed = SampleDocuments.packed
    func unpacked(_ bytes: [UInt8], most: Int = 1000) -> [UInt8]? {
      bytes.withUnsafeBytes { Inflating.bytes(of: $0, most: most) }
    }
    #expect(unpacked(packed) == wanted)
    #expect(unpacked(packed, most: 699) == nil)
    for length in 0..<packed.count { #expect(unpacked(Array(packed.prefix(length))) == nil) }
    for place in packed.indices {
      var damaged = packed
      damaged[place] ^= 0x55
      _ = unpacked(damaged)
    }
    for document in [SampleDocuments.letter, SampleDocuments.template] {
      for place in document.indices {
        var damaged = document
        damaged[place] ^= 0xFF
        _ = error(damaged, "a.docx")
      }
    }
  }

  @Test(arguments: [
    ("<html><p>x", "page.html", "text/html", true), ("words", "page.HTM", "text/html", true),
    ("<p>x", "unnamed", "text/html", true), ("words", "unnamed", "text/html", true),
    ("<title>x</title>", "unnamed", "application/octet-stream", true),
    ("<!-- x -->\n<!DOCTYPE a PUBLIC '-//x' 'http://x/a.dtd'><a/>", "a", "text/xml", true),
    ("<p>x", "a.txt", "text/html", true),
    (
      "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'>", "page.html", "text/html",
      true
    ),
    ("<html xmlns='http://www.w3.org/1999/xhtml'>", "page.html", "text/html", true),
    ("words", "a.txt", "text/plain", false),
    ("<?xml version='1.0'?><invoice/>", "a.xml", "text/xml", false),
  ])
  func `what a browser would open is opened as a page of ours`(
    content: String, name: String, type: String, isPage: Bool
  ) throws {
    var attachment = FoundAttachment.sample(name: name)
    attachment.mediaType = type
    let form = try Array(content.utf8).withUnsafeBytes {
      try OpenCheck.look(at: $0, of: attachment, savedAs: name)
    }
    #expect((form == .page) == isPage)
  }

  @Test(arguments: [
    ("a.eml", "message/rfc822", true), ("a.EML", "application/octet-stream", true),
    ("a.txt", "message/rfc822", true), ("a.eml.txt", "text/plain", false),
  ])
  func `a message is opened as a page of ours`(name: String, type: String, isMessage: Bool) throws {
    var attachment = FoundAttachment.sample(name: name)
    attachment.mediaType = type
    let form = try Array("From: a@b.test\n\nx".utf8).withUnsafeBytes {
      try OpenCheck.look(at: $0, of: attachment, savedAs: name)
    }
    #expect(form == (isMessage ? .message : .file))
  }

  @Test func `an attached message has nothing that runs or loads`() {
    let part = PartAsMessage(
      content: Array(
        "From: Ann <a@b.test>\nSubject: Inner\nContent-Type: text/html\n\n<p>Words<script>x</script><img src=http://t.example/a.png>"
          .utf8), type: "message/rfc822", charset: nil)
    let page = String(
      decoding: AttachedPage.document(part, named: "a.eml", of: .sample()), as: UTF8.self)
    #expect(page.contains("<p>Words</p>") && page.contains("<bdi>Inner</bdi>"))
    #expect(page.contains("<bdi>Ann</bdi> &lt;<bdi>a@b.test</bdi>&gt;"))
    #expect(!page.contains("<script") && !page.contains("src="))
  }

  @Test func `an attached page has nothing that runs or loads`() {
    let part = PartAsMessage(
      content: Array("<script>x</script><p>Café</p><img src=http://t.example/a.png>".utf8),
      type: "text/html", charset: "utf-8")
    let page = String(
      decoding: AttachedPage.document(part, named: "a\u{202E}.html", of: .sample()), as: UTF8.self)
    #expect(page.contains("<p>Café</p>") && page.contains("<h1><bdi>a\\u{202e}.html</bdi></h1>"))
    #expect(page.contains("1 remote image was not loaded: <bdi>t.example</bdi>."))
    #expect(!page.contains("<script") && !page.contains("src="))
    #expect(page.contains("content=\"default-src 'none'"))
  }

  @Test func `the kinds that are expected exist for every ending in any case`() {
    #expect(OpenedClass.of(ending: "pdf")?.kinds == [.pdf] && OpenedClass.of(ending: "xyz") == nil)
    #expect(error(Self.png, "A.PDF") != nil && error(Self.png, "A.JPG") == nil)
    #expect(ContentKind.allCases.allSatisfy { !$0.words.isEmpty })
  }
}
