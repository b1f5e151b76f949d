import Testing

@testable import Reading

@Suite struct WordWrapTests {
  @Test func `lines break between words and keep their indent`() {
    #expect(WordWrap.lines(of: "  one two three", width: 9) == ["  one two", "  three"])
    #expect(WordWrap.lines(of: "fits", width: 4) == ["fits"])
    #expect(WordWrap.lines(of: "", width: 4) == [""])
  }

  @Test func `a long word stays whole so that it can be copied`() {
    let url = "https://example.org/" + String(repeating: "x", count: 40)
    #expect(WordWrap.lines(of: "see \(url) now", width: 20) == ["see", url, "now"])
  }

  @Test func `text without blanks breaks anywhere`() {
    let lines = WordWrap.lines(of: "日本語のテキストです", width: 8)
    #expect(lines == ["日本語の", "テキスト", "です"])
  }

  @Test(arguments: 1...40) func `nothing but blanks is lost`(width: Int) {
    let text = "The quick brown fox   jumps over 日本語のテキストです the lazy dog"
    let joined = WordWrap.lines(of: text, width: width).joined().filter { $0 != " " }
    #expect(joined == text.filter { $0 != " " })
  }

  @Test func `a line of a megabyte is broken in linear time`() {
    let text = String(repeating: "word ", count: 200_000)
    #expect(WordWrap.lines(of: text, width: 80).count > 10_000)
  }
}
