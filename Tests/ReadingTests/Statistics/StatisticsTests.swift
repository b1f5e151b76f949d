import Foundation
import MailIndex
import Testing

@testable import Reading

@Suite struct StatisticsTests {
  private let tree: SampleTree

  init() throws {
    tree = try SampleTree()
    for number in 0..<12 {
      let sender = number < 8 ? "Alice <alice@example.org>" : "bob@EXAMPLE.com"
      var message = SampleTree.message(
        id: "\(number)@x", subject: "Number \(number)", from: sender, minute: number)
      if number % 4 == 0 { message = "List-Id: Club <club.example.org>\n" + message }
      try tree.deliver(
        "personal/INBOX/cur/\(number).host:2,\(number % 2 == 0 ? "S" : "")", message)
    }
    try tree.deliver(
      "personal/INBOX/cur/12.host:2,S",
      SampleTree.message(id: "f@x", attachments: [("a.pdf", "0123456789"), ("<b>&.pdf", "x")]))
    try tree.deliver(
      "personal/Archive/cur/13.host:2,S",
      "Date: Sat, 3 Mar 2018 23:30:00 +0000\n"
        + "From: \"<script>alert(1)</script>\" <evil@example.net>\nSubject: old\nMessage-ID: <old@x>\n\n"
        + String(repeating: "words and more\n", count: 2000))
    // A copy elsewhere is no message more.
    try tree.deliver(
      "personal/Archive/cur/14.host:2,S",
      "List-Id: Club <club.example.org>\n"
        + SampleTree.message(
          id: "0@x", subject: "Number 0", from: "Alice <alice@example.org>"))
    try tree.index()
  }

  private func statistics(_ words: String...) throws -> MailStatistics {
    let query = try MessageQuery(words, now: 1_763_720_000)
    return try tree.index().read { db in
      let chosen = words.isEmpty ? nil : try query.search(in: db).messages()
      return try StatisticsReader(db, only: chosen, most: 10).statistics()
    }
  }

  @Test func `every number is right`() throws {
    let found = try statistics()
    #expect(found.all.count == 14 && found.unread == 6 && found.own == 0)
    #expect(found.senders.map(\.name).prefix(2) == ["alice@example.org", "bob@EXAMPLE.com"])
    #expect(found.senders.map(\.messages) == [8, 4, 1, 1])
    #expect(found.domains.map(\.name) == ["example.org", "example.com", "example.net"])
    #expect(found.domains.map(\.messages) == [9, 4, 1])
    #expect(found.lists.map(\.name) == ["club.example.org"] && found.lists.map(\.messages) == [3])
    #expect(found.sizes.map(\.amount.count) == [13, 1, 0, 0, 0])
    #expect(found.years.map(\.year) == Array(2018...2025))
    #expect(found.years.map(\.amount.count) == [1, 0, 0, 0, 0, 0, 0, 13])
    #expect(found.hours.reduce(0, +) == 14 && found.weekdays.reduce(0, +) == 14)
    #expect(found.attachments.count == 2 && found.attachments.bytes == 11)
    #expect(found.attachmentTypes.map(\.mediaType) == ["application/octet-stream"])
  }

  @Test func `a query counts what it finds, and no more`() throws {
    let found = try statistics("from:bob")
    #expect(found.all.count == 4 && found.unread == 2)
    #expect(found.senders.map(\.name) == ["bob@EXAMPLE.com"])
    #expect(found.lists.map(\.messages) == [1])
    #expect(found.attachments.count == 0 && found.years.map(\.year) == [2025])
    #expect(try statistics("nobodywrotethis") == MailStatistics())
    #expect(try statistics("*").senders == statistics().senders)
    #expect(try statistics("has:attachment").attachments.count == 2)
  }

  @Test func `bars come on a terminal and fit it`() throws {
    for columns in [40, 80, 200] {
      let lines = StatisticsText(try statistics()).lines(on: .terminal(columns))
      #expect(lines.contains { $0.contains("█") })
      #expect(lines.dropFirst(2).allSatisfy { DisplayWidth.columns(of: $0) <= columns }, "\(lines)")
    }
    let plain = StatisticsText(try statistics()).lines(on: .file)
    #expect(!plain.contains { $0.contains("█") })
    #expect(plain.contains { $0.contains("Alice <alice@example.org>") && $0.hasSuffix("8") })
    #expect(StatisticsText(MailStatistics()).lines(on: .file) == ["no messages"])
  }

  @Test func `the document has every key`() throws {
    let found = try #require(
      try JSONSerialization.jsonObject(with: Data(try statistics().json.text.utf8))
        as? [String: Any])
    #expect(
      Set(found.keys) == [
        "messages", "bytes", "unread", "own", "first_date", "last_date", "attachments",
        "attachment_bytes", "senders", "domains", "lists", "sizes", "years", "hours", "weekdays",
        "attachment_types",
      ])
    #expect((found["hours"] as? [Int])?.count == 24)
  }

  @Test func `the page is well formed, loads nothing and runs nothing`() throws {
    let text = StatisticsPage(
      try statistics(), query: "from:\"<img src=x>\" & 'more'", now: 1_763_720_000
    ).text
    let parser = XMLCheck(text)
    #expect(parser.problem == nil)
    #expect(!parser.elements.contains("script") && !parser.elements.contains("img"))
    #expect(parser.elements.contains("svg") && parser.elements.contains("rect"))
    for word in ["http:", "https:", "url(", "src=", "href=", "onload", "<script"] {
      let escaped = text.replacing("&lt;img src=x&gt;", with: "")
      #expect(!escaped.contains(word), "\(word)")
    }
    #expect(text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
    #expect(text.contains("default-src 'none'"))
    #expect(XMLCheck(StatisticsPage(MailStatistics(), query: "", now: 0).text).problem == nil)
  }
}

/// Whether tags of a page close as they open, and which there are.
private struct XMLCheck {
  private(set) var elements: Set<String> = []
  private(set) var problem: String?

  init(_ page: String) {
    var open: [String] = []
    var rest = page[...]
    while let start = rest.firstIndex(of: "<") {
      rest = rest[rest.index(after: start)...]
      guard let end = rest.firstIndex(of: ">") else {
        problem = "a tag without its end"
        return
      }
      let tag = rest[..<end]
      rest = rest[rest.index(after: end)...]
      if tag.hasPrefix("!") { continue }
      if tag.hasPrefix("/") {
        if open.popLast() != String(tag.dropFirst()) {
          problem = "\(tag)"
          return
        }
        continue
      }
      let name = String(tag.prefix { $0.isLetter || $0.isNumber })
      elements.insert(name)
      if !tag.hasSuffix("/"), name != "meta" { open.append(name) }
    }
    if !open.isEmpty { problem = "open: \(open)" }
  }
}
