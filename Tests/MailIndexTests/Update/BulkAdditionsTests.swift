import Foundation
import GRDB
import Testing

@testable import MailIndex

@Suite struct BulkAdditionsTests {
  /// Threads, doubles, same minutes, flags, keywords, attachments, CJK.
  private func fill(_ lab: IndexLab, _ count: Int, from start: Int = 0) throws {
    for number in start..<start + count {
      let isReply = number % 3 != 0
      let mail = lab.mail(
        "m\(number)", subject: isReply ? "Re: topic \(number / 3)" : "topic \(number / 3)",
        from: "Person \(number % 7) <p\(number % 7)@example.org>", day: 1 + number % 28,
        replyTo: isReply ? "m\(number - number % 3)" : nil,
        extra: number % 5 == 0 ? "X-Keywords: five\n" : "",
        body: "word\(number) common \(number % 2 == 0 ? "even" : "odd") 日本語\n")
      let folder = ["home/INBOX", "home/Sent", "work/INBOX"][number % 3]
      let flags = number % 4 == 0 ? "" : "S"
      try lab.put(folder, "cur/\(1_700_000_000 + number).x:2,\(flags)", mail)
      if number % 10 == 0 { try lab.put("home/Copies", "cur/\(number).y:2,F", mail) }
    }
  }

  @Test func `a build on all cores and one message by message give the same index`() throws {
    let lab = try IndexLab()
    try fill(lab, 300)
    try lab.update(bulkFrom: 1)
    try lab.expectSound()
    let bulk = try lab.portrait()
    let found = try ["word17", "common", "\"日本\"", "subject: topic", "sender: p3"].map(lab.found)
    try lab.update(.rebuild, bulkFrom: 1_000_000)
    try lab.expectSound()
    #expect(try lab.portrait() == bulk)
    #expect(
      try ["word17", "common", "\"日本\"", "subject: topic", "sender: p3"].map(lab.found) == found)
    #expect(found.map(\.count) == [1, 310, 310, 310, 45])  // copies in the other account count
  }

  @Test(arguments: [20, 200])
  func `an index that grows by builds and by single messages stays right`(
    piece: Int
  ) throws {
    let lab = try IndexLab()
    for round in 0..<4 {
      try fill(lab, piece, from: round * piece)
      if round == 2 { try lab.reopenBuild() }
      try lab.update(bulkFrom: round % 2 == 0 ? 1 : 1_000_000)
      try lab.expectSound()
    }
    let grown = try lab.portrait()
    try lab.update(.rebuild)
    #expect(try lab.portrait() == grown)
  }

  @Test func `what an interrupted build left is finished by the next run`() throws {
    let lab = try IndexLab()
    try fill(lab, 120)
    try lab.update(bulkFrom: 1)
    let whole = try lab.portrait()
    // As a kill between two batches leaves it: rows of a copy without their message, no threads, no
    // indexes.
    let store = try IndexStore.open(root: lab.root, rebuild: false)
    try store.write { db in
      try db.execute(
        sql: """
          INSERT INTO dead SELECT id FROM message WHERE id % 3 = 0;
          DELETE FROM message_address WHERE message IN (SELECT id FROM dead);
          DELETE FROM message_keyword WHERE message IN (SELECT id FROM dead);
          DELETE FROM message WHERE id IN (SELECT id FROM dead);
          DELETE FROM thread; DELETE FROM thread_key; DELETE FROM thread_subject;
          DROP INDEX file_place; DROP INDEX file_message; DROP INDEX message_content;
          INSERT OR REPLACE INTO meta VALUES ('threads_stale', 1), ('bulk_under_way', 1);
          UPDATE mailbox SET settled = 0;
          """)
    }
    store.close()
    try lab.update(bulkFrom: 1)
    try lab.expectSound()
    #expect(try lab.portrait() == whole)
  }

  @Test func `adopted segments merge like FTS5's own`() throws {
    let lab = try IndexLab()
    for round in 0..<6 {
      try fill(lab, 30, from: round * 30)
      if round > 0 { try lab.reopenBuild() }
      try lab.update(bulkFrom: 1)
    }
    let before = try lab.found("common AND even")
    #expect(before.count == 96)
    let store = try IndexStore.open(root: lab.root, rebuild: false)
    try store.write { db in
      #expect(
        try Int.fetchOne(db, sql: "SELECT count(DISTINCT segid) FROM message_text_idx") ?? 0 >= 5)
      try db.execute(sql: "INSERT INTO message_text(message_text) VALUES('optimize')")
      try db.execute(sql: "INSERT INTO message_text(message_text) VALUES('integrity-check')")
      #expect(try Int.fetchOne(db, sql: "SELECT count(DISTINCT segid) FROM message_text_idx") == 1)
    }
    store.close()
    #expect(try lab.found("common AND even") == before)
    try lab.expectSound()
  }

  /// The tables of before are dropped in place: their pages are as many as those of the new ones.
  @Test func `a build gives the disk what it does not need`() throws {
    let lab = try IndexLab()
    try fill(lab, 300)
    try lab.update(bulkFrom: 1)
    try lab.update(.rebuild, bulkFrom: 1)
    let store = try IndexStore.open(root: lab.root, rebuild: false)
    #expect(try store.read { try Int64.fetchOne($0, sql: "PRAGMA freelist_count") } == 0)
    store.close()
  }
}
