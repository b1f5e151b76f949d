import Testing

@testable import Reading

@Suite struct SafeFileNameTests {
  @Test(arguments: [
    ("report.pdf", "report.pdf"), ("../../etc/passwd", "passwd"), ("C:\\Users\\x\\a.doc", "a.doc"),
    (".bashrc", "bashrc"), ("-rf", "rf"), ("a\u{202E}fdp.exe", "afdp.exe"), ("..", "part-2"),
    ("/", "part-2"), ("", "part-2"), ("a/", "a"), ("x\u{1B}[31m\n.txt", "x[31m.txt"),
    ("nul.txt", "_nul.txt"),
    ("COM1", "_COM1"), ("dot. . ", "dot"), ("a:b?.txt", "a_b_.txt"), ("日本語.txt", "日本語.txt"),
    ("\u{200B}\u{FEFF}", "part-2"), ("a\0b", "ab"),
  ])
  func `no name of a sender leads anywhere`(raw: String, safe: String) {
    #expect(SafeFileName.make(from: raw, fallback: "part-2") == safe)
  }

  @Test func `a long name keeps its ending and fits`() {
    let name = SafeFileName.make(from: String(repeating: "ü", count: 400) + ".pdf", fallback: "x")
    #expect(name.utf8.count <= 180)
    #expect(name.hasSuffix(".pdf"))
    #expect(SafeFileName.numbered(name, 9999).utf8.count < 255)
  }

  @Test func `one endless cluster still gives a name`() {
    let raw = "a" + String(repeating: "\u{301}", count: 2000) + ".txt"
    #expect(SafeFileName.make(from: raw, fallback: "x") == "attachment.txt")
  }

  @Test func `twins are numbered before the ending`() {
    #expect(SafeFileName.numbered("a.tar.gz", 2) == "a.tar (2).gz")
    #expect(SafeFileName.numbered("a", 3) == "a (3)")
    #expect(SafeFileName.numbered("a.b", 1) == "a.b")
  }
}
