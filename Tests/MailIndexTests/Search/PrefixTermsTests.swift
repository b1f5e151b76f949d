import GRDB
import Testing

@testable import MailIndex

@Suite struct PrefixTermsTests {
  private static func database(_ texts: [String], pageSize: Int = 64) throws -> DatabaseQueue {
    let queue = try DatabaseQueue()
    try queue.write { db in
      try IndexSchema.create(db)
      // Small pages and many segments, so that few words cross many borders.
      try db.execute(
        sql: "INSERT INTO message_text(message_text, rank) VALUES ('pgsz', \(pageSize))")
      try db.execute(sql: "INSERT INTO message_text(message_text, rank) VALUES ('automerge', 0)")
    }
    for (index, text) in texts.enumerated() {
      try queue.write { db in
        try db.execute(
          sql: "INSERT INTO message_text(rowid, body) VALUES (?, ?)", arguments: [index + 1, text])
      }
    }
    return queue
  }

  @Test func `all words that begin so are found, on whatever page they stand`() throws {
    var random = SplitMix(state: 7)
    for pageSize in [64, 200, 4050] {
      var words = Set<String>()
      let texts = (0..<30).map { _ in
        (0..<40).map { _ in
          let word = String(
            (0..<Int.random(in: 1...6, using: &random)).map { _ in
              "abcß日".randomElement(using: &random) ?? "a"
            })
          words.insert(word)
          return word
        }.joined(separator: " ")
      }
      let queue = try Self.database(texts, pageSize: pageSize)
      for prefix in ["a", "b", "ab", "abc", "ß", "bß", "日", "cc", "zzz", "aaaaaa", "1"] {
        let found = try queue.read { try PrefixTerms($0).terms(prefix) }
        #expect(
          found
            == words.filter { $0.hasPrefix(prefix) }.sorted {
              Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8))
            }, "\(prefix) at \(pageSize)")
      }
    }
  }

  @Test func `a word that fills many pages is found once`() throws {
    let queue = try Self.database(Array(repeating: "common", count: 300) + ["comma"])
    #expect(try queue.read { try PrefixTerms($0).terms("com") } == ["comma", "common"])
    try queue.write {
      try $0.execute(sql: "INSERT INTO message_text(message_text) VALUES ('optimize')")
    }
    #expect(try queue.read { try PrefixTerms($0).terms("com") } == ["comma", "common"])
    #expect(try queue.read { try PrefixTerms($0).terms("common") } == ["common"])
  }

  @Test func `an empty index has no words`() throws {
    #expect(try Self.database([]).read { try PrefixTerms($0).terms("a") } == [])
  }

  @Test func `a damaged page is refused, not read past its end`() {
    var random = SplitMix(state: 3)
    for _ in 0..<5000 {
      let page = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      _ = PrefixTerms.terms(on: page)
      _ = PrefixTerms.terms(on: [0, 0, 0, UInt8(min(page.count, 30))] + page)
    }
    #expect(PrefixTerms.terms(on: [0, 0, 0, 4]) == [])
    #expect(PrefixTerms.terms(on: [0, 0, 0, 5]) == nil)
  }
}
