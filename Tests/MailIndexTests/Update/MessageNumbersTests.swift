import GRDB
import Testing

@testable import MailIndex

@Suite struct MessageNumbersTests {
  @Test func `numbers are the minute or the next free one, in memory and by the tables`() throws {
    var random = SystemRandomNumberGenerator()
    let queue = try DatabaseQueue()
    try queue.write { db in
      try db.execute(
        sql:
          "CREATE TABLE message(id INTEGER PRIMARY KEY); CREATE TABLE dead(id INTEGER PRIMARY KEY);"
      )
      var numbers = MessageNumbers()
      var used: Set<Int64> = []
      for _ in 0..<2000 {
        let date = Int64.random(in: -100...20_000, using: &random)
        var expected = max(1, date / 60)
        while used.contains(expected) { expected += 1 }
        #expect(try MessageNumberSearch(db).take(date: date) == expected)
        #expect(numbers.take(date: date) == expected)
        used.insert(expected)
        let table = Bool.random() ? "message" : "dead"
        try db.execute(sql: "INSERT INTO \(table) VALUES (?)", arguments: [expected])
      }
      #expect(numbers.maxShift >= used.max()! - 20_000 / 60)
    }
  }

  @Test func `a million messages of one minute take no quadratic time`() {
    var numbers = MessageNumbers()
    for number in 0..<1_000_000 as Range<Int64> {
      if numbers.take(date: 600) != 10 + number {
        Issue.record("wrong number")
        return
      }
    }
    #expect(numbers.maxShift == 999_999)
  }
}
