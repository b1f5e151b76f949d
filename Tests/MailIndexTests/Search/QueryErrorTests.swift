import MailCore
import Testing

@testable import MailIndex

@Suite struct QueryErrorTests {
  private func error(_ query: String) -> QueryError? {
    do throws(QueryError) {
      _ = try QueryParser.parse(query, clock: SearchIndex.clock)
      return nil
    } catch { return error }
  }

  @Test(arguments: [
    ("from:", QueryError.Mistake.missingValue("from"), 0..<5),
    ("a subject: b", .missingValue("subject"), 2..<10),
    ("form:alice", .unknownField("form", nearest: "from"), 0..<5),
    ("a xyzzy:b", .unknownField("xyzzy", nearest: nil), 2..<8),
    ("a (b or c", .unclosed("("), 2..<3), ("a b)", .unopened(")"), 3..<4),
    (")", .unopened(")"), 0..<1),
    ("a ()", .emptyGroup, 2..<4), ("say \"hello", .openQuote, 4..<5),
    ("a and", .lonelyOperator("and"), 2..<5), ("or a", .lonelyOperator("or"), 0..<2),
    ("a or or b", .lonelyOperator("or"), 2..<4), ("a (not)", .lonelyOperator("not"), 3..<6),
    ("thread:{a", .unclosed("{"), 7..<8), ("thread:{}", .emptyGroup, 7..<9),
    ("thread:{!!}", .nothingToFind, 8..<10), ("fo*o", .starInside, 0..<4),
    ("*foo", .starInside, 0..<4),
    ("!!!", .nothingToFind, 0..<3), ("a subject:...", .nothingToFind, 10..<13),
    ("size:2M..1M", .backwards, 5..<11), ("date:2024..2023", .backwards, 5..<15),
    ("is:funny", .badValue(field: "is", expected: QueryFlags.expected), 3..<8),
    ("size:1M", .badValue(field: "size", expected: QuerySize.expected), 5..<7),
    ("size:..", .badValue(field: "size", expected: QuerySize.expected), 5..<7),
    ("date:2024-13", .badValue(field: "date", expected: QueryPeriod.expected), 5..<12),
    ("thread:abc", .badValue(field: "thread", expected: "a number, or a query in braces"), 7..<10),
    ("has:fun", .badValue(field: "has", expected: "“attachment”"), 4..<7),
  ]) func `mistakes are told with their place`(
    query: String, mistake: QueryError.Mistake, range: Range<Int>
  ) throws {
    let found = try #require(error(query), "\(query)")
    #expect(found.mistake == mistake)
    #expect(found.range == range)
  }

  @Test func `the caret stands under the place`() throws {
    let drawing = try #require(error("hello (world")).drawing()
    #expect(drawing == "  hello (world\n        ^")
  }

  @Test func `wide characters and controls keep the caret in place`() throws {
    #expect(try #require(error("日本 xyzzy:b")).drawing() == "  日本 xyzzy:b\n       ^^^^^^")
    let drawing = try #require(error("\u{1B}[31m xyzzy:b")).drawing()
    #expect(!drawing.contains("\u{1B}"))
    let lines = drawing.split(separator: "\n")
    #expect(
      lines[1].firstIndex(of: "^").map { lines[1].distance(from: lines[1].startIndex, to: $0) }
        == lines[0].firstRange(of: "xyzzy").map {
          lines[0].distance(from: lines[0].startIndex, to: $0.lowerBound)
        })
  }

  @Test func `a long query is cut around the place`() throws {
    let query =
      String(repeating: "word ", count: 100) + "form:x " + String(repeating: "more ", count: 100)
    let lines = try #require(error(query)).drawing(columns: 60).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 60 })
    let indent = lines[1].prefix { $0 == " " }.count
    #expect(lines[0].dropFirst(indent).hasPrefix("form:"))
  }

  @Test func `a mistake is a matter of usage and names a remedy`() throws {
    let explanation = try #require(error("form:alice")).explanation
    #expect(explanation.exitStatus == .usage)
    #expect(explanation.problem.contains("form"))
    #expect(explanation.remedy?.contains("from:") == true)
  }
}
