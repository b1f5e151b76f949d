import GRDB
import Testing

@testable import MailIndex

@Suite struct SearchTests {
  private static func message(_ id: Int64, _ change: (inout TestMessage) -> Void) -> TestMessage {
    var message = TestMessage(id)
    change(&message)
    return message
  }

  private let index: SearchIndex

  init() throws {
    index = try SearchIndex([
      Self.message(100) {
        $0.subject = "Quarterly report"
        $0.from = "Alice Example <alice@example.org>"
        $0.to = "bob@example.com"
        $0.body = "Numbers for the café in Zürich"
        $0.attachments = [("Report 2024.pdf", "application/pdf")]
        $0.flags = [.flagged]
        $0.messageID = "q1@example.org"
        $0.folders = ["INBOX", "Archive/2024"]
      },
      Self.message(200) {
        $0.subject = "Re: Quarterly report"
        $0.from = "bob@example.com"
        $0.to = "Alice Example <alice@example.org>"
        $0.cc = "carol@example.net"
        $0.bcc = "dave@example.net"
        $0.body = "Thanks, the report reads well. 日本語のテスト"
        $0.thread = 100
        $0.messageID = "12345"
        $0.keywords = ["ToDo", "work"]
        $0.size = 2_000_000
      },
      Self.message(300) {
        $0.subject = "Lunch"
        $0.from = "carol@example.net"
        $0.body = "Pizza? quarterly OR annual \"quoted\" NEAR(a b) {x} : ^y"
        $0.account = "work"
        $0.list = "food.lists.example.net"
        $0.attachments = [("a.png", "image/png"), ("b.jpg", "image/jpeg")]
        $0.flags = [.seen, .replied]
      },
      Self.message(400) {
        $0.subject = "한국어 메일"
        $0.body = "abc日本 x"
        $0.account = "work"
        $0.folders = ["Archive/2023"]
        $0.flags = [.seen, .draft]
      },
    ])
  }

  @Test(arguments: [
    ("", [400, 300, 200, 100]), ("quarterly", [300, 200, 100]), ("QUARTERLY report", [200, 100]),
    ("\"quarterly report\"", [200, 100]), ("\"report quarterly\"", []),
    ("quart*", [300, 200, 100]),
    ("subject:quarterly", [200, 100]), ("body:quarterly", [300]), ("cafe zurich", [100]),
    ("from:alice", [100]), ("from:alice@example.org", [100]), ("to:alice", [200]),
    ("cc:carol", [200]),
    ("bcc:dave", [200]), ("bcc:carol", []), ("from:bob or cc:bob", [200]),
    ("contact:alice", [200, 100]),
    ("attachment:report", [100]), ("attachment:\"report 2024.pdf\"", [100]),
    ("has:attachment", [300, 100]),
    ("mimetype:application/pdf", [100]), ("mimetype:pdf", [100]), ("mimetype:image", [300]),
    ("mimetype:image/*", [300]), ("mimetype:text/plain", []),
    ("is:unread", [100]), ("is:flagged", [100]), ("is:replied", [300]), ("is:draft", [400]),
    ("not is:unread", [400, 300, 200]), ("-quarterly", [400]), ("not (quarterly or is:draft)", []),
    ("keyword:todo", [200]), ("tag:w*", [200]), ("keyword:nothing", []),
    ("-keyword:todo lunch", [300]),
    ("tag:flagged", [100]), ("size:>1M", [200]), ("size:<=1000", [400, 300, 100]),
    ("folder:inbox", [300, 200, 100]), ("folder:Archive/*", [400, 100]), ("folder:2023", [400]),
    ("folder:personal/INBOX", [200, 100]), ("folder:work/*", [400, 300]),
    ("folder:inbox folder:2024", [100]),
    ("account:work", [400, 300]), ("account:Work report", []), ("list:food", [300]),
    ("list:lists.example.net", [300]), ("list:food.lists.example.net", [300]), ("list:lists", []),
    ("list:*example*", [300]), ("id:q1@example.org", [100]), ("mid:<q1@example.org>", [100]),
    ("id:300", [300]), ("id:12345", [200]), ("thread:100", [200, 100]),
    ("thread:{is:flagged}", [200, 100]),
    ("thread:{is:flagged} -is:flagged", [200]), ("thread:{lunch}", [300]),
    ("-thread:{quarterly}", [400]),
    ("thread:{*}", [400, 300, 200, 100]), ("date:@12000..@18000", [300, 200]),
    ("before:@12001", [200, 100]),
    ("after:@18000 or is:flagged", [400, 300, 100]), ("date:@6000..@6000", [100]),
    ("report is:flagged", [100]), ("report or is:draft", [400, 200, 100]),
    ("lunch folder:inbox account:work", [300]),
    ("日本", [400, 200]), ("日本語", [200]), ("本語", [200]), ("語", [200]), ("日", [400, 200]),
    ("テスト", [200]),
    ("日語", []), ("abc日本", [400]), ("한국", [400]), ("국어", [400]), ("subject:메일", [400]),
    ("日本語*", [200]),
    ("\"日本 x\"", [400]), ("日本語。", [200]), ("\"語の\"", [200]),
  ]) func `queries find what they say`(query: String, expected: [Int64]) throws {
    #expect(try index.ids(query) == expected)
    #expect(try index.search(query) { try $0.count() } == expected.count)
  }

