import MailCore
import MailIndex
import Testing

@testable import Reading

@Suite struct PagePrinterTests {
  private let tree: SampleTree

  init() throws { tree = try SampleTree() }

  private func page(
    _ words: [String], whole: Bool = false, all: Bool = false
  ) throws -> (page: String, count: Int, status: MailCore.ExitStatus) {
    let sample = try SampleSession(tree, format: .text)
    let reader = try sample.session.openIndex()
    let ids = try Selection(words, sample.session).messageIDs(reader)
    let printer = PagePrinter(session: sample.session, reader: reader)
    var page: [UInt8] = []
    let result = try printer.write(ids, wholeThreads: whole, all: all) { page += $0 }
    return (
      String(decoding: page, as: UTF8.self).withoutIslands, result.shown.count, result.status
    )
  }

  private static let newsletter = """
    From: News <news@shop.example>
    To: me@home.example
    Subject: Offers & more
    Message-ID: <n@x>
    Date: Fri, 21 Nov 2025 12:00:00 +0000
    MIME-Version: 1.0
    Content-Type: multipart/related; boundary=b

    --b
    Content-Type: text/html; charset=utf-8

    <p onclick=x()>Our <script>x()</script>offers</p><img src="cid:cat@x" alt=Cat><img src="http://far.example/i.png"
    alt="Far"><img src=http://track.example/o width=1 height=1><a href="http://evil.example/">www.bank.com</a>
    --b
    Content-Type: image/gif; name=cat.gif
    Content-ID: <cat@x>
    Content-Transfer-Encoding: base64

    R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==
    --b
    Content-Type: application/octet-stream; name="setup.exe"
    Content-Disposition: attachment

    x
    --b--

    """

  @Test func `a message becomes a page with its own images and no others`() throws {
    try tree.deliver("personal/INBOX/cur/1.host:2,S", Self.newsletter)
    try tree.index()
    let (page, count, status) = try page(["*"])
    #expect(count == 1 && status == .done)
    #expect(page.contains("<title>Offers &amp; more</title>"))
    #expect(page.contains("<p>Our offers</p><img src=\"data:image/gif;base64,R0lGOD"))
    #expect(page.contains("<span class=\"mirror-image\">Far</span>"))
    #expect(page.contains("1 remote image was not loaded: "))
    #expect(page.contains("1 image that tells the sender who reads this: track.example."))
    #expect(page.contains("A link shows www.bank.com and leads to evil.example."))
    #expect(page.contains("<b>setup.exe</b>"))
    #expect(!page.contains("cat.gif"))
    #expect(!page.contains("<script") && !page.contains("onclick") && !page.contains("src=\"http"))
  }

  @Test func `warnings stand above the text, and in JSON`() throws {
    try tree.deliver("personal/INBOX/cur/1.host:2,S", Self.newsletter)
    try tree.index()
    let document = try tree.document("*")
    #expect(document.warnings.map(\.kind) == [.linkTextDiffers, .dangerousAttachment])
    let lines = MessageView(document, subject: nil, unfoldsQuotes: false).lines(on: .file)
    let warning = try #require(lines.firstIndex { $0.hasPrefix("! A link shows www.bank.com") })
    let text = try #require(lines.firstIndex { $0.hasPrefix("Our offers") })
    #expect(warning < text)
    var json: [UInt8] = []
    document.json(root: tree.root).write(into: &json)
    #expect(
      String(decoding: json, as: UTF8.self).contains("\"kind\": \"link-text-differs\"")
        || String(decoding: json, as: UTF8.self).contains("\"kind\":\"link-text-differs\""))
  }

  @Test func `read messages are folded, unread ones open, and the last where all are read`() throws
  {
    for (number, flags) in ["S", "", "S"].enumerated() {
      try tree.deliver(
        "personal/INBOX/cur/\(number).host:2,\(flags)",
        SampleTree.message(id: "\(number)@x", minute: number, inReplyTo: number == 0 ? nil : "0@x"))
    }
    try tree.index()
    let folded = try page(["*"], whole: true).page.split(separator: "<details class=\"message\"")
      .dropFirst()
    #expect(folded.map { $0.hasPrefix(" open") } == [false, true, false])
    let read = try page(["is:read"]).page.split(separator: "<details class=\"message\"").dropFirst()
    #expect(read.map { $0.hasPrefix(" open") } == [false, true])
  }

  @Test func `a person who is known by another address is told of`() throws {
    try tree.deliver(
      "personal/Sent/cur/1.host:2,S",
      SampleTree.message(id: "1@x", from: "Me <me@home.example>", to: "Jane Doe <jane@example.org>")
    )
    try tree.deliver(
      "personal/INBOX/cur/2.host:2,S",
      SampleTree.message(
        id: "2@x", subject: "Money", from: "Jane Doe <jane@evil.example>", minute: 5))
    try tree.index()
    #expect(try page(["subject:Money"]).page.contains("You know Jane Doe by jane@example.org"))
  }
}
