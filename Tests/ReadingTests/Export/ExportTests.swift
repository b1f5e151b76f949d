import Foundation
import MailIndex
import Testing

@testable import Reading

@Suite struct ExportTests {
  private let tree: SampleTree
  private let messages = [
    SampleTree.message(
      id: "a@x", subject: "First", body: "From the start\n>From here\n\nFrom\nlast, no line end"),
    SampleTree.message(
      id: "b@x", subject: "a/b: ../../evil", from: "Ünï Cödé", minute: 5, body: "\n\nFrom me\n\n\n"),
    "From someone@example.org Thu Jan  1 00:00:00 1970\n"
      + SampleTree.message(id: "c@x", subject: "First", minute: 9),
  ]

  init() throws {
    tree = try SampleTree()
    for (number, message) in messages.enumerated() {
      try tree.deliver("personal/INBOX/cur/\(number).host:2,S", message)
    }
    try tree.index()
  }

  private func export(
    _ target: (SampleSession) throws -> any ExportTarget, _ words: String = "*",
    format: ResultFormat = .text
  ) throws -> SampleSession {
    let sample = try SampleSession(tree, format: format)
    let reader = try sample.session.openIndex()
    let ids = try Selection([words], sample.session).messageIDs(reader)
    var export = MessageExport(
      session: sample.session, reader: reader, target: try target(sample), isDry: false)
    _ = try export.run(ids.reversed())
    return sample
  }

  /// As a program reads mboxrd: messages begin behind an empty line, and one `>` goes.
  private func messages(inMbox text: String) -> [String] {
    var messages: [String] = []
    var isAfterBlank = true
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if isAfterBlank, line.hasPrefix("From ") {
        messages.append("")
      } else if !messages.isEmpty {
        let isQuoted = line.first == ">" && line.drop { $0 == ">" }.hasPrefix("From ")
        messages[messages.count - 1] += (isQuoted ? line.dropFirst() : line) + "\n"
      }
      isAfterBlank = line.isEmpty
    }
    return messages
  }

  @Test func `an mbox gives every message back, byte for byte`() throws {
    let path = tree.scratch.path + "/out.mbox"
    let sample = try export({ _ in try MboxFile(path, isDry: false) })
    #expect(sample.output.text == "3 messages in \(path)\n")
    let text = try #require(tree.scratch.text(of: "out.mbox"))
    #expect(
      text.hasPrefix("From alice@example.org Fri Nov 21 10:00:00 2025\n")
        && text.contains("\nFrom MAILER-DAEMON Fri Nov 21 10:05:00 2025\n"))
    // A line end that was missing, the empty line between, and the splitting's own.
    let expected = [messages[0] + "\n\n", messages[1] + "\n", messages[2] + "\n\n"]
    #expect(messages(inMbox: text) == expected)
    #expect(tree.scratch.names() == ["Mail", "out.mbox"])
  }

  @Test func `an mbox goes to standard output and nothing else with it`() throws {
    let sample = try export({ MboxOutput(console: $0.session.report.console, isDry: false) })
    #expect(messages(inMbox: sample.output.text).count == 3)
    #expect(!sample.output.text.contains("3 messages"))
    let dry = try export({ MboxOutput(console: $0.session.report.console, isDry: true) })
    #expect(dry.output.text.isEmpty)
  }

  @Test func `an mbox has one kind of line ends, files of their own those of the tree`() throws {
    let crlf = SampleTree.message(id: "d@x", subject: "CRLF", minute: 30, body: "From me\n\rodd\n")
      .replacing("\n", with: "\r\n")
    try tree.deliver("personal/INBOX/cur/8.host:2,S", crlf)
    try tree.index()
    let path = tree.scratch.path + "/out.mbox"
    _ = try export({ _ in try MboxFile(path, isDry: false) })
    let text = try #require(tree.scratch.text(of: "out.mbox"))
    #expect(!text.contains("\r\n") && text.contains("\n>From me\n\rodd\n"))
    #expect(messages(inMbox: text).last == crlf.replacing("\r\n", with: "\n") + "\n\n")
    let out = tree.scratch.path + "/out"
    _ = try export({ _ in MessageFiles(try SaveDirectory(out)) })
    #expect(tree.scratch.text(of: "out/2025-11-21 CRLF.eml") == crlf)
  }

  @Test func `a file that is there is not replaced`() throws {
    try tree.scratch.write("mine", to: "out.mbox")
    let path = tree.scratch.path + "/out.mbox"
    #expect(throws: SaveError.exists(path)) { try MboxFile(path, isDry: false) }
    // Somebody else made it meanwhile.
    var file = try MboxFile(tree.scratch.path + "/other.mbox", isDry: false)
    try tree.scratch.write("mine", to: "other.mbox")
    #expect(throws: SaveError.self) { try file.finish() }
    #expect(tree.scratch.text(of: "out.mbox") == "mine")
    #expect(tree.scratch.text(of: "other.mbox") == "mine")
  }

  @Test func `what was not finished leaves nothing`() throws {
    do { _ = try MboxFile(tree.scratch.path + "/out.mbox", isDry: false) }
    _ = try export({ _ in try MboxFile(tree.scratch.path + "/out.mbox", isDry: true) })
    #expect(tree.scratch.names() == ["Mail"])
  }

  @Test func `messages become files of their own under safe names`() throws {
    let out = tree.scratch.path + "/out"
    let sample = try export({ _ in MessageFiles(try SaveDirectory(out)) }, format: .jsonl)
    #expect(
      tree.scratch.names(in: "out") == [
        "2025-11-21 First (2).eml", "2025-11-21 First.eml", "2025-11-21 a_b_ .._.._evil.eml",
      ])
    #expect(tree.scratch.text(of: "out/2025-11-21 First.eml") == messages[0])
    #expect(tree.scratch.text(of: "out/2025-11-21 First (2).eml") == messages[2])
    #expect(sample.output.lines.count == 3 && sample.output.text.contains("\"path\": \"\(out)/"))
  }

  @Test func `a message that is gone is told, and the others are written`() throws {
    try FileManager.default.removeItem(atPath: tree.root + "/personal/INBOX/cur/1.host:2,S")
    let path = tree.scratch.path + "/out.mbox"
    let sample = try export({ _ in try MboxFile(path, isDry: false) })
    #expect(sample.output.text.hasPrefix("2 messages in "))
    #expect(sample.errors.text.contains("is gone since the index was made"))
  }

  @Test func `what lacks parts is told, and goes out without our line`() throws {
    let stub =
      "X-Mirror-Stub: 1; size=999; parts=2\n"
      + SampleTree.message(id: "stub@x", subject: "Stub", minute: 20)
    try tree.deliver("personal/INBOX/cur/7.host:2,S", stub)
    try tree.index()
    let sample = try export({ _ in try MboxFile(tree.scratch.path + "/s.mbox", isDry: false) })
    #expect(sample.errors.text.contains("`mirror fill id:stub@x`"), "\(sample.errors.text)")
    let text = try #require(tree.scratch.text(of: "s.mbox"))
    #expect(text.contains("id:stub@x") == false && text.contains("<stub@x>"))
    #expect(!text.contains("X-Mirror-Stub"))
    let json = try export(
      { _ in MessageFiles(try SaveDirectory(tree.scratch.path + "/eml", isDry: false)) },
      format: .json)
    #expect(json.output.text.components(separatedBy: "\"is_stub\": true").count == 2)
  }
}