  @Test(arguments: [
    "\"quoted\"", "a' OR 1=1 --", "\"x\"\" OR subject:\"", "NEAR(a b)", "{x}", "^y", "a:b:c",
    "x'; DROP TABLE message; --",
    "subject:\"a\\\" OR body : \\\"b\"", "a\u{0}b", "\"+ -\"a", "col:\"x\"", "a+b", "%", "_", "?1",
    "folder:\"x' OR '1'='1\"",
    "keyword:\"%\"", "list:\"a') --\"", "mimetype:\"x' --\"", "id:\"' OR 1=1\"", "bcc:\"%\"",
    "account:\"x\" OR \"1\"",
  ]) func `nothing in a query is SQL or FTS syntax`(query: String) throws {
    let parsed: QueryNode
    do { parsed = try SearchIndex.parse(query) } catch is QueryError { return }
    try index.queue.read { db in
      let search = try Search(SearchRequest(query: parsed, limit: nil), in: db)
      #expect(try search.messages().count < 4, "\(query) found everything")
      let byRelevance = SearchRequest(query: parsed, limit: nil, sort: .relevance)
      #expect(try Search(byRelevance, in: db).messages().count < 4)
    }
    #expect(try index.ids("").count == 4)
  }

  @Test func `deep and wide queries still run`() throws {
    let open = String(repeating: "(a or (b ", count: 19)
    _ = try index.ids(open + "c" + String(repeating: "))", count: 19))
    let flags = String(repeating: "(is:read or (is:draft ", count: 19)
    _ = try index.ids(flags + "is:flagged" + String(repeating: "))", count: 19))
    #expect(try index.ids((1...400).map { "w\($0)" }.joined(separator: " or ")).isEmpty)
    #expect(
      try index.ids(Array(repeating: "is:read", count: 400).joined(separator: " or ")).count == 3)
    #expect(
      try index.ids(Array(repeating: "-quarterly", count: 400).joined(separator: " ")) == [400])
  }

  @Test func `limit and offset cut the same list`() throws {
    #expect(try index.ids("", limit: 2) == [400, 300])
    #expect(try index.ids("", limit: 2, offset: 1) == [300, 200])
    #expect(try index.ids("", limit: 2, offset: 9) == [])
    #expect(try index.ids("", limit: 0) == [])
  }

  @Test func `relevance prefers the subject`() throws {
    #expect(try index.ids("quarterly", sort: .relevance).last == 300)
    #expect(try index.ids("quarterly is:replied", sort: .relevance) == [300])
    // Without text there is nothing to rank by.
    #expect(try index.ids("is:read", sort: .relevance) == [400, 300, 200])
    // What matches by other means comes last.
    #expect(try index.ids("lunch or is:draft or is:flagged", sort: .relevance) == [300, 400, 100])
  }

  @Test func `threads come once, by their newest match`() throws {
    let threads = try index.search("quarterly") { try $0.threads() }
    #expect(threads.map(\.id) == [300, 100])
    #expect(threads[1].messages.map(\.id) == [100, 200])
    #expect(threads[1].messages[0].messageID == "q1@example.org")
    #expect(try index.search("quarterly") { try $0.threadCount() } == 2)
    #expect(try index.search("") { try $0.threadCount() } == 3)
    #expect(try index.search("", limit: 1, offset: 1) { try $0.threads() }.map(\.id) == [300])
  }

  @Test func `hits carry what lists show`() throws {
    let hits = try index.queue.read { try HitReader($0).hits([300, 9, 100]) }
    #expect(hits.map(\.id) == [300, 100])
    #expect(hits[0].attachments.map(\.mediaType) == ["image/png", "image/jpeg"])
    #expect(hits[1].folders == ["INBOX", "Archive/2024"])
    #expect(hits[1].files.first?.displayPath == "personal/INBOX/cur/100:2,S")
    #expect(hits[1].flags == .flagged)
    #expect(hits[1].account == "personal")
    let tagged = try index.queue.read { try HitReader($0).hits([200]) }
    #expect(tagged.first?.keywords == ["ToDo", "work"])
  }

  @Test func `many folders at once find what few do`() throws {
    let messages = (1...40).map { number in
      Self.message(Int64(number)) { $0.folders = ["Lists/\(number % 20)", "INBOX"] }
    }
    let index = try SearchIndex(messages)
    #expect(try index.ids("folder:lists/*") == (1...40).reversed().map(Int64.init))
    #expect(try index.ids("folder:lists/1*").count == 22)
    #expect(try index.ids("folder:*") == (1...40).reversed().map(Int64.init))
    #expect(try index.ids("folder:lists/7 folder:lists/*") == [27, 7])
  }

  @Test func `names that no one bears are told`() throws {
    let unknown = try index.search("folder:nowhere or keyword:nope quarterly") { $0.unknownNames }
    #expect(
      unknown == [.init(kind: .folder, name: "nowhere"), .init(kind: .keyword, name: "nope")])
    #expect(try index.search("tag:passed or tag:unread") { $0.unknownNames }.isEmpty)
  }

  @Test func `the account without a name is found by no name`() throws {
    let index = try SearchIndex([
      Self.message(1) { $0.account = "" }, Self.message(2) { $0.account = "personal" },
    ])
    #expect(try index.ids("account:\"\"") == [1])
    #expect(try index.ids("-account:\"\"") == [2])
  }

  @Test func `messages that are gone leave no trace`() throws {
    var gone = TestMessage(150)
    gone.body = "phantom quarterly"
    var here = TestMessage(160)
    here.body = "phantom"
    let index = try SearchIndex([here], dead: [gone])
    for query in [
      "phantom", "phantom -zzz", "phantom or quarterly", "-quarterly", "thread:{phantom}",
    ] {
      #expect(try index.ids(query) == [160], "\(query)")
      #expect(try index.search(query) { try $0.count() } == 1)
      #expect(try index.ids(query, sort: .relevance) == [160])
    }
    #expect(try index.ids("quarterly") == [])
  }

  @Test(arguments: [
    "report", "report or lunch", "report -lunch", "is:unread", "folder:inbox", "keyword:todo",
    "list:food",
    "mimetype:png", "thread:100", "date:2024 is:read", "thread:{report}", "-report", "",
  ]) func `statements stream in the order of an index`(query: String) throws {
    let node = try SearchIndex.parse(query)
    try index.queue.read { db in
      let plan = try {
        var planner = try SearchPlanner(db)
        return try planner.plan(node)
      }()
      var statements: [String] = []
      db.trace { event in
        if case .statement(let statement) = event { statements.append(statement.sql) }
      }
      _ = try StreamBuilder(db).stream(plan).next(atMost: .max)
      db.trace()
      for sql in statements where sql.contains("ORDER BY") && !sql.hasPrefix("--") {
        let sql = sql.replacing(/\?[0-9]*/, with: "1")
        let steps = try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql).map {
          $0["detail"] as String
        }
        #expect(!steps.contains { $0.contains("TEMP B-TREE") }, "\(sql): \(steps)")
      }
    }
  }
}
