import Foundation
import GRDB
import Testing

@testable import MailIndex

@Suite struct IndexCheckTests {
  let lab: IndexLab

  init() throws {
    lab = try IndexLab()
    for number in 0..<10 {
      try lab.put(
        "home/INBOX", "cur/\(number).a:2,S",
        lab.mail(
          "a\(number)", subject: "Tea \(number / 2)", from: "P\(number) <p\(number)@example.org>",
          replyTo: number % 2 == 1 ? "a\(number - 1)" : nil,
          extra: number == 3 ? "X-Keywords: one, two\nList-Id: <l.example.org>\n" : ""))
    }
    try lab.update()
    try lab.expectSound()
  }

  @Test(arguments: [
    "DELETE FROM thread_node WHERE message = (SELECT min(message) FROM thread_node)",
    "DELETE FROM thread_key WHERE message = (SELECT min(message) FROM thread_key)",
    "DELETE FROM thread_subject WHERE message = (SELECT min(message) FROM thread_subject)",
    "INSERT INTO thread_hub VALUES (17)",
    "DELETE FROM address WHERE id = (SELECT min(id) FROM address)",
    "DELETE FROM message_address",
    "DELETE FROM message_address WHERE role = 2",
    "UPDATE address SET received = received + 1 WHERE id = 1",
    "INSERT INTO address(address) VALUES ('nobody@example.org')",
    "DROP TABLE address", "DROP TABLE message_text", "DROP VIEW messages",
    "UPDATE thread SET last = 7 WHERE id = (SELECT min(id) FROM thread)",
    "UPDATE thread SET root = 7 WHERE id = (SELECT min(id) FROM thread)",
    "UPDATE thread SET subject = 'X' WHERE id = (SELECT min(id) FROM thread)",
    "UPDATE message SET parent = NULL WHERE parent IS NOT NULL", "UPDATE message SET link = 0",
    "INSERT INTO message_keyword SELECT 1, min(id) FROM message",
    "DELETE FROM message_keyword WHERE keyword = 1", "DELETE FROM keyword",
    "INSERT INTO dead SELECT min(id) FROM message",
    "UPDATE file SET name = 'x' || name WHERE id = 1",
    "UPDATE file SET keywords = 'other' WHERE keywords IS NOT NULL",
    "UPDATE file SET list_id = 'other' WHERE list_id IS NOT NULL",
    "UPDATE file SET mailbox = 99 WHERE id = 1", "UPDATE mailbox SET account = 99",
    "INSERT INTO thread VALUES (77, 1, 0, 0, 0, 77, 77, NULL)",
  ])
  func `damage of rows is found`(sql: String) throws {
    let queue = try DatabaseQueue(path: IndexReader.path(root: lab.root))
    try queue.write { try $0.execute(sql: sql) }
    try queue.close()
    #expect(try !IndexCheck(root: lab.root).run().faults.isEmpty)
  }

  @Test func `words of a fault are for people`() throws {
    let queue = try DatabaseQueue(path: IndexReader.path(root: lab.root))
    try queue.write { try $0.execute(sql: "DELETE FROM message_text_data WHERE id > 100") }
    try queue.close()
    let faults = try IndexCheck(root: lab.root).run().faults
    #expect(!faults.isEmpty)
    #expect(!faults.contains { $0.contains("damaged(") || $0.contains("IndexError") })
  }

  @Test(arguments: ["bulk_under_way", "threads_stale"])
  func `a run that was cut short is no fault`(fact: String) throws {
    let store = try IndexStore.open(root: lab.root, rebuild: false)
    try store.write { db in
      try IndexStore.setFact(fact, 1, db)
      try db.execute(
        sql: """
          DELETE FROM thread WHERE \(fact == "threads_stale");
          UPDATE address SET received = 0 WHERE \(fact == "bulk_under_way");
          UPDATE mailbox SET total = 0 WHERE \(fact == "bulk_under_way");
          """)
    }
    store.close()
    let report = try IndexCheck(root: lab.root).run()
    #expect(report.faults == [] && !report.isBehind.isEmpty)
    let before = try lab.number("SELECT count(*) FROM message")
    let summary = try lab.update()
    #expect(summary.reset == nil && summary.messages == before)
    #expect(try lab.number("SELECT count(*) FROM threads") == 5)
    try lab.expectSound()
  }
}
