import Foundation
import MailIndex
import Testing

@testable import Reading

@Suite struct ListingTests {
  private let tree: SampleTree

  init() throws {
    tree = try SampleTree()
    for number in 0..<60 {
      let reply = number > 0 && number < 3 ? "0@x" : nil
      try tree.deliver(
        "personal/INBOX/cur/\(number).host:2,\(number % 2 == 0 ? "S" : "")",
        SampleTree.message(
          id: "\(number)@x", subject: "Number \(number)", minute: number, inReplyTo: reply,
          body: "First line.\nA \(number == 7 ? "budget" : "plain") line.\n"))
    }
    try tree.index()
  }

  private func messages(
    _ words: [String], format: ResultFormat = .text, columns: Int? = nil, options: [String] = [],
    hasContext: Bool = false
  ) throws -> SampleSession {
    let sample = try SampleSession(tree, format: format, columns: columns)
    let listing = Listing(session: sample.session, range: try ListRange.parse(options).range)
    try listing.messages(try sample.session.query(words), hasContext: hasContext)
    return sample
  }

  private func conversations(_ words: [String], format: ResultFormat, options: [String] = []) throws
    -> SampleSession
  {
    let sample = try SampleSession(tree, format: format)
    let listing = Listing(session: sample.session, range: try ListRange.parse(options).range)
    try listing.conversations(try sample.session.query(words))
    return sample
  }

  @Test func `a terminal shows fifty and says that there are more`() throws {
    let sample = try messages(["*"], columns: 80)
    #expect(sample.output.lines.count == 50)
    #expect(sample.output.lines[0].contains("Number 59"))
    #expect(sample.errors.text.contains("--offset 50"))
    #expect(try messages(["*"]).output.lines.count == 60)
    #expect(try messages(["*"], columns: 80, options: ["--limit", "0"]).output.lines.count == 60)
  }

  @Test func `limit and offset cut the list`() throws {
    let sample = try messages(["*"], format: .ids, options: ["--limit", "3", "--offset", "2"])
    let all = try messages(["*"], format: .ids).output.lines
    #expect(sample.output.lines == Array(all[2..<5]))
    #expect(sample.errors.text.isEmpty)
  }

  @Test func `no limit or offset is too large`() throws {
    let most = String(Int.max)
    #expect(try messages(["*"], columns: 80, options: ["--limit", most]).output.lines.count == 60)
    #expect(
      try conversations(["*"], format: .ids, options: ["--limit", most]).output.lines.count == 58)
    let sample = try messages(["*"], columns: 80, options: ["--offset", most])
    #expect(sample.output.text.isEmpty && sample.errors.text.isEmpty)
  }

  @Test func `a tag that stands for a flag is told to no one as unknown`() throws {
    for words in ["tag:unread", "tag:flagged", "not tag:replied", "tag:draft"] {
      #expect(try messages([words]).errors.text.isEmpty, "\(words)")
    }
    #expect(try messages(["keyword:flagged"]).errors.text.contains("keyword:flagged"))
  }

  @Test func `a name that is not known is told, of a long one the start`() throws {
    let told = try messages(["folder:" + String(repeating: "x", count: 8000)]).errors.text
    #expect(told.contains("folder:xxx") && told.contains("…") && told.utf8.count < 200)
    #expect(try messages(["account:\"\""]).errors.text.contains("account:\"\""))
  }

  @Test func `a dry run links nothing`() throws {
    let target = tree.scratch.path + "/links"
    let sample = try SampleSession(tree, format: .maildir(target))
    let listing = Listing(
      session: sample.session, range: try ListRange.parse([]).range, isDry: true)
    try listing.messages(try sample.session.query(["*"]), hasContext: false)
    #expect(sample.output.text.contains("60 messages would be linked in \(target)"))
    #expect(!FileManager.default.fileExists(atPath: target))
  }

  @Test func `documents are whole whatever they hold`() throws {
    for (words, count) in [(["*"], 60), (["Number", "7"], 1), (["nothing"], 0)] {
      let json = try messages(words, format: .json).output.text
      let array = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
      #expect(array?.count == count)
      let lines = try messages(words, format: .jsonl).output.lines
      #expect(lines.count == count)
      for line in lines { _ = try JSONSerialization.jsonObject(with: Data(line.utf8)) }
    }
  }

  @Test func `paths are those of the files`() throws {
    let paths = try messages(["Number 7"], format: .paths).output.lines
    #expect(paths == [tree.root + "/personal/INBOX/cur/7.host:2,"])
    #expect(FileManager.default.fileExists(atPath: paths[0]))
  }

  @Test func `a context line shows what matched`() throws {
    let sample = try messages(["budget"], hasContext: true)
    #expect(sample.output.lines.count == 2 && sample.output.lines[1] == "    A budget line.")
    let json = try messages(["budget"], format: .jsonl, hasContext: true).output.text
    #expect(json.contains(#""context": "A budget line.""#))
  }

  @Test func `a directory of links holds what was found`() throws {
    let directory = tree.scratch.path + "/hits"
    let sample = try messages(["Number 7"], format: .maildir(directory))
    #expect(sample.output.lines == ["1 message in \(directory)"])
    let names = tree.scratch.names(in: "hits/cur")
    #expect(names.count == 1 && names[0].hasSuffix(".7.host:2,"))
    _ = try conversations(["Number 1"], format: .maildir(directory))
    #expect(tree.scratch.names(in: "hits/cur").count >= 3)
  }

  @Test func `conversations are listed with all of their messages`() throws {
    let json = try conversations(["\"Number 1\""], format: .json).output.text
    let array = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
    let thread = try #require(array?.last)
    #expect(thread["message_count"] as? Int == 3 && thread["unread_count"] as? Int == 1)
    #expect(thread["message_ids"] as? [String] == ["0@x", "1@x", "2@x"])
    #expect(thread["subject"] as? String == "Number 0")
    let ids = try conversations(["*"], format: .ids).output.lines
    #expect(ids.count == 58 && ids.allSatisfy { $0.hasPrefix("thread:") })
  }

  @Test func `results that could not be written fail the command`() throws {
    let sample = try SampleSession(tree, isFull: true)
    let listing = Listing(session: sample.session, range: try ListRange.parse([]).range)
    try listing.messages(try sample.session.query(["*"]), hasContext: false)
    #expect(throws: (any Error).self) { try sample.session.end() }
    #expect(throws: Never.self) { try SampleSession(tree).session.end() }
  }

  @Test func `counting prints a number`() throws {
    let sample = try SampleSession(tree)
    let listing = Listing(session: sample.session, range: try ListRange.parse([]).range)
    try listing.count(try sample.session.query(["*"]), threads: false)
    try listing.count(try sample.session.query(["*"]), threads: true)
    #expect(sample.output.text == "60\n58\n")
  }

  @Test func `a mistake is told with a caret and ends as a usage error`() throws {
    let sample = try SampleSession(tree)
    #expect(throws: (any Error).self) { try sample.session.query(["from:alice", "and", "("]) }
    #expect(sample.errors.lines.contains { $0.hasSuffix("^") })
    #expect(sample.errors.lines.contains("  from:alice and ("))
  }

  @Test func `a name that nothing has is told`() throws {
    let sample = try messages(["folder:Nowhere"])
    #expect(sample.output.text.isEmpty && sample.errors.text.contains("folder:Nowhere"))
  }
}
