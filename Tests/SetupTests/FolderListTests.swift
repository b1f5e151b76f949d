import MailCore
import Testing

@testable import Setup

@Suite struct FolderListTests {
  private let folders = [
    FolderInfo(name: "INBOX", messages: 1204), FolderInfo(name: "Sent", role: .sent, messages: 7),
    FolderInfo(name: "Junk", role: .junk, messages: 0), FolderInfo(name: "!odd"),
  ]

  @Test func `folders are chosen by numbers`() throws {
    func patterns(_ text: String) throws -> [String]? {
      try FolderChoice.patterns(text, of: folders)
    }
    #expect(try patterns("all") == nil)
    #expect(try patterns("1-4") == nil)
    #expect(try patterns("1, 3") == ["INBOX", "Junk"])
    #expect(try patterns("2-3") == ["Sent", "Junk"])
    #expect(try patterns("4") == ["%odd"])
    #expect(try patterns("-2 -4") == ["*", "!Sent", "!!odd"])
    #expect(try patterns("-2-3") == ["*", "!Sent", "!Junk"])
    let odd = ["INBOX", "A*", "Archive", "100%", "100 days", "!odd", "xodd"].map {
      FolderInfo(name: $0)
    }
    #expect(try FolderChoice.patterns("-2", of: odd) == ["*", "!A*", "Archive"])
    #expect(try FolderChoice.patterns("1,4", of: odd) == ["INBOX", "100%", "!100 days"])
    #expect(try FolderChoice.patterns("6", of: odd) == ["%odd", "!xodd"])
    #expect(try FolderChoice.patterns("-6", of: odd) == ["*", "!!odd"])
    for wrong in ["", "0", "5", "1-9", "3-1", "x", "1,-2", "-1-4", "1--2", "99999999999999999999"] {
      #expect(throws: FolderChoice.Mistake.self) { try patterns(wrong) }
    }
  }

  @Test func `the folder list stays within 80 columns`() {
    let many =
      (1...120).map {
        FolderInfo(
          name: String(repeating: "long name ", count: $0 % 12) + "\($0)\u{1B}[31m",
          role: SpecialUse.allCases[$0 % 7], messages: $0 * 98_765)
      }
    let lines = FolderList.lines(many)
    #expect(lines.count == 120)
    for line in lines {
      #expect(line.count <= 80, "\(line)")
      #expect(!line.contains("\u{1B}"))
    }
    #expect(FolderList.lines(folders)[0].contains("1,204"))
  }

  @Test func `names of any script stand in columns, with sizes where they are known`() {
    let list = FolderList.lines([
      FolderInfo(name: "INBOX", messages: 1204, bytes: 34_200_000),
      FolderInfo(name: "日本語", role: .junk, messages: 7, bytes: 999),
      FolderInfo(name: "e\u{301}te\u{301}", role: .sent, messages: 0, bytes: 0),
      FolderInfo(name: "odd"),
    ])
    #expect(
      list == [
        "  1  INBOX   1,204  34 MB", "  2  日本語      7  999 B  junk",
        "  3  e\u{301}te\u{301}         0    0 B  sent", "  4  odd         ?",
      ])
    let long = FolderList.lines([
      FolderInfo(name: String(repeating: "漢字", count: 40), role: .all, messages: 1, bytes: 1)
    ])
    #expect(TextWidth.columns(of: long[0]) <= 80)
    #expect(long[0].contains("…"))
    // No server said it: no column.
    #expect(FolderList.lines([FolderInfo(name: "a", messages: 1)]) == ["  1  a  1"])
    let words = Paragraph.lines(String(repeating: "漢字漢字漢 ", count: 30), width: 40)
    for line in words { #expect(TextWidth.columns(of: line) <= 40, "\(line)") }
  }

  @Test func `everything that is said fits 80 columns once it is wrapped`() {
    for text in [
      String(repeating: "word ", count: 60), "  1  " + String(repeating: "word ", count: 30),
      "short",
    ] {
      for line in Paragraph.lines(text) { #expect(line.count <= 80) }
    }
    #expect(Paragraph.lines("") == [""])
    #expect(Paragraph.lines("a b") == ["a b"])
  }
}
