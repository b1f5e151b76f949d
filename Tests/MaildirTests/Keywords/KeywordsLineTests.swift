import MailCore
import Maildir
import Testing

struct KeywordsLineTests {
  let line = KeywordsLine.xKeywords

  private func written(_ keywords: Keywords, before head: String = "From: a\n") -> String {
    Array(head.utf8).withUnsafeBytes { line.line(for: keywords, before: $0, ending: .lf).text }
  }
  private func read(_ text: String) -> Keywords? {
    Array(text.utf8).withUnsafeBytes { line.decode($0) }
  }

  @Test func `a message without keywords gets no line`() {
    #expect(written(.none) == "")
  }

  @Test(arguments: ["X-Keywords: x\n", "x-kEYWORDS:\n", "X-Keywords :x\n", "X-Keywords\t : x"])
  func `server bytes that begin with our header get an empty line of ours`(head: String) {
    #expect(written(.none, before: head) == "X-Keywords:\n")
    #expect(read(written(.none, before: head)) == Keywords.none)
  }

  @Test(arguments: ["X-Keyword: x\n", "X-Keywords2: x\n", "X-Keywords", " X-Keywords: x", "", "\n"])
  func `other headers are other headers`(head: String) {
    #expect(written(.none, before: head) == "")
  }

  @Test func `keywords are spelled on one line`() {
    #expect(written(["b", "a"]) == "X-Keywords: a, b\n")
    #expect(
      written(["100%", "a,b", " x ", "ü\u{85}"]) == "X-Keywords: %20x%20, 100%25, a%2Cb, ü%C2%85\n")
    #expect(written(["a\r\nBcc: x"]) == "X-Keywords: a%0D%0ABcc: x\n")
  }

  @Test(arguments: [
    ("=?utf-8?q?caf=C3=A9?=, plain", ["café", "plain"]),
    ("=?UTF-8?B?w4RyZ2Vy?=", ["Ärger"]),
    ("=?iso-8859-1?Q?Fa=DFbrause_kalt?=", ["Faßbrause kalt"]),
    ("=?utf-8*de?q?one=2C_two?=", ["one", "two"]),
    ("=?utf-8?b?w4RyZ2Vy?= =?utf-8?b?IHJvdA==?= x", ["Ärger rot x"]),
    ("=?utf-8?q?cut=C3?= =?utf-8?q?=A9?=", ["cuté"]),
    ("=?koi8-r?q?=C1?=", ["=?koi8-r?q?=C1?="]),
    ("a=?b, =?, =?utf-8?q?x", ["a=?b", "=?", "=?utf-8?q?x"]),
    ("=?utf-8?b?w4!?=", ["=?utf-8?b?w4!?="]), ("=?utf-8?q?=4?=", ["=?utf-8?q?=4?="]),
  ])
  func `other tools' encoded words are decoded`(value: String, names: [String]) {
    #expect(read("X-Keywords: \(value)\n") == Keywords(names))
  }

  @Test func `a keyword that looks like an encoded word comes back as it is`() {
    let keywords: Keywords = ["=?utf-8?q?x?=", "a=?", "=?", "="]
    #expect(read(written(keywords)) == keywords)
  }

  @Test func `a line of a crlf tree ends in CRLF`() {
    let bytes = line.line(
      for: ["a"], before: UnsafeRawBufferPointer(start: nil, count: 0), ending: .crlf)
    #expect(bytes.text == "X-Keywords: a\r\n")
    #expect(bytes.withUnsafeBytes { line.decode($0) } == ["a"])
  }

  @Test(arguments: [
    ("X-Keywords: a, b \n", ["a", "b"]), ("x-keywords:a,b", ["a", "b"]),
    ("X-Keywords: ,,a,\n", ["a"]),
    ("X-Keywords: 100%, %zz, %4\n", ["100%", "%zz", "%4"]),
    ("X-Keywords: a\nX-Keywords: b\n", ["a"]),
    ("X-Keywords: A, a\n", ["A"]),
  ])
  func `what others write is taken as it comes`(text: String, names: [String]) {
    #expect(read(text) == Keywords(names))
  }

  @Test func `what is written is read again, whatever the keyword`() {
    var numbers = SeededNumbers(seed: 3)
    let scalars = Array("a%, \t\r\n\0é\u{85}\u{9F}\u{A0}😀Z~2C".unicodeScalars)
    for _ in 0..<8000 {
      let names = (0..<Int.random(in: 1...4, using: &numbers)).map { _ in
        var name = ""
        for _ in 0..<Int.random(in: 1...6, using: &numbers) {
          name.unicodeScalars.append(scalars.randomElement(using: &numbers)!)
        }
        return name
      }
      let text = written(Keywords(names))
      #expect(read(text) == Keywords(names))
      #expect(text.utf8.filter { $0 < 0x20 } == [0x0A])
    }
  }

  @Test(arguments: ["", "a b", "a:b", "ä", "a\n", String(repeating: "x", count: 65)])
  func `a header name that cannot be one is refused`(name: String) {
    #expect(KeywordsLine(name: name) == nil)
  }
}
