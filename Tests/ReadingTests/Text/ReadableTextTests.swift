import Testing

@testable import Reading

@Suite struct ReadableTextTests {
  @Test(arguments: [
    ("plain", "plain"), ("\u{1B}[31mred", "\\u{1b}[31mred"), ("a\u{202E}b", "a\\u{202e}b"),
    ("a\u{2066}b\u{2069}", "a\\u{2066}b\\u{2069}"), ("c1\u{9B}2J", "c1\\u{9b}2J"),
    ("\u{7F}", "\\u{7f}"),
    ("a\tb\r\nc", "a b  c"), ("pad\u{200B}\u{FEFF}\u{00AD}ded", "padded"),
    ("👨\u{200D}👩\u{200D}👧", "👨\u{200D}👩\u{200D}👧"), ("نمی\u{200C}خواهم", "نمی\u{200C}خواهم"),
    ("日本語 ü", "日本語 ü"), ("\u{061C}\u{2028}", "\\u{61c}\\u{2028}"),
  ])
  func `what drives a terminal is shown and what text needs stays`(text: String, shown: String) {
    #expect(text.readable == shown)
  }

  @Test func `what would be shown of it goes from a text that is sent`() {
    #expect("a\u{202E}b\tc\r\nd\u{61C}\u{9B}é\u{FEFF}".cleaned == "ab c  dé")
    #expect("نمی\u{200C}خواهم".cleaned == "نمی\u{200C}خواهم")
  }

  @Test func `no control character survives`() {
    for value: UInt32 in 0...0x2FFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      for text in [String(scalar).readable, String(scalar).readableLine] {
        #expect(
          !text.unicodeScalars.contains {
            $0.value < 0x20 || (0x7F...0x9F).contains($0.value)
              || (0x202A...0x202E).contains($0.value)
              || (0x2066...0x2069).contains($0.value)
          })
      }
    }
  }

  @Test(arguments: [
    ("a\tb", "a       b"), ("\tx", "        x"), ("12345678\tx", "12345678        x"),
    ("\t\tx", String(repeating: " ", count: 16) + "x"),
    ("x\t", "x       "), ("日\tx", "日      x"),
  ])
  func `tabs reach the next eighth column`(text: String, shown: String) {
    #expect(text.readableLine == shown)
  }
}
