import Foundation
import MailIndex
import Testing

@testable import Reading

/// The SQL of mirror-index(5), run by the `sqlite3` program: what it cannot do, no reader can rely on.
@Suite(.enabled(if: SQLiteProgram.path != nil, "sqlite3 is not installed"))
struct ViewsTests {
  private let tree: SampleTree

  init() throws {
    tree = try SampleTree()
    try tree.deliver(
      "personal/INBOX/new/1.host",
      "X-Keywords: todo, work\n"
        + SampleTree.message(id: "a@x", subject: "The budget", body: "The net amount is large.\n"))
    try tree.deliver(
      "personal/INBOX/cur/2.host:2,FS",
      SampleTree.message(
        id: "b@x", subject: "Re: The budget", from: "Bob <bob@example.org>", minute: 5,
        inReplyTo: "a@x"))
    try tree.deliver(
      "personal/Archive/2024/cur/3.host:2,S",
      SampleTree.message(
        id: "c@x", attachments: [("invoice.pdf", "x"), ("setup.exe", "MZ"), ("a.zip", "PK")]))
    try tree.index()
  }

  private func sql(_ statement: String) throws -> String {
    try SQLiteProgram.run(statement, on: IndexReader.path(root: tree.root))
  }

  @Test func `every example of the manual runs`() throws {
    let examples = try ManualPage.examples("mirror-index.5")
    #expect(examples.count >= 10)
    for example in examples {
      #expect(throws: Never.self, "\(example)") { try sql(example) }
    }
  }

  @Test func `every view has the columns that the manual names`() throws {
    let views = try ManualPage.columns("mirror-index.5")
    #expect(views.count == 11)
    for (view, columns) in views {
      let found = try sql("SELECT name FROM pragma_table_info('\(view)')")
      let names = Set(found.split(separator: "\n").map(String.init))
      #expect(names == Set(columns), "\(view)")
    }
    #expect(
      try sql("SELECT name FROM pragma_table_info('message_text')")
        == "subject\nsender\nrecipients\ncc\nbody\nattachment\n")
  }

  @Test func `the manual's numbers are those of the index`() throws {
    #expect(try sql("PRAGMA user_version") == "8\n")
    #expect(try sql("PRAGMA application_id") == "1835627128\n")
  }

  @Test func `the answers are right`() throws {
    #expect(try sql("SELECT count(*) FROM messages") == "3\n")
    #expect(
      try sql("SELECT group_concat(keyword) FROM (SELECT keyword FROM keywords ORDER BY 1)")
        == "todo,work\n")
    #expect(
      try sql("SELECT message_count, unread_count FROM threads WHERE subject LIKE '%budget%'")
        == "2|1\n")
    #expect(
      try sql("SELECT section, warning FROM attachments ORDER BY section")
        == "2|\n3|windows-executable\n4|archive\n")
    #expect(
      try sql("SELECT path, flags FROM files WHERE mailbox = 'Archive/2024'")
        == "personal/Archive/2024/cur/3.host:2,S|S\n")
    #expect(
      try sql(
        "SELECT m.message_id FROM messages m JOIN messages p ON p.id = m.parent_id WHERE p.message_id = 'a@x'"
      )
        == "b@x\n")
    #expect(
      try sql("SELECT name, unread, total FROM mailboxes ORDER BY name")
        == "Archive/2024|0|1\nINBOX|1|2\n")
    #expect(
      try sql(
        "SELECT m.subject FROM message_text t JOIN messages m ON m.id = t.rowid WHERE message_text MATCH '\"net amount\"'"
      )
        == "The budget\n")
  }
}

/// The `sqlite3` program of the system.
enum SQLiteProgram {
  static let path = ["/usr/bin/sqlite3", "/usr/local/bin/sqlite3", "/opt/homebrew/bin/sqlite3"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  struct Failure: Error { let words: String }

  static func run(_ sql: String, on database: String) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(path))
    process.arguments = ["-readonly", "-bail", database, sql]
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let words = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0, words.isEmpty else { throw Failure(words: words) }
    return text
  }
}

/// What tests take out of the manual pages.
enum ManualPage {
  static func lines(_ page: String) throws -> [String] {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: root.appendingPathComponent("man/" + page), encoding: .utf8)
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The literal displays below EXAMPLES.
  static func examples(_ page: String) throws -> [String] {
    var examples: [String] = []
    var current: [String]?
    for line in try lines(page).drop(while: { $0 != ".Sh EXAMPLES" }) {
      if line.hasPrefix(".Bd -literal") {
        current = []
      } else if line == ".Ed", let example = current {
        examples.append(example.joined(separator: "\n"))
        current = nil
      } else {
        current?.append(line)
      }
    }
    return examples
  }

  /// The columns of each view that has a list, or names them in its sentence.
  static func columns(_ page: String) throws -> [String: [String]] {
    var columns: [String: [String]] = [:]
    var view: String?
    for line in try lines(page) {
      if line.hasPrefix(".Ss ") {
        view = String(line.dropFirst(4))
      } else if line.hasPrefix(".Sh ") {
        view = nil
      } else if let view, view != "message_text" {
        if line.hasPrefix(".It Li ") {
          columns[view, default: []] += line.dropFirst(7).split(separator: " ").map(String.init)
            .filter { $0 != "," }
        } else if view == "keywords", line.hasPrefix(".Li ") {
          columns[view, default: []].append(
            line.dropFirst(4).split(separator: " ").map(String.init)[0])
        }
      }
    }
    return columns
  }
}
