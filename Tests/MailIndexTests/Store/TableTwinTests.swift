import GRDB
import Testing

@testable import MailIndex

@Suite struct TableTwinTests {
  static let rows: Int64 = 20_000

  private static func filled() throws -> DatabaseQueue {
    let queue = try DatabaseQueue()
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE pair(
            -- a comment (with brackets)
            key INTEGER NOT NULL, message INTEGER NOT NULL, PRIMARY KEY(key, message)
          ) WITHOUT ROWID;
          """)
      let insert = try RowStatement(db, "INSERT INTO pair VALUES (?, ?)")
      for row in 0..<rows { try insert.run([row * 0x1234_5678_9ABC, row]) }
    }
    return queue
  }

  private static func pages(_ db: Database) throws -> Int {
    let all = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
    return all - (try Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0)
  }

  @Test func rowsThatCameOneByOneTakeAnEighthLess() throws {
    try Self.filled().write { db in
      let before = try Self.pages(db)
      let shape = try String.fetchOne(db, sql: "SELECT sql FROM sqlite_schema WHERE name = 'pair'")
      try TableTwin.repack("pair", db)
      #expect(try Self.pages(db) * 100 < before * 91)
      #expect(try Int64.fetchOne(db, sql: "SELECT count(*) FROM pair") == Self.rows)
      let (key, message) = (Self.rows - 1, Self.rows * (Self.rows - 1) / 2)
      #expect(try Int64.fetchOne(db, sql: "SELECT max(key) FROM pair") == key * 0x1234_5678_9ABC)
      #expect(try Int64.fetchOne(db, sql: "SELECT sum(message) FROM pair") == message)
      #expect(
        try String.fetchAll(db, sql: "SELECT name || sql FROM sqlite_schema")
          == ["pair" + (try #require(shape))])
    }
  }

  @Test func rowsOfTheTwinTakeThePlaceOfThoseBefore() throws {
    try Self.filled().write { db in
      let twin = try TableTwin(of: "pair", db)
      try db.execute(sql: "INSERT INTO \(twin.name) VALUES (7, 8)")
      try twin.replaceTable(db)
      #expect(try String.fetchAll(db, sql: "SELECT key || ' ' || message FROM pair") == ["7 8"])
      #expect(try !db.tableExists(twin.name))
    }
  }
}
