import Foundation
import GRDB
import Testing

@testable import MailIndex

@Suite struct IndexResetTests {
  let lab: IndexLab

  init() throws {
    lab = try IndexLab()
    for number in 0..<50 {
      try lab.put(
        "home/INBOX", "cur/\(number).a:2,S", lab.mail("a\(number)", body: "word\(number)"))
    }
    try lab.update()
  }

  private var path: String { IndexReader.path(root: lab.root) }

  @Test(arguments: ["garbage", "header", "cut", "empty", "middle"])
  func `a damaged index is made anew in place`(how: String) throws {
    let before = try lab.portrait()
    let inode = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
    let handle = try #require(FileHandle(forUpdatingAtPath: path))
    let size = try handle.seekToEnd()
    try handle.seek(toOffset: 0)
    switch how {
    case "garbage":
      handle.write(Data((0..<size).map { _ in UInt8.random(in: 0...255) }))
    case "header": handle.write(Data(repeating: 0x41, count: 200))
    case "cut": try handle.truncate(atOffset: size / 2)
    case "empty": try handle.truncate(atOffset: 0)
    default:
      try handle.seek(toOffset: 4096)
      handle.write(Data(repeating: 0xEE, count: Int(size) - 8192))
    }
    try handle.close()
    let summary = try lab.update()
    guard case .damaged = summary.reset else {
      Issue.record("not seen as damaged: \(summary)")
      return
    }
    #expect(summary.messages == 50)
    #expect(try lab.portrait() == before)
    #expect(
      try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int == inode)
    try lab.expectSound()
  }

  @Test func `an index of another version is made anew, and readers say so before`() throws {
    let queue = try DatabaseQueue(path: path)
    try queue.write { try $0.execute(sql: "PRAGMA user_version = 999") }
    try queue.close()
    #expect(throws: IndexError.otherVersion) { try IndexReader.open(root: lab.root) }
    #expect(try lab.update().reset == .otherVersion)
    #expect(try lab.found("word7") == ["a7@example.org"])
  }

  @Test func `a reader that is open goes on after a rebuild`() throws {
    let reader = try IndexReader.open(root: lab.root)
    #expect(try reader.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM messages") } == 50)
    #expect(try lab.update(.rebuild).reset == .asked)
    #expect(try reader.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM messages") } == 50)
  }

  @Test func `readers meet no error while updates and rebuilds go on`() async throws {
    let reader = try IndexReader.open(root: lab.root)
    let path = path
    let reading = Task.detached {
      var seen: Set<Int> = []
      while !Task.isCancelled {
        let count = try reader.read {
          try Int.fetchOne(
            $0, sql: "SELECT count(*) FROM messages, threads WHERE thread_id = threads.id")
        }
        seen.insert(count ?? -1)
        let other = try DatabaseQueue(path: path)
        _ = try other.read {
          try Int.fetchOne($0, sql: "SELECT count(*) FROM message_text('word7')")
        }
        try other.close()
      }
      return seen
    }
    for round in 0..<6 {
      try lab.put("home/INBOX", "new/r\(round)", lab.mail("r\(round)", body: "more"))
      try lab.update(round % 2 == 0 ? .rebuild : .update, bulkFrom: round % 3 == 0 ? 1 : 1000)
    }
    reading.cancel()
    #expect(try await !reading.value.contains(-1))
    try lab.expectSound()
  }

  @Test func `search text of which a fifth is dead is made anew`() throws {
    for number in 0..<20 { try lab.remove("home/INBOX/cur/\(number).a:2,S") }
    var updater = IndexUpdater(root: lab.root)
    updater.leastDead = 10
    let summary = try updater.run()
    #expect(summary.messages == 30 && summary.dead == 0 && summary.removedFiles == 20)
    #expect(try lab.number("SELECT count(*) FROM message_text_docsize") == 30)
    try lab.expectSound()
  }

  @Test func `the index is the owner's alone`() throws {
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func `a check finds what is wrong`() throws {
    try lab.put("home/INBOX", "new/99.new", lab.mail("late"))
    try lab.remove("home/INBOX/cur/3.a:2,S")
    let behind = try IndexCheck(root: lab.root).run()
    #expect(behind.faults == [] && behind.isBehind.count == 2 && !behind.isSound)
    try lab.update()
    try lab.expectSound()
    let store = try IndexStore.open(root: lab.root, rebuild: false)
    try store.write {
      try $0.execute(
        sql: """
          UPDATE thread SET unread = 7 WHERE id = (SELECT min(id) FROM thread);
          UPDATE mailbox SET total = 0;
          UPDATE file SET message = 1 WHERE id = (SELECT min(id) FROM file);
          """)
    }
    store.close()
    let faults = try IndexCheck(root: lab.root).run().faults
    for words in ["a thread whose counts", "a folder whose counts", "a file without its message"] {
      #expect(faults.contains { $0.contains(words) })
    }
  }
}
