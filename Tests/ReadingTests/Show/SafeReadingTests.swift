import Foundation
import GRDB
import MailCore
import MailIndex
import SafeHTML
import Testing
import Warnings

@testable import Reading

@Suite struct SafeReadingTests {
  private let tree: SampleTree

  init() throws { tree = try SampleTree() }

  private static func html(_ body: String, header: String = "") -> String {
    "From: News <news@shop.example>\nTo: me@home.example\nSubject: News\nMessage-ID: <n@x>\n"
      + "Date: Fri, 21 Nov 2025 12:00:00 +0000\n\(header)"
      + "Content-Type: text/html; charset=utf-8\n\n\(body)\n"
  }

  private func deliver(_ message: String) throws {
    try tree.deliver("personal/INBOX/cur/1.host:2,S", message)
  }

  private func page(images: (any ImageFetching)? = nil) throws -> String {
    let sample = try SampleSession(tree, format: .text)
    let printer = PagePrinter(
      session: sample.session, reader: try sample.session.openIndex(), images: images)
    let ids = try Selection(["*"], sample.session).messageIDs(printer.reader)
    var page: [UInt8] = []
    _ = try printer.write(ids, wholeThreads: false, all: false) { page += $0 }
    return String(decoding: page, as: UTF8.self).withoutIslands
  }

  private func warnings(all: Bool = false) throws -> [String] {
    let sample = try SampleSession(tree, format: .text)
    var updater = IndexUpdater(root: tree.root)
    updater.examiner = sample.session.examiner
    updater.examinesAll = all
    _ = try updater.run()
    return try IndexReader.open(root: tree.root).read { db in
      try String.fetchAll(db, sql: "SELECT kind FROM warnings ORDER BY kind")
    }
  }

  // MARK: Limits

  @Test func `of a page that is too large the words are shown, and that is said`() throws {
    let deep = String(repeating: "<b>", count: 100_001) + "Deep words"
    try deliver(Self.html(deep))
    try tree.index()
    let text = try page()
    #expect(text.contains("Deep words"))
    #expect(text.contains("Only the words of this page are shown: "))
  }

  // MARK: Unsubscribing

  @Test func `how a list is left stands above the text and below the page`() throws {
    try deliver(
      Self.html(
        "<p>Hi</p>",
        header: """
          List-Unsubscribe: <mailto:leave@x.example>,
           <https://x.example/leave?a=1&b=2>, <javascript:alert(1)>
          List-Unsubscribe-Post: List-Unsubscribe=One-Click

          """))
    try tree.index()
    let document = try tree.document("*")
    let lines = MessageView(document, subject: nil, unfoldsQuotes: false).lines(on: .file)
    #expect(lines.contains("Unsubscribe: https://x.example/leave?a=1&b=2 (one click)"))
    #expect(try page().contains("Unsubscribe: <a href=\"https://x.example/leave?a=1&amp;b=2\""))
    let leaving = try #require(Unsubscribing(document.headers))
    #expect(leaving.addresses == ["mailto:leave@x.example", "https://x.example/leave?a=1&b=2"])
  }

  @Test func `quotations of several depths are folded as one`() throws {
    try deliver(
      "From: a@shop.example\nSubject: s\nMessage-ID: <n@x>\n\nOwn.\n> one\n>> two\n> three\n\nMore.\n"
    )
    try tree.index()
    #expect(try page().components(separatedBy: "<details class=\"mirror-quote\">").count == 2)
    #expect(try page().contains("3 quoted lines"))
  }

  // MARK: One examination

  private static let misleading = "<p>See <a href='http://evil.test/'>www.bank.com</a></p>"

  /// Whichever form of a message is read, its page is looked at.
  @Test(arguments: [
    ("text/html", misleading), ("text/plain", "<!doctype html>" + misleading),
    (
      "multipart/alternative; boundary=b",
      "--b\n\nEnough words to be no stub of the page that stands beside them here.\n"
        + "--b\nContent-Type: text/html\n\n\(misleading)\n--b--"
    ),
    (
      "message/rfc822", "Subject: inner\nContent-Type: text/html\n\n\(misleading)"
    ),
  ]) func `text, page and index warn alike`(type: String, body: String) throws {
    try deliver(
      "From: a@shop.example\nSubject: s\nMessage-ID: <n@x>\nContent-Type: \(type)\n\n\(body)\n")
    try tree.index()
    #expect(try tree.document("*").warnings.map(\.kind) == [.linkTextDiffers])
    #expect(try page().contains("A link shows www.bank.com and leads to evil.test."))
    #expect(try warnings(all: true) == ["link-text-differs"])
  }

