import MailIndex
import Testing

@testable import Reading

@Suite struct MessageViewTests {
  private let tree: SampleTree

  init() throws { tree = try SampleTree() }

  private func lines(
    _ message: String, quoted: Bool = false, subject: String? = nil, on page: Page = .file
  ) throws -> [String] {
    try tree.deliver("personal/INBOX/cur/1.host:2,S", message)
    let document = try tree.document("*")
    return MessageView(document, subject: subject, unfoldsQuotes: quoted).lines(on: page)
  }

  private let reply = """
    Yes, Tuesday.

    On Monday Alice wrote:
    > Shall we meet?
    > > Deeper
    > Alice

    --\u{20}
    Bob
    Example Ltd

    """

  @Test func `who, when, to whom and the text come in this order`() throws {
    let lines = try lines(
      SampleTree.message(id: "a@x", body: "First.\n\n\n\nSecond.\n"), subject: "Hello")
    #expect(lines.first == "From: Alice Example <alice@example.org>")
    #expect(lines[1].hasPrefix("Date: Fri 2025-11-21 "))
    #expect(lines[2] == "To: Bob <bob@example.org>")
    #expect(lines[3].hasSuffix(" in personal/INBOX"))
    #expect(lines[4...] == ["", "First.", "", "Second."])
  }

  private func named(_ type: String, disposition: String = "", body: String) -> String {
    "From: a@example.org\nSubject: Hello\nMessage-ID: <n@x>\nMIME-Version: 1.0\n"
      + "Content-Type: \(type)\n\(disposition)\n\(body)\n"
  }

  @Test(arguments: [
    ("text/html; name=\"page.html\"", "Content-Disposition: inline\n", "<p>Words inside</p>"),
    ("text/plain; name=\"x.txt\"", "", "Words inside"),
    (
      "text/x-patch; name=\"a.patch\"", "Content-Disposition: inline; filename=a.patch\n",
      "Words inside"
    ),
  ])
  func `a text with a name is shown with its attachment line`(
    type: String, disposition: String, body: String
  ) throws {
    let lines = try lines(named(type, disposition: disposition, body: body), subject: "Hello")
    #expect(lines.contains("Words inside"))
    #expect(lines.contains { $0.contains("[1]") && $0.contains(type.split(separator: ";")[0]) })
  }

  @Test func `a text sent as an attachment is named and not shown`() throws {
    let lines = try lines(
      named(
        "text/plain; name=\"x.txt\"", disposition: "Content-Disposition: attachment\n",
        body: "Words inside"))
    #expect(!lines.contains("Words inside") && lines.contains { $0.contains("x.txt") })
  }

  @Test func `names that hold commas stand in quotes, and an empty group leaves no comma`() throws {
    let to = "\"Doe, Jane\" <j@example.org>, bob@example.org, hidden:;"
    let message = SampleTree.message(id: "a@x", from: "\"Roe, Rob\" <r@example.org>", to: to)
    let lines = try lines(message)
    #expect(lines.contains("From: \"Roe, Rob\" <r@example.org>"))
    #expect(lines.contains("To: \"Doe, Jane\" <j@example.org>, bob@example.org, hidden"))
    let hit = try #require(try tree.hits("*").first)
    #expect(hit.to == "\"Doe, Jane\" <j@example.org>, bob@example.org, hidden")
    #expect(hit.from == "\"Roe, Rob\" <r@example.org>")
    let members = try tree.index().read { try HitReader($0).threads([hit.threadID!]).first }
    #expect(members?.names == ["Rob Roe"])
  }

