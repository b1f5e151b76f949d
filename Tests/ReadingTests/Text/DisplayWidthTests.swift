import Testing

@testable import Reading

@Suite struct DisplayWidthTests {
  @Test(arguments: 0...12)
  func `a cut text never takes more columns`(width: Int) {
    for text in ["short", "a longer text", "日本語のテキスト", "mixed 日本", "e\u{301}e\u{301}e\u{301}", ""] {
      #expect(DisplayWidth.columns(of: DisplayWidth.cut(text, to: width)) <= width)
      #expect(DisplayWidth.columns(of: DisplayWidth.padded(text, to: width)) == width)
    }
  }

  @Test func `what fits stays whole`() {
    #expect(DisplayWidth.cut("日本", to: 4) == "日本")
    #expect(DisplayWidth.cut("日本語", to: 5) == "日本…")
    #expect(DisplayWidth.cut("abc", to: 2) == "a…")
  }
}
