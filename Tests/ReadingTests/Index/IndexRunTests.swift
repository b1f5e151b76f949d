import ArgumentParser
import CLISupport
import Foundation
import GRDB
import Testing

@testable import MailIndex
@testable import Reading

@Suite struct IndexRunTests {
  private let tree: SampleTree

  init() throws {
    tree = try SampleTree()
    for number in 0..<5 {
      try tree.deliver(
        "personal/INBOX/cur/\(number).host:2,S",
        SampleTree.message(id: "\(number)@x", minute: number))
    }
  }

  @Test func `a run is told in one line whose form stays`() throws {
    let first = IndexRunReport(summary: try IndexUpdater(root: tree.root).run())
    #expect(first.line.hasPrefix("5 new, 0 changed, 0 gone; 5 messages in the index, "))
    try FileManager.default.removeItem(atPath: tree.root + "/personal/INBOX/cur/4.host:2,S")
    let second = IndexRunReport(summary: try IndexUpdater(root: tree.root).run())
    #expect(second.line.hasPrefix("0 new, 0 changed, 1 gone; 4 messages in the index, "))
    #expect(second.json.text.hasPrefix(#"{"new": 0, "changed": 0, "gone": 1, "messages": 4, "#))
  }

  @Test func `a damaged index is made anew and that is told`() throws {
    try tree.index()
    let path = IndexReader.path(root: tree.root)
    try Data("this is no database, and long enough to be read as a header of one".utf8)
      .write(to: URL(fileURLWithPath: path))
    for ending in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + ending) }
    let sample = try SampleSession(tree)
    let told = IndexRunReport(summary: try IndexUpdater(root: tree.root).run())
    told.tellProblems(sample.session.report)
    #expect(sample.errors.text.contains("it was made anew."))
    #expect(try tree.hits("*").count == 5)
  }

  @Test func `an index that cannot be made fails no pull`() throws {
    let sample = try SampleSession(tree)
    try FileManager.default.removeItem(atPath: tree.root)
    do throws(IndexError) {
      try IndexAfterPull.update(
        root: tree.root, ownAddresses: [], report: sample.session.report, showsProgress: false)
    } catch {
      IndexAfterPull.tell(error, sample.session.report)
    }
    #expect(sample.errors.text.hasPrefix("index: "))
    #expect(sample.output.text.isEmpty)
  }

  @Test func `a pull brings the index up to date and says nothing of it`() throws {
    let sample = try SampleSession(tree)
    try IndexAfterPull.update(
      root: tree.root, ownAddresses: ["me@example.org"], report: sample.session.report,
      showsProgress: false)
    #expect(sample.errors.text.isEmpty && sample.output.text.isEmpty)
    #expect(
      try IndexReader.open(root: tree.root).read {
        try Int.fetchOne($0, sql: "SELECT count(*) FROM messages")
      } == 5)
  }

  @Test func `progress tells how far it is and how long it takes`() {
    let half = IndexProgress(phase: .reading, done: 50, total: 100)
    #expect(IndexProgressView.text(half, elapsed: 2) == "index: reading  50 of 100  2.0 s left")
    #expect(IndexProgressView.text(half, elapsed: 0.5) == "index: reading  50 of 100")
    let looking = IndexProgress(phase: .looking, done: 0, total: 0)
    #expect(IndexProgressView.text(looking, elapsed: 9) == "index: looking")
  }

  @Test func `what is wrong with an index is told by its check`() throws {
    try tree.index()
    #expect(
      CheckCommand.line(try IndexCheck(root: tree.root).run()) == "5 messages, 5 files: all is well"
    )
    try tree.deliver("personal/INBOX/cur/9.host:2,S", SampleTree.message(id: "9@x"))
    let behind = try IndexCheck(root: tree.root).run()
    #expect(behind.faults.isEmpty && !behind.isBehind.isEmpty)
    #expect(CheckCommand.line(behind).hasPrefix("5 messages, 5 files, 1 difference from the tree"))
  }

  @Test func `a tree without an index is told what makes one`() throws {
    let sample = try SampleSession(tree)
    do {
      _ = try sample.session.openIndex()
      Issue.record("there was an index")
    } catch {
      #expect(error == .missing(root: tree.root))
      #expect(error.explanation.remedy?.contains("mirror-index update") == true)
    }
  }
}
