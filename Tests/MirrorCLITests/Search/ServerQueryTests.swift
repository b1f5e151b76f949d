import IMAPWire
import MailIndex
import Testing

@testable import MirrorCLI

/// How a server is asked what a query means.
@Suite struct ServerQueryTests {
  private static let day: Int64 = 86_400
  /// 2023-11-14, noon.
  private static let now = 19_675 * day + day / 2

  private func query(_ text: String) throws -> ServerQuery {
    let clock = QueryClock(now: Self.now) { _ in 0 }
    return ServerQuery(node: try QueryParser.parse(text, clock: clock), text: text)
  }

  private func criteria(_ text: String, _ folder: String = "Archive/2024") throws -> SearchCriteria?
  {
    try query(text).criteria(in: .init(account: "work", folder: folder))
  }

  @Test func `words are looked for where the query says`() throws {
    #expect(try criteria("budget") == .text(.everywhere, "budget"))
    #expect(try criteria("subject:budget") == .text(.subject, "budget"))
    #expect(try criteria("from:alice") == .text(.from, "alice"))
    #expect(try criteria("bcc:carol") == .text(.bcc, "carol"))
    #expect(
      try criteria("to:carol") == .either(.text(.to, "carol"), .text(.bcc, "carol")))
    #expect(try criteria("id:a@b.org") == .header("Message-ID", "<a@b.org>"))
  }

  @Test func `flags, keywords and sizes`() throws {
    #expect(try criteria("is:unread") == .not(.flag(.seen)))
    #expect(try criteria("is:forwarded") == .keyword("$Forwarded"))
    #expect(try criteria("keyword:todo") == .keyword("todo"))
    #expect(try criteria("size:50k..60k") == .both(.larger(51_199), .smaller(61_441)))
    #expect(throws: QueryError.self) { try criteria("keyword:to*") }
  }

  @Test func `operators`() throws {
    let a = SearchCriteria.text(.everywhere, "a")
    let b = SearchCriteria.text(.everywhere, "b")
    #expect(try criteria("a b") == .both(a, b))
    #expect(try criteria("a or b") == .either(a, b))
    #expect(try criteria("not is:read") == .not(.flag(.seen)))
  }

  @Test func `a phrase, and what has punctuation, is asked for word by word`() throws {
    func all(_ words: String..., key: SearchCriteria.TextKey = .everywhere) -> SearchCriteria {
      words.dropFirst().reduce(.text(key, words[0])) { .both($0, .text(key, $1)) }
    }
    #expect(try criteria("\"two words\"") == all("two", "words"))
    #expect(try criteria("subject:pre-paid") == all("pre", "paid", key: .subject))
    #expect(try criteria("from:a.b@example.org") == all("a", "b", "example", "org", key: .from))
    #expect(try criteria("日本") == all("日", "本"))
    #expect(try criteria("grüße") == .text(.everywhere, "grüße"))
  }

  @Test func `what is not wanted is not asked for where it would leave out too much`() throws {
    let a = SearchCriteria.text(.everywhere, "a")
    for text in ["not b", "not subject:b", "not \"b c\"", "not has:attachment", "not list:b"] {
      #expect(try criteria(text) == .all, "\(text)")
      #expect(try criteria("a \(text)") == a, "\(text)")
    }
    #expect(try criteria("not (a is:read)") == .all, "what has no a may be read")
    #expect(try criteria("not (a or is:read)") == .not(.flag(.seen)))
    #expect(try criteria("not not a") == .not(.not(a)))
  }

  @Test func `what may have an attachment is no text alone`() throws {
    let text = "\(String(describing: try criteria("has:attachment")))"
    for type in ["multipart/", "application/", "image/", "audio/", "video/"] {
      #expect(text.contains("\"\(type)\""))
    }
  }

  @Test func `what a header proves leaves out, and what only a body tells does not`() throws {
    func mayMean(_ text: String, _ verdict: Bool?) throws -> Bool {
      try query(text).mayMean(date: Self.now) { _ in verdict }
    }
    #expect(try !mayMean("subject:art", false) && mayMean("subject:art", true))
    #expect(try !mayMean("a not subject:art", true) && mayMean("not subject:art", false))
    #expect(try mayMean("a", nil) && mayMean("not a", nil))
  }

  @Test func `what a mailbox is, decides without the server`() throws {
    let a = SearchCriteria.text(.everywhere, "a")
    #expect(try criteria("folder:2024 a") == a)
    #expect(try criteria("folder:INBOX a") == nil)
    #expect(try criteria("folder:INBOX or a") == a)
    #expect(try criteria("not folder:INBOX") == .all)
    #expect(try criteria("account:work") == .all)
    #expect(try criteria("account:home a") == nil)
    #expect(try criteria("*") == .all || criteria("") == .all)
    // What is not here is no stub, and has none of our numbers.
    #expect(try criteria("is:stub") == nil)
    #expect(try criteria("id:12") == nil)
  }

  @Test func `what only the index knows is refused, with its place`() throws {
    for text in ["a thread:5", "a mimetype:application/pdf"] {
      let error = #expect(throws: QueryError.self) { try criteria(text) }
      #expect(error?.mistake == .onlyHere && error?.range.lowerBound == 2, "\(text)")
    }
  }

  @Test func `days are asked for with a margin, and less where they are not wanted`() throws {
    let start = (Self.now / Self.day - 3) * Self.day  // 2023-11-11
    #expect(
      try criteria("date:2023-11-11")
        == .both(.sentSince(start - Self.day), .sentBefore(start + 3 * Self.day)))
    #expect(
      try criteria("not date:2023-11-11")
        == .not(.both(.sentSince(start + 2 * Self.day), .sentBefore(start))))
  }

  @Test func `what the margin brought is left out by its date`() throws {
    let start = (Self.now / Self.day - 3) * Self.day
    let inside = start + 5
    let outside = start - 5
    #expect(try query("a date:2023-11-11").mayMean(date: inside))
    #expect(try !query("a date:2023-11-11").mayMean(date: outside))
    #expect(try query("not date:2023-11-11").mayMean(date: outside))
    #expect(try !query("a not date:2023-11-11").mayMean(date: inside))
    #expect(try query("a or date:2023-11-11").mayMean(date: outside), "the word may be what it has")
    #expect(try !query("date:2023-11-11").mayMean(before: start))
    #expect(try query("date:2023-11-11").mayMean(before: start + Self.day))
    #expect(try query("not date:2023-11-11").mayMean(before: start))
  }
}
