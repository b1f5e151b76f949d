import GRDB
import Testing

@testable import MailIndex

@Suite struct TermMatcherTests {
  private func matcher(_ query: String) throws -> TermMatcher {
    try DatabaseQueue().read { db in try TermMatcher(SearchIndex.parse(query), db) }
  }

  private func found(_ query: String, in text: String, as columns: TextColumns = .body) throws
    -> [String]
  {
    let bytes = Array(text.utf8)
    return try matcher(query).matches(in: text, as: columns).map {
      String(decoding: bytes[$0], as: UTF8.self)
    }
  }

  @Test func `words are found as the index folds them`() throws {
    #expect(try found("cafe", in: "Le Café, cafés, CAFE!") == ["Café", "CAFE"])
    #expect(try found("caf*", in: "Le Café, cafés") == ["Café", "cafés"])
    #expect(try found("\"two words\"", in: "Two, words. two other words") == ["Two, words"])
    #expect(try found("alice@example.org", in: "write alice@example.org") == ["alice@example.org"])
    #expect(try found("a -b or c", in: "a b c") == ["a", "c"])
    #expect(try found("", in: "a") == [])
  }

  @Test func `East Asian words are found by their characters`() throws {
    #expect(try found("本語", in: "日本語のテスト") == ["本語"])
    #expect(try found("語", in: "日本語abc語") == ["語", "語"])
    #expect(try found("abc日本", in: "xx abc日本語") == ["abc日本"])
    #expect(try found("日語", in: "日本語") == [])
  }

  @Test func `a field's words count in that field only`() throws {
    #expect(try found("subject:red blue", in: "red blue") == ["blue"])
    #expect(try found("subject:red blue", in: "red blue", as: .subject) == ["red", "blue"])
  }

  @Test func `the longest match wins and none overlap`() throws {
    #expect(try found("red or \"red green\"", in: "red green red") == ["red green", "red"])
  }

  @Test func `the context is the line of the first match that is no quotation`() throws {
    let text = "Hello,\n> the budget of last year\nHere is   the budget\tfor you.\nBye"
    let context = try #require(try matcher("budget").context(in: text, width: 60))
    #expect(context.text == "Here is the budget for you.")
    #expect(
      context.matches.map { String(decoding: Array(context.text.utf8)[$0], as: UTF8.self) } == [
        "budget"
      ])
  }

  @Test func `a long line is cut around the match`() throws {
    let text =
      String(repeating: "äöü word ", count: 200) + "needle "
      + String(repeating: "tail ", count: 200)
    let context = try #require(try matcher("needle").context(in: text, width: 60))
    #expect(context.text.count <= 62)
    #expect(context.text.hasPrefix("…") && context.text.hasSuffix("…"))
    #expect(
      context.matches.map { String(decoding: Array(context.text.utf8)[$0], as: UTF8.self) } == [
        "needle"
      ])
    #expect(try matcher("absent").context(in: text, width: 60) == nil)
  }

  @Test func `many changes of script cost no more than their length`() throws {
    let text = String(repeating: "a日", count: 200_000)
    #expect(try matcher("zz").matches(in: text, as: .body).isEmpty)
  }
}
