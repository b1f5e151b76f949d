import GRDB
import Testing

@testable import MailIndex

/// The order by relevance is that of FTS5's own bm25(), however few of the best are asked for.
@Suite struct RelevanceTests {
  private static let words = ["red", "green", "blue", "yellow", "pink", "grey", "brown"]
  private static let weights = "10.0, 4.0, 3.0, 2.0, 1.0, 2.0"

  /// Many short messages and some long ones, with gaps between their numbers.
  private static func messages(_ count: Int, _ random: inout SplitMix) -> [TestMessage] {
    var number: Int64 = 0
    return (0..<count).map { _ in
      number += Int64.random(in: 1...(Bool.random(using: &random) ? 2 : 40), using: &random)
      var message = TestMessage(number)
      message.subject = sentence(4, &random)
      message.from = sentence(1, &random)
      message.to = sentence(1, &random)
      message.cc = sentence(1, &random)
      message.body = sentence(Bool.random(using: &random) ? 12 : 300, &random)
      message.flags = IndexFlags(rawValue: Int64.random(in: 0...7, using: &random))
      message.thread = Int64.random(in: 1...50, using: &random)
      return message
    }
  }

  private static func sentence(_ longest: Int, _ random: inout SplitMix) -> String {
    (0..<Int.random(in: 0...longest, using: &random)).compactMap { _ in
      words.randomElement(using: &random)
    }
    .joined(separator: " ")
  }

  /// As SQLite sorts it.
  private static func expected(_ expression: String, _ condition: String, _ index: SearchIndex)
    throws -> [Int64]
  {
    try index.queue.read { db in
      try Int64.fetchAll(
        db,
        sql: """
          SELECT rowid FROM message_text WHERE message_text MATCH ? AND \(condition)
          ORDER BY bm25(message_text, \(weights)), rowid DESC
          """, arguments: [expression])
    }
  }

  @Test(arguments: [
    ("red", "red", "rowid NOT IN (SELECT id FROM dead)"),
    ("subject:red", "subject : red", "rowid NOT IN (SELECT id FROM dead)"),
    ("red or pink", "red OR pink", "rowid NOT IN (SELECT id FROM dead)"),
    ("\"green red\"", "\"green red\"", "rowid NOT IN (SELECT id FROM dead)"),
    ("bl*", "bl*", "rowid NOT IN (SELECT id FROM dead)"),
    ("red is:unread", "red", "rowid IN (SELECT id FROM message WHERE flags & 1 = 0)"),
    (
      "red blue", "red OR blue",
      """
      rowid IN (SELECT rowid FROM message_text WHERE message_text MATCH 'red AND blue')
      AND rowid IN (SELECT id FROM message)
      """
    ),
  ]) func `the best few are the first of all`(query: String, expression: String, condition: String)
    throws
  {
    var random = SplitMix(state: 7)
    let messages = Self.messages(1000, &random)
    let dead = messages.enumerated().filter { $0.offset % 10 == 3 }.map(\.element)
    let live = messages.enumerated().filter { $0.offset % 10 != 3 }.map(\.element)
    let index = try SearchIndex(live, dead: dead)
    let expected = try Self.expected(expression, condition, index)
    #expect(!expected.isEmpty)
    for limit in [1, 2, 10, 50, 400, 5000] {
      let found = try index.ids(query, limit: limit, sort: .relevance)
      #expect(found == Array(expected.prefix(limit)), "the first \(limit)")
    }
    let page = try index.ids(query, limit: 7, offset: 60, sort: .relevance)
    #expect(page == Array(expected.dropFirst(60).prefix(7)))
    #expect(try index.ids(query, sort: .relevance) == expected)
    #expect(try index.search(query) { try $0.count() } == expected.count)
  }

  @Test func `conversations that need more messages than foreseen come in the same order`() throws {
    var random = SplitMix(state: 11)
    let index = try SearchIndex(Self.messages(800, &random))
    let all = try Self.expected("red", "1", index)
    let threads = try index.queue.read { db in
      let rows = try Row.fetchAll(db, sql: "SELECT id, thread FROM message")
      let thread = Dictionary(uniqueKeysWithValues: rows.map { ($0[0] as Int64, $0[1] as Int64) })
      var seen = Set<Int64>()
      return all.compactMap { thread[$0] }.filter { seen.insert($0).inserted }
    }
    let found = try index.search("red", limit: 45, sort: .relevance) { try $0.threads() }
    #expect(threads.count > 45)
    #expect(found.map(\.id) == Array(threads.prefix(45)))
  }
}
