import Testing

@testable import Setup

@Suite struct NotmuchDumpTests {
  private func tags(_ text: String) throws(MovingError) -> [String: [String]] {
    try NotmuchDump(Array(text.utf8), name: "dump").tags
  }

  @Test func `both formats are read, encoded and quoted`() throws {
    let batch = """
      #notmuch-dump batch-tag:3 config,properties,tags
      #@ query.x y
      #= a@b session-key=1
      +inbox +to%20do +%c3%a4 -- id:a@b
      +x -- id:"q ""r""@b"
       -- id:none@b
      +last -- id:a--b+c@d
      """
    #expect(
      try tags(batch) == [
        "a@b": ["inbox", "to do", "ä"], "q \"r\"@b": ["x"], "a--b+c@d": ["last"],
      ])
    #expect(try tags("xy@b (inbox todo)\nz (w)@b ()\n") == ["xy@b": ["inbox", "todo"]])
    #expect(try tags("") == [:])
  }

  @Test func `anything else is told to be no dump`() {
    for text in ["From: a@b\n", "+a +b\n", "+a -- thread:1\n", "{}", "+a -- id:x@y\nhello world\n"]
    {
      #expect(throws: MovingError.noDump("dump")) { try tags(text) }
    }
    #expect(throws: MovingError.compressedDump("dump")) {
      try NotmuchDump([0x1F, 0x8B, 8, 0], name: "dump")
    }
  }

  @Test func `damaged lines end in an error or in tags, never in a crash`() {
    let line = Array("+a%2fb -x +c%zz%4 -- id:\"q \"\"r\"\"@b\"\nid (t u)\n".utf8)
    var state: UInt64 = 42
    for _ in 0..<4000 {
      var bytes = line
      for _ in 0..<3 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let place = Int(state >> 33) % bytes.count
        switch state >> 60 & 3 {
        case 0: bytes.remove(at: place)
        case 1: bytes.insert(UInt8(truncatingIfNeeded: state >> 20), at: place)
        default: bytes[place] = UInt8(truncatingIfNeeded: state >> 20)
        }
      }
      _ = try? NotmuchDump(bytes, name: "")
    }
  }

  @Test(arguments: [
    ("<a@b>", "a@b"), (" <a\t b@c> (comment)", "ab@c"), ("a@b", "a@b"), ("<a@b", "a@b"), ("", ""),
  ])
  func `an id is what notmuch makes of the field`(field: String, id: String) {
    #expect(NotmuchDump.id(Array(field.utf8)) == id)
  }

  @Test(arguments: [
    ("unread", TagRule.flag), ("Flagged", .flag), ("replied", .flag), ("passed", .flag),
    ("draft", .flag), ("attachment", .automatic), ("signed", .automatic),
    ("encrypted", .automatic), ("inbox", .place), ("sent", .place), ("swift", .place),
    ("lists/swift", .place), ("todo", .keyword), ("lists/rust", .keyword), ("$Junk", .keyword),
    ("spam", .keyword), ("to do", .unfit), ("ä", .unfit), ("a%b", .unfit), ("", .unfit),
  ])
  func `a tag is a flag, a place, a keyword or nothing for a server`(tag: String, rule: TagRule) {
    #expect(TagRule(tag, in: "Lists/Swift") == rule)
    #expect((rule.reason == nil) == (rule == .keyword))
  }

  @Test func `mu's table tells its tree`() {
    let table = """
      +-----------+--------------+
      | maildir   | /home/a/Mail |
      +-----------+--------------+
      | database-path | /x/xapian |
      """
    #expect(PeerPrograms.muRoot(table) == "/home/a/Mail")
    #expect(PeerPrograms.muRoot(table.replacing("|", with: "│")) == "/home/a/Mail")
    #expect(PeerPrograms.muRoot("error: no database") == nil)
  }
}