  // MARK: The view

  @Test func `of a first build the newest are looked through, and on demand the rest`() throws {
    let words = String(repeating: "words ", count: 4000)
    for number in 10..<70 {
      try tree.deliver(
        "personal/INBOX/cur/\(number).host:2,S",
        "From: a@shop.example\nSubject: s\nMessage-ID: <\(number)@x>\n"
          + "Date: Fri, 21 Nov 2025 12:00:\(number % 60 < 10 ? "0" : "")\(number % 60) +0000\n"
          + "Content-Type: text/html\n\n\(Self.misleading)\(words)\n")
    }
    // Fifty of them are more than a megabyte.
    #expect(try warnings().count == 50)
    #expect(try warnings(all: true).count == 60)
  }

  @Test func `warnings of new mail are in the index, and go with their message`() throws {
    try deliver(
      Self.html("<p>Hi</p><a href=\"http://evil.example/\">www.bank.com</a>"))
    try tree.deliver("personal/INBOX/cur/2.host:2,S", SampleTree.message(id: "plain@x"))
    #expect(try warnings() == ["link-text-differs"])
    try FileManager.default.removeItem(atPath: tree.root + "/personal/INBOX/cur/1.host:2,S")
    #expect(try warnings() == [])
    // What comes after the first build is looked through as well.
    try tree.deliver(
      "personal/INBOX/cur/3.host:2,S",
      Self.html("<a href=\"http://evil.example/\">www.bank.com</a>"))
    #expect(try warnings() == ["link-text-differs"])
  }

  @Test func `an index that was made without looking is looked through later`() throws {
    try deliver(Self.html("<a href=\"http://evil.example/\">www.bank.com</a>"))
    try tree.index()
    try tree.deliver(
      "personal/INBOX/cur/2.host:2,S",
      Self.html("<a href=\"http://evil.example/\">www.home.com</a>")
        .replacing("<n@x>", with: "<m@x>"))
    try tree.index()
    // What came later is looked through at once, the old mail when there is time for it.
    #expect(try warnings() == ["link-text-differs"])
    #expect(try warnings(all: true) == ["link-text-differs", "link-text-differs"])
  }

  // MARK: Images

  private final class Pictures: ImageFetching, @unchecked Sendable {
    var asked: [String] = []
    var wanted = true

    func isWanted(from sender: String?, _ verdict: ProviderVerdict) -> Bool {
      wanted && sender == "news@shop.example"
    }

    func fetch(_ addresses: [WebAddress], trackers: TrackerList) -> [String: String] {
      asked += addresses.map(\.text)
      return Dictionary(
        uniqueKeysWithValues: addresses.filter { $0.text.hasSuffix("a.png") }
          .map { ($0.text, "data:image/png;base64,AAAA") })
    }
  }

  @Test func `remote images come into the page where they are wanted, trackers never`() throws {
    try deliver(
      Self.html(
        """
        <p>Hi</p><img src="http://far.example/a.png" alt=A><img src="http://far.example/gone.png" alt=Gone>
        <img src="http://far.example/t.gif" width=1 height=1>
        """))
    try tree.index()
    let pictures = Pictures()
    let text = try page(images: pictures)
    #expect(pictures.asked == ["http://far.example/a.png", "http://far.example/gone.png"])
    #expect(text.contains("<img src=\"data:image/png;base64,AAAA\" alt=\"A\""))
    #expect(text.contains("1 remote image was fetched from far.example."))
    #expect(text.contains("1 remote image was not loaded: "))
    #expect(text.contains("1 image that tells the sender who reads this: far.example."))
    #expect(!text.contains("src=\"http"))
    pictures.wanted = false
    pictures.asked = []
    #expect(try !page(images: pictures).contains("data:image/png"))
    #expect(pictures.asked.isEmpty)
  }

  // MARK: Parts as text

  private func text(_ html: String, charset: String? = nil) -> [String] {
    PartAsText(content: Array(html.utf8), type: "text/html", charset: charset).lines(on: .file)
  }

