import Foundation
import GRDB
import Testing

@testable import MailIndex

@Suite struct DamageMarkTests {
  let lab: IndexLab

  init() throws {
    lab = try IndexLab()
    for number in 0..<30 {
      try lab.put(
        "home/INBOX", "cur/\(number).a:2,S", lab.mail("a\(number)", body: "word\(number) tea"))
    }
    try lab.update()
  }

  private func spoil(_ sql: String) throws {
    let queue = try DatabaseQueue(path: IndexReader.path(root: lab.root))
    try queue.write { try $0.execute(sql: sql) }
    try queue.close()
  }

  private func emptyLog() throws {
    let queue = try DatabaseQueue(path: IndexReader.path(root: lab.root))
    try queue.inDatabase { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    try queue.close()
  }

  private func expectMadeAnew(_ summary: IndexSummary) throws {
    guard case .damaged = summary.reset else {
      Issue.record("not seen as damaged: \(summary)")
      return
    }
    #expect(summary.messages == 30)
    #expect(try lab.found("word7") == ["a7@example.org"])
    try lab.expectSound()
  }

  @Test func `damage that a search meets is mended by the next update`() throws {
    try spoil("DELETE FROM message_text_data WHERE id > 100")
    #expect(try lab.update().reset == nil)
    #expect(throws: IndexError.self) { try lab.found("word7") }
    try expectMadeAnew(lab.update())
    #expect(try lab.update().reset == nil)
  }

  @Test func `what a check finds is mended by the next update`() throws {
    try spoil("UPDATE thread SET last = 7 WHERE id = (SELECT min(id) FROM thread)")
    #expect(try lab.update().reset == nil)
    #expect(try !IndexCheck(root: lab.root).run().faults.isEmpty)
    try expectMadeAnew(lab.update())
  }

  @Test(arguments: [
    "DELETE FROM message WHERE id = (SELECT min(id) FROM message)",
    "DELETE FROM file WHERE id = (SELECT min(id) FROM file)",
    "DELETE FROM thread_node WHERE message = (SELECT min(message) FROM thread_node); "
      + "UPDATE meta SET value = 1700000000 WHERE key = 'checked'",
    "DELETE FROM message_text_docsize WHERE id = (SELECT min(id) FROM message_text_docsize)",
    "DROP TABLE address", "DROP TABLE message_text", "DROP TABLE thread_key", "DROP TABLE message",
    "ALTER TABLE file RENAME COLUMN letters TO letter",
  ])
  func `an update sees for itself that rows or tables are gone`(sql: String) throws {
    try spoil(sql)
    try expectMadeAnew(lab.update())
  }

  @Test func `views are put back and the rest stays`() throws {
    try spoil("DROP VIEW threads; DROP VIEW files; CREATE VIEW files AS SELECT 1 AS path")
    let faults = try IndexCheck(root: lab.root).run().faults
    #expect(faults.count == 2 && faults.allSatisfy { $0.contains("the view") })
    DamageMark.remove(root: lab.root)
    let summary = try lab.update()
    #expect(summary.reset == nil && summary.read == 0)
    #expect(try lab.number("SELECT count(*) FROM threads, files") == 900)
    try lab.expectSound()
  }

  @Test func `all pages are looked at once in a while`() throws {
    let path = IndexReader.path(root: lab.root)
    let page = try lab.number(
      "SELECT rootpage FROM sqlite_schema WHERE name = 'message_address'")
    try emptyLog()
    let handle = try #require(FileHandle(forUpdatingAtPath: path))
    try handle.seek(toOffset: UInt64(4096 * (try #require(page) - 1) + 8))
    handle.write(Data(repeating: 0xEE, count: 200))
    try handle.close()
    #expect(try lab.update().reset == nil)
    try spoil("UPDATE meta SET value = 1700000000 WHERE key = 'checked'")
    try expectMadeAnew(lab.update())
  }

  @Test func `pages overwritten at random never outlive a search and an update`() throws {
    let path = IndexReader.path(root: lab.root)
    try emptyLog()
    let sound = try Data(contentsOf: URL(fileURLWithPath: path))
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<8 {
      var bytes = sound
      for _ in 0..<6 {
        let page = Int.random(in: 1..<(bytes.count / 4096), using: &generator)
        let noise = (0..<4096).map { _ in UInt8.random(in: 0...255, using: &generator) }
        bytes.replaceSubrange(page * 4096..<(page + 1) * 4096, with: noise)
      }
      for ending in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + ending) }
      let handle = try #require(FileHandle(forUpdatingAtPath: path))
      handle.write(bytes)
      try handle.truncate(atOffset: UInt64(bytes.count))
      try handle.close()
      // It need not come across the damage, and then counts what it has not looked at.
      _ = try IndexUpdater(root: lab.root).run(.update)
      _ = try? IndexCheck(root: lab.root).run()
      _ = try lab.update()
      #expect(try lab.found("tea").count == 30)
      try lab.expectSound()
    }
  }

  @Test(arguments: ["link", "dangling", "directory"])
  func `what is no index is named and left alone`(what: String) throws {
    let path = IndexReader.path(root: lab.root)
    let victim = lab.root + "/victim"
    try FileManager.default.removeItem(atPath: path)
    switch what {
    case "directory":
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    default:
      if what == "link" { try Data("mine".utf8).write(to: URL(fileURLWithPath: victim)) }
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: victim)
    }
    for run in [{ _ = try lab.update() }, { _ = try lab.read { _ in } }] {
      do {
        try run()
        Issue.record("it was opened")
      } catch let error as IndexError {
        guard case .occupied = error else {
          Issue.record("\(error)")
          continue
        }
        #expect(error.explanation.problem.contains(what == "directory" ? "directory" : "link"))
      }
    }
    if what == "link" {
      #expect(try String(contentsOfFile: victim, encoding: .utf8) == "mine")
    } else {
      #expect(!FileManager.default.fileExists(atPath: victim))
    }
  }

  @Test func `a lock file that is a link destroys nothing`() throws {
    let lock = lab.root + "/.mirror/index.lock"
    let victim = lab.root + "/victim"
    try Data("mine".utf8).write(to: URL(fileURLWithPath: victim))
    try FileManager.default.removeItem(atPath: lock)
    try FileManager.default.createSymbolicLink(atPath: lock, withDestinationPath: victim)
    #expect(throws: IndexError.self) { try lab.update() }
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "mine")
  }

  @Test func `a lock of another program is no damage`() throws {
    let error = IndexError(DatabaseError(resultCode: .SQLITE_BUSY, message: "database is locked"))
    #expect(error == .locked && error.explanation.exitStatus == .busy)
    #expect(IndexError(DatabaseError(resultCode: .SQLITE_LOCKED)) == .locked)
  }
}
