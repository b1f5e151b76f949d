import Foundation
import GRDB
import Testing

@testable import MailIndex
@testable import Reading

@Suite struct IndexHealthTests {
  private let tree: SampleTree

  init() throws {
    tree = try SampleTree()
    for number in 0..<3 {
      try tree.deliver(
        "personal/INBOX/cur/\(number).host:2,S",
        SampleTree.message(id: "\(number)@x", minute: number))
    }
    try tree.index()
  }

  @Test func `an edit is told as a change`() throws {
    try tree.deliver(
      "personal/INBOX/cur/1.host:2,S", SampleTree.message(id: "1@x", minute: 1, body: "Other.\n"))
    let told = IndexRunReport(summary: try IndexUpdater(root: tree.root).run(.thorough))
    #expect(told.line.hasPrefix("0 new, 1 changed, 0 gone; 3 messages in the index, "))
  }

  @Test func `a pipe among the messages is no difference from the tree`() throws {
    mkfifo(tree.root + "/personal/INBOX/cur/pipe", 0o600)
    let found = try IndexCheck(root: tree.root).run()
    #expect(CheckCommand.line(found) == "3 messages, 3 files: all is well")
    #expect(CheckCommand.json(found).text.contains("a named pipe"))
  }

  @Test func `damage that a search met is told by the next run, once`() throws {
    let queue = try DatabaseQueue(path: IndexReader.path(root: tree.root))
    try queue.write { try $0.execute(sql: "DELETE FROM message_text_data WHERE id > 100") }
    try queue.close()
    let reader = try IndexReader.open(root: tree.root)
    #expect(throws: IndexError.self) {
      try reader.read {
        try Int.fetchOne(
          $0, sql: "SELECT count(*) FROM message_text WHERE message_text MATCH 'x OR words'")
      }
    }
    let sample = try SampleSession(tree)
    IndexRunReport(summary: try IndexUpdater(root: tree.root).run()).tellProblems(
      sample.session.report)
    #expect(sample.errors.text.contains("it was damaged"))
    #expect(try tree.hits("words").count == 3)
    #expect(try IndexUpdater(root: tree.root).run().reset == nil)
  }

  @Test func `errors name what to do`() {
    let locked = IndexError.locked.explanation
    #expect(locked.exitStatus == .busy)
    let occupied = IndexError.occupied(path: "/m/.mirror/index.db", by: "a directory").explanation
    #expect(occupied.problem.contains("a directory is there"))
    #expect(IndexError.damaged("x").explanation.remedy?.contains("rebuild") == true)
  }
}
