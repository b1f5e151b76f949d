import MIME
import Testing

struct MessageTextTests {
  static func alternative(plain: String, html: String) -> SampleMessage {
    SampleMessage(
      """
      Content-Type: multipart/alternative; boundary=b

      --b
      Content-Type: text/plain

      \(plain)
      --b
      Content-Type: text/html

      \(html)
      --b--

      """)
  }

  static let longHTML = "<p>" + String(repeating: "Real news of the week. ", count: 50) + "</p>"

  @Test func `the plain alternative wins where it has text`() {
    #expect(Self.alternative(plain: "Plain words", html: "<p>HTML words</p>").body == "Plain words")
  }

  @Test(arguments: [
    "", "  \n ", "Your mail reader does not support HTML.",
    "View this email in your browser: https://example.org/x",
    "This message is in HTML format. Please use an HTML-capable client.", "\u{A0}", "----------",
  ]) func `a plain alternative that says nothing loses`(plain: String) {
    #expect(Self.alternative(plain: plain, html: Self.longHTML).body.hasPrefix("Real news"))
  }

  @Test func `a short plain text of its own is no stub`() {
    #expect(Self.alternative(plain: "Ok, see you", html: Self.longHTML).body == "Ok, see you")
    #expect(
      Self.alternative(plain: "Open it in a browser", html: "<p>Open it in a browser</p>").body
        == "Open it in a browser")
  }

  @Test func `all parts of a mixed message count and attachments are listed`() {
    let message = SampleMessage(
      """
      Content-Type: multipart/mixed; boundary=b

      --b
      Content-Type: text/plain; charset=utf-8
      Content-Transfer-Encoding: quoted-printable

      Gr=C3=BC=C3=9Fe
      --b
      Content-Type: application/zip; name="a.zip"
      Content-Disposition: attachment; filename="a.zip"
      Content-Transfer-Encoding: base64

      UEsDBAoAAAAAAA==
      --b
      Content-Type: text/x-patch; name=fix.patch
      Content-Disposition: attachment

      +added line
      --b
      Content-Type: message/rfc822

      Subject: =?utf-8?q?Caf=C3=A9?=
      From: a@b.c

      Inner words
      --b--

      """)
    #expect(message.body == "Grüße\n+added line\nCafé\n\nInner words")
    #expect(message.text.snippet == "Grüße")
    let attachments = message.text.attachments
    #expect(attachments.map(\.section) == ["2", "3"])
    #expect(attachments.map(\.fileName) == ["a.zip", "fix.patch"])
    #expect(attachments.map(\.size) == [10, 11])
    #expect(attachments.map(\.warning) == [.archive, nil])
    #expect(message.content("2")?.hasPrefix("PK\u{3}\u{4}") == true)
    #expect(message.content("9") == nil)
  }

  @Test func `files within the text are left out and listed`() {
    let blob = String(
      repeating: "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0MTIzNDU2Nzg5MDEyMzQ1Njc4", count: 1)
    let message = SampleMessage(
      """
      Subject: x

      Before
      begin 644 cat.exe
      #0V%T
      `
      end
      Between
      \(blob)
      \(blob)
      QUJDRA==
      After

      """)
    #expect(message.body == "Before\nBetween\nAfter\n")
    #expect(message.text.attachments.map(\.section) == ["1:1"])
    #expect(message.text.attachments.map(\.fileName) == ["cat.exe"])
    #expect(message.text.attachments.map(\.size) == [3])
    #expect(message.text.attachments.map(\.warning) == [.windowsExecutable])
    #expect(message.content("1:1") == "Cat")
    #expect(message.content("1:2") == nil)
  }

  @Test func `long words and rules are no blobs`() {
    let text =
      String(repeating: "=", count: 70) + "\nhttps://example.org/"
      + String(repeating: "aB3", count: 30) + "\n"
    #expect(SampleMessage("Subject: x\n\n" + text).body == text)
  }

  @Test func `line ends are LF whatever they were`() {
    #expect(SampleMessage("Subject: x\r\n\r\na\r\n\r\nb\rc\r\n").body == "a\n\nb\rc\n")
  }

  @Test func `HTML that calls itself plain is read as HTML`() {
    #expect(SampleMessage("Subject: x\n\n<!DOCTYPE html><html><style>zebra</style>a").body == "a")
    #expect(SampleMessage("Subject: x\n\n<html5 is nice> a").body.hasPrefix("<html5") == false)
    #expect(SampleMessage("Subject: x\n\n<b>a").body == "<b>a")
  }

  @Test func `HTML names its own charset where the header does not`() {
    var bytes = Array("Content-Type: text/html\n\n<meta charset=koi8-r>".utf8)
    bytes += [0xF0, 0xD2, 0xC9]
    let text = bytes.withUnsafeBytes { MessageText.extract($0, MessageStructure.parse($0)) }
    #expect(String(decoding: text.body, as: UTF8.self) == "При")
  }

  @Test func `a message that is encoded against the rules is read`() {
    let inner = "Subject: Inner\nContent-Type: text/html\n\n<p>words</p>"
    let message = SampleMessage(
      "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n"
        + TransferDecoderTests.base64(Array(inner.utf8)) + "\n")
    #expect(message.body == "Inner\n\nwords")
    #expect(message.readable().blocks.last == .text("words"))
    #expect(message.content("1") == inner)
  }

  @Test func `invitations are read without their syntax`() {
    let message = SampleMessage(
      """
      Content-Type: text/calendar; charset=utf-8; method=REQUEST

      BEGIN:VCALENDAR
      BEGIN:VEVENT
      SUMMARY;LANGUAGE=de:Sitzung\\, gro
       ß
      ORGANIZER;CN="Bob: B":mailto:bob@example.org
      UID:123
      DESCRIPTION:a\\nb
      END:VEVENT
      END:VCALENDAR

      """)
    #expect(
      message.body
        == "Summary: Sitzung, groß\nOrganizer: Bob: B mailto:bob@example.org\nDescription: a\nb\n")
  }

  @Test(arguments: [
    ("Hello\n\n> quoted\n", "Hello"),
    ("On Monday, 3 May 2021, Bob wrote:\n> quoted\n\nMy answer\n", "My answer"),
    ("> only quoted\n", "> only quoted"),
    ("Am 03.05.2021 schrieb Bob:\n\n> q\n> q\nJa.\n-- \nBob\n", "Ja."),
    ("a\n\n\tb   c\n", "a b c"), ("=====\nTitle\n=====\n", "Title"), ("", ""),
    ("-- \nBob\n", "-- Bob"),
  ]) func `the snippet is what the writer wrote`(text: String, snippet: String) {
    #expect(SampleMessage("Subject: x\n\n" + text).text.snippet == snippet)
  }

  @Test func `the snippet leaves out what HTML quotes`() {
    let html =
      "<div>Yes.</div><div>On Mon, 3 May 2021, Bob wrote:<br></div><blockquote>old</blockquote>"
    #expect(SampleMessage("Content-Type: text/html\n\n" + html).text.snippet == "Yes.")
  }

  @Test func `a long snippet ends with a whole word`() {
    let snippet = SampleMessage("Subject: x\n\n" + String(repeating: "word ", count: 100)).text
      .snippet
    #expect(snippet == Array(repeating: "word", count: 20).joined(separator: " ") + "…")
    let chinese = SampleMessage(
      "Content-Type: text/plain; charset=utf-8\n\n" + String(repeating: "字", count: 500)
    ).text.snippet
    #expect(chinese.count == 100)
  }

  @Test func `the text is capped at a character's end`() {
    var limits = TextLimits()
    limits.text = 9
    let bytes = Array("Content-Type: text/plain; charset=utf-8\n\nééééééé".utf8)
    let text = bytes.withUnsafeBytes {
      MessageText.extract($0, MessageStructure.parse($0), limits: limits)
    }
    #expect(String(validating: text.body, as: UTF8.self) != nil)
    #expect(text.body.count <= 9)
    #expect(text.isCut)
  }

  @Test(arguments: [
    ("text/plain", "1234567890", false), ("text/plain", "12345678901", true),
    ("text/html", "<p>1234", false), ("text/html", "<p>12345678901234</p><p>x", true),
    ("multipart/mixed; boundary=b", "--b\n\n123456\n--b\n\n789\n--b--\n", false),
    ("multipart/mixed; boundary=b", "--b\n\n1234567890\n--b\n\nmore\n--b--\n", true),
    (
      "multipart/alternative; boundary=b",
      "--b\nContent-Type: text/plain\n\nwords\n--b\nContent-Type: text/html\n\n<p>much longer than ten\n--b--\n",
      false
    ),
  ])
  func `what is left out is told`(type: String, body: String, isCut: Bool) {
    var limits = TextLimits()
    limits.text = 10
    let bytes = Array("MIME-Version: 1.0\nContent-Type: \(type)\n\n\(body)".utf8)
    bytes.withUnsafeBytes {
      let structure = MessageStructure.parse($0)
      #expect(MessageText.extract($0, structure, limits: limits).isCut == isCut)
      if !body.contains("more") {
        #expect(ReadableText.read($0, structure, limits: limits).isCut == isCut)
      }
    }
  }

  @Test func `random messages never break extraction`() {
    let pieces = [
      "Content-Type: multipart/alternative; boundary=b\n", "Content-Type: text/html\n",
      "Content-Type: message/rfc822\n", "\n",
      "--b\n", "--b--\n", "begin 644 x\n", "#0V%T\n", "end\n",
      "Content-Transfer-Encoding: base64\n", "QUJD", "<p>", "é", "\u{0}",
      "Content-Transfer-Encoding: quoted-printable\n", "=C3=", "> x\n", "-- \n",
      "On 1 May, x wrote:\n", "From: a\nSent: b\nTo: c\n",
      "Content-Type: application/ms-tnef\n", "Content-Type: text/calendar\n", "SUMMARY:x\n",
      "Content-Type: text/plain; format=flowed\n",
      "word \n", "\r\n", "________________\n", "-----Original Message-----\n",
    ]
    for _ in 0..<2000 {
      let message = SampleMessage(
        (0..<Int.random(in: 0..<40)).map { _ in pieces.randomElement()! }.joined())
      #expect(String(validating: message.text.body, as: UTF8.self) != nil)
      _ = message.readable()
    }
  }
}