  @Test func `a text of megabytes is shown, and what is left out is told`() throws {
    let line = String(repeating: "word ", count: 12) + "\n"
    let long = String(repeating: line, count: (3 << 20) / line.utf8.count) + "the very end\n"
    let shown = try lines(SampleTree.message(id: "a@x", body: long))
    #expect(shown.last == "the very end")
    #expect(try tree.document("*").json(root: "/").text.contains("\"text_cut\": false"))
    let longer = String(repeating: line, count: (11 << 20) / line.utf8.count) + "the very end\n"
    let cut = try lines(SampleTree.message(id: "b@x", minute: 1, body: longer))
    #expect(
      !cut.contains("the very end") && cut.last?.contains("10 MB of a part are shown") == true)
    let document = try tree.document("*").json(root: "/").text
    #expect(document.contains("\"text_cut\": true"))
  }

  @Test func `a subject other than the conversation's is told`() throws {
    let lines = try lines(SampleTree.message(id: "a@x", subject: "Other"), subject: "Hello")
    #expect(lines.contains("Subject: Other"))
  }

  @Test func `quoted text is folded to one line and unfolded when asked`() throws {
    let message = SampleTree.message(id: "a@x", body: reply)
    let folded = try lines(message)
    #expect(folded.contains("Yes, Tuesday.") && !folded.contains("> Shall we meet?"))
    #expect(folded.filter { $0.hasSuffix("quoted lines]") }.count == 1)
    let whole = try lines(message, quoted: true)
    #expect(whole.contains("> Shall we meet?") && whole.contains("> > Deeper"))
    #expect(!whole.contains { $0.hasSuffix("quoted lines]") })
  }

  @Test func `signatures are dimmed where there are colours`() throws {
    let lines = try lines(SampleTree.message(id: "a@x", body: reply), on: .terminal(colours: true))
    #expect(lines.contains("\u{1B}[2mExample Ltd\u{1B}[0m"))
  }

  @Test func `long lines are wrapped on a terminal only`() throws {
    let long = String(repeating: "word ", count: 60) + "\n"
    let message = SampleTree.message(
      id: "a@x",
      to: (1...9).map { "Person Number \($0) <p\($0)@example.org>" }.joined(separator: ", "),
      body: long)
    #expect(try lines(message, on: .terminal(60)).allSatisfy { DisplayWidth.columns(of: $0) <= 60 })
    #expect(try lines(message, on: .file).contains { $0.count > 250 })
  }

  @Test func `of many recipients the first are named`() throws {
    let people = (1...20).map { "p\($0)@example.org" }.joined(separator: ", ")
    let lines = try lines(SampleTree.message(id: "a@x", to: people))
    #expect(
      lines.contains { $0.hasPrefix("To: p1@") && $0.hasSuffix("p8@example.org and 12 others") })
  }

  @Test func `attachments are listed with their warning`() throws {
    let lines = try lines(
      SampleTree.message(id: "a@x", attachments: [("notes.txt", "hello"), ("setup.exe", "MZ")]))
    #expect(lines.suffix(2).first == "[2] notes.txt, application/octet-stream, 5 B")
    #expect(lines.last == "[3] setup.exe, application/octet-stream, 2 B  ! Windows executable")
  }

  @Test func `HTML is shown as text with its links`() throws {
    let html = """
      From: a@example.org
      Subject: Hello
      Content-Type: text/html; charset=utf-8

      <html><style>zebra {}</style><p>Read <a href="https://example.org/x">this page</a> now</p></html>

      """
    let lines = try lines(html)
    #expect(lines.contains { $0.contains("this page") })
    #expect(lines.contains("[1] https://example.org/x"))
    #expect(!lines.contains { $0.contains("zebra") })
  }

  @Test func `nothing of a message drives the terminal`() throws {
    let evil = "\u{1B}]0;owned\u{07}\u{1B}[2J\u{202E}\u{9B}1m"
    let message = SampleTree.message(
      id: "a@x", subject: "S\(evil)", from: "\"Eve\(evil)\" <eve@example.org>",
      body: "Text \(evil)\r\n\tend\n")
    for page in [Page.file, .terminal(80)] {
      for line in try lines(message, quoted: true, on: page) {
        #expect(
          !line.unicodeScalars.contains {
            $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || $0.value == 0x202E
          }, "\(line.debugDescription)")
      }
    }
  }

  @Test func `the document in JSON has headers, text, parts and attachments`() throws {
    try tree.deliver(
      "personal/INBOX/cur/1.host:2,S",
      SampleTree.message(id: "a@x", attachments: [("a.txt", "hello")]))
    let json = try tree.document("*").json(root: tree.root).text
    #expect(json.contains(#"{"name": "Subject", "value": "Files"}"#))
    #expect(json.contains(#""text": "See files.""#))
    #expect(json.contains(#""section": "2", "media_type": "application/octet-stream""#))
    #expect(json.contains(#""attachments": [{"section": "2", "file_name": "a.txt""#))
    #expect(json.contains("\"paths\": [\"\(tree.root)/personal/INBOX/cur/1.host:2,S\"]"))
  }
}
