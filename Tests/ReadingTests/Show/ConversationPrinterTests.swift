import Foundation
import MailCore
import MailIndex
import Testing

@testable import Reading

@Suite struct ConversationPrinterTests {
  private let tree: SampleTree

  init() throws { tree = try SampleTree() }

  /// A conversation of `count` messages, all read but those in `unread`.
  private func deliver(_ count: Int, unread: Set<Int> = []) throws {
    for number in 0..<count {
      try tree.deliver(
        "personal/INBOX/cur/\(number).host:2,\(unread.contains(number) ? "" : "S")",
        SampleTree.message(
          id: "\(number)@x", subject: number == 0 ? "Topic" : "Re: Topic", minute: number,
          inReplyTo: number == 0 ? nil : "0@x", body: "Body number \(number) here.\n"))
    }
    try tree.index()
  }

  private func show(
    _ words: [String], format: ResultFormat = .text, all: Bool = false, whole: Bool = false,
    headers: Bool = false
  ) throws -> (sample: SampleSession, status: MailCore.ExitStatus) {
    let sample = try SampleSession(tree, format: format)
    let reader = try sample.session.openIndex()
    let ids = try Selection(words, sample.session).messageIDs(reader)
    let printer = ConversationPrinter(
      session: sample.session, reader: reader, unfoldsQuotes: false, onlyHeaders: headers)
    return (sample, try printer.print(ids, wholeThreads: whole, all: all).1)
  }

  private func bodies(_ sample: SampleSession) -> [Int] {
    sample.output.lines.filter { $0.hasPrefix("Body number ") }
      .compactMap { Int($0.split(separator: " ")[2]) }
  }

  @Test func `a conversation comes in its order`() throws {
    try deliver(5)
    let id = try #require(try tree.hits("*").first?.threadID)
    #expect(bodies(try show(["thread:\(id)"]).sample) == [0, 1, 2, 3, 4])
  }

  @Test func `an id shows its message and with the option its conversation`() throws {
    try deliver(3)
    let id = try #require(try tree.hits("\"number 1\"").first?.id)
    #expect(bodies(try show([String(id)]).sample) == [1])
    #expect(bodies(try show([String(id)], whole: true).sample) == [0, 1, 2])
  }

  @Test func `of many the newest are shown with the newest unread one`() throws {
    try deliver(60, unread: [4, 9])
    let id = try #require(try tree.hits("*").first?.threadID)
    let excerpt = try show(["thread:\(id)"]).sample
    #expect(bodies(excerpt) == [9] + Array(35..<60))
    #expect(excerpt.output.text.contains("34 older messages left out; --all prints them"))
    #expect(bodies(try show(["thread:\(id)"], all: true).sample) == Array(0..<60))
  }

  @Test func `a message whose file is gone is told and the rest is shown`() throws {
    try deliver(3)
    try FileManager.default.removeItem(atPath: tree.root + "/personal/INBOX/cur/1.host:2,S")
    let id = try #require(
      try IndexReader.open(root: tree.root).read { db in
        try HitReader(db).hits(MessageQuery(["*"], now: 0).search(in: db).messages()).first?
          .threadID
      })
    let (sample, status) = try show(["thread:\(id)"])
    #expect(status == .inPart)
    #expect(bodies(sample) == [0, 2])
    #expect(sample.errors.text.contains("is gone since the index was made"))
  }

  @Test func `headers come decoded and nothing else`() throws {
    try tree.deliver(
      "INBOX/cur/1.host:2,S", SampleTree.message(id: "a@x", subject: "=?utf-8?q?Gr=C3=BC=C3=9Fe?="))
    try tree.index()
    let lines = try show(["*"], headers: true).sample.output.lines
    #expect(lines.contains("Subject: Grüße") && lines.contains("Message-ID: <a@x>"))
    #expect(!lines.contains("Some words."))
  }

  @Test func `documents hold an object for each message`() throws {
    try deliver(3)
    let json = try show(["*"], format: .json).sample.output.text
    let array = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
    #expect(
      array?.compactMap { $0["text"] as? String } == (0..<3).map { "Body number \($0) here." })
  }

  @Test func `raw bytes and parts go out as they are`() throws {
    let text = "line\r\n\u{1B}[31m\u{0}end"
    try tree.deliver(
      "INBOX/cur/1.host:2,S", SampleTree.message(id: "a@x", attachments: [("a.bin", text)]))
    let hit = try #require(try tree.hits("*").first)
    let whole = try SampleSession(tree)
    try ShownPart(session: whole.session, reader: try whole.session.openIndex())
      .print(hit.id, section: nil)
    #expect(whole.output.text == tree.scratch.text(of: "Mail/INBOX/cur/1.host:2,S"))
    let part = try SampleSession(tree)
    try ShownPart(session: part.session, reader: try part.session.openIndex())
      .print(hit.id, section: "2")
    #expect(part.output.text == text)
    let terminal = try SampleSession(tree, columns: 80)
    let shown = ShownPart(session: terminal.session, reader: try terminal.session.openIndex())
    #expect(throws: TerminalError.self) { try shown.print(hit.id, section: "2") }
    #expect(throws: PartError.missing("9")) { try shown.print(hit.id, section: "9") }
    try shown.print(hit.id, section: nil)
    #expect(!terminal.output.written.contains(0x1B))
  }
}
