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
    #expect(try criteria("\"two words\"") == .text(.everywhere, "two words"))
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
    #expect(try criteria("not a") == .not(a))
    #expect(try criteria("not (a b)") == .not(.both(a, b)))
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