  @Test func `a page is text with numbered links, and what leads elsewhere is marked`() {
    let lines = text(
      "<h1>Title\u{1B}[2J</h1><p>See <a href=\"http://evil.example/x\">www.bank.com</a></p>")
    #expect(lines.first == "! A link shows www.bank.com and leads to evil.example.")
    #expect(lines.contains("See www.bank.com [1 leads to evil.example]"))
    #expect(
      lines.contains(
        "[1] http://evil.example/x (! leads to evil.example, not where its text says)"))
    #expect(!lines.joined().contains("\u{1B}"))
  }

  @Test func `hidden words are left out and counted`() {
    let hidden = (0..<30).map { "word\($0)" }.joined(separator: " ")
    let lines = text("<p>Seen</p><div style=\"display:none\">\(hidden)</div>")
    #expect(lines.contains("Seen"))
    #expect(lines.first == "! 30 words are in this message that its reader is not meant to see.")
    #expect(!lines.joined().contains("word7"))
  }

  @Test func `a page has the charset that is said, else its own`() {
    let latin = PartAsText(
      content: Array("<p>caf".utf8) + [0xE9] + Array("</p>".utf8), type: "text/html",
      charset: "iso-8859-1")
    #expect(latin.lines(on: .file) == ["café"])
    #expect(text("<p>café</p>", charset: "utf-8\"\nEvil: x") == ["café"])
  }

  // MARK: Conversations

  private func conversation(_ count: Int, unread: Set<Int>) throws {
    for number in 0..<count {
      try tree.deliver(
        "personal/INBOX/cur/\(number).host:2,\(unread.contains(number) ? "" : "S")",
        SampleTree.message(
          id: "\(number)@x", subject: number == 0 ? "Topic" : "Re: Topic", minute: number,
          inReplyTo: number == 0 ? nil : "0@x", body: "Body number \(number) here.\n"))
    }
    try tree.index()
  }

  private func show(folds: Bool = false, older: Int = 0) throws -> [String] {
    let sample = try SampleSession(tree, format: .text)
    let reader = try sample.session.openIndex()
    let ids = try Selection(["*"], sample.session).messageIDs(reader)
    var printer = ConversationPrinter(
      session: sample.session, reader: reader, unfoldsQuotes: false, onlyHeaders: false)
    printer.foldsRead = folds
    printer.older = older
    _ = try printer.print(ids, wholeThreads: true, all: false)
    return sample.output.lines
  }

  @Test func `read messages are a line each, the unread ones are open`() throws {
    try conversation(5, unread: [2, 4])
    let lines = try show(folds: true)
    let open = lines.filter { $0.hasPrefix("Body number") }
    #expect(open == ["Body number 2 here.", "Body number 4 here."])
    let folded = lines.filter { $0.hasPrefix("  Alice Example  ") }
    #expect(folded.count == 3)
    #expect(folded.allSatisfy { $0.contains("Body number") })
  }

  @Test func `of read messages the last is open`() throws {
    try conversation(3, unread: [])
    #expect(try show(folds: true).filter { $0.hasPrefix("Body") } == ["Body number 2 here."])
    #expect(try show().filter { $0.hasPrefix("Body") }.count == 3)
  }

  @Test func `older messages come twenty-five at a time`() throws {
    try conversation(60, unread: [])
    func bodies(_ lines: [String]) -> [Int] {
      lines.filter { $0.hasPrefix("Body number ") }
        .compactMap { Int($0.split(separator: " ")[2]) }
    }
    #expect(bodies(try show()) == Array(35..<60))
    let before = try show(older: 1)
    #expect(bodies(before) == Array(10..<35))
    #expect(before.contains { $0.contains("10 older messages left out") })
    #expect(before.contains { $0.contains("25 newer messages left out") })
    #expect(bodies(try show(older: 2)) == Array(0..<10))
    #expect(throws: ShowError.noneOlder) { try show(older: 3) }
  }

  @Test(
    arguments: [
      (nil, "less"), ("", nil), ("cat", nil), ("more", "more"), ("less -S | x", "less -S | x"),
    ] as [(String?, String?)])
  func `the pager is the user's, else less, and none where that is said`(
    variable: String?, command: String?
  ) {
    #expect(Pager.command(variable) == command)
  }
}
