import IMAPWire
import MailCore
import Testing

struct FetchReaderTests {
  @Test func `all items of a FETCH are read`() throws {
    let data = try fetch(
      """
      * 12 FETCH (UID 34 FLAGS (\\Seen \\Answered \\Flagged \\Deleted \\Draft \\Recent $Forwarded $Junk) \
      INTERNALDATE "17-Jul-1996 02:44:25 -0700" RFC822.SIZE 4286 MODSEQ (12111230047) \
      EMAILID (M6d99ac3275bb4e) THREADID (T64b478a75b7ea9) X-GM-MSGID 1278455344230334865 \
      X-GM-THRID 1266894439832287888 X-GM-LABELS (\\Inbox "\\\\Sent" Work "two words" &AMQ-rger))
      """)
    #expect(data.sequence == SequenceNumber(12))
    #expect(data.uid == UID(34))
    #expect(data.marks == MessageMarks(flags: .all, keywords: ["$Junk"]))
    #expect(data.internalDate == 837_596_665)
    #expect(data.size == 4286)
    #expect(data.modSeq == ModSequence(12_111_230_047))
    #expect(data.emailID == "M6d99ac3275bb4e")
    #expect(data.threadID == "T64b478a75b7ea9")
    #expect(data.gmailMessageID == 1_278_455_344_230_334_865)
    #expect(data.gmailThreadID == 1_266_894_439_832_287_888)
    #expect(data.gmailLabels == ["\\Inbox", "\\Sent", "Work", "two words", "Ärger"])
    #expect(!data.isDamaged)
  }

  @Test func `items come in any order and case, with others between`() throws {
    let data = try fetch(
      "* 1 fetch (envelope (\"d\" NIL ((\"n\" NIL \"u\" \"h\")) NIL) rfc822.size 5 BODYSTRUCTURE ((\"TEXT\" \"PLAIN\" NIL) \"MIXED\") flags (\\seen) uid 9)"
    )
    #expect(data.uid == UID(9))
    #expect(data.size == 5)
    #expect(data.marks == MessageMarks(flags: .seen))
  }

  @Test func `ENVELOPE literals are stepped over`() throws {
    let seen = try parse(
      "* 1 FETCH (ENVELOPE (NIL {5}\r\na)b\"c NIL) UID 2 BODY[] {1}\r\nx)\r\n")
    #expect(seen.first == .body(BodySection(kind: .whole), [120]))
    guard case .fetched(let data) = seen.last else {
      Issue.record("no FETCH")
      return
    }
    #expect(data.uid == UID(2))
  }

  @Test(arguments: [
    ("BODY[]", BodySection(kind: .whole)),
    ("BODY[HEADER]", BodySection(kind: .header)),
    ("BODY[HEADER.FIELDS (DATE \"FROM\")]", BodySection(kind: .headerFields)),
    ("BODY[HEADER.FIELDS.NOT (X)]", BodySection(kind: .headerFields)),
    ("BODY[TEXT]<100>", BodySection(kind: .text, origin: 100)),
    ("BODY[1.2]", BodySection(kind: .part, part: "1.2")),
    ("BODY[1.2.MIME]", BodySection(kind: .mime, part: "1.2")),
    ("BODY[3.HEADER]", BodySection(kind: .header, part: "3")),
    ("body[]", BodySection(kind: .whole)),
    ("BINARY[2]", BodySection(kind: .part, part: "2")),
    ("RFC822", BodySection(kind: .whole)),
    ("RFC822.HEADER", BodySection(kind: .header)),
    ("RFC822.TEXT", BodySection(kind: .text)),
  ])
  func `a body section is named`(item: String, section: BodySection) throws {
    for value in ["{4}\r\nbody", "\"body\"", "~{4}\r\nbody", "{4+}\r\nbody"] {
      let seen = try parse("* 1 FETCH (\(item) \(value) UID 3)\r\n")
      #expect(seen.first == .body(section, Array("body".utf8)), "\(value)")
      guard case .fetched(let data) = seen.last else {
        Issue.record("no FETCH for \(value)")
        continue
      }
      #expect(data.uid == UID(3))
      #expect(!data.isDamaged)
    }
  }

  @Test func `a body that is NIL is no empty body`() throws {
    let seen = try parse("* 1 FETCH (UID 3 BODY[] NIL)\r\n")
    guard case .fetched(let data) = seen.first, seen.count == 1 else {
      Issue.record("\(seen)")
      return
    }
    #expect(data.bodyIsNil)
  }

  @Test func `flags without keywords leave the keywords empty`() throws {
    #expect(try fetch("* 1 FETCH (FLAGS ())").marks == MessageMarks())
    #expect(try fetch("* 1 FETCH (FLAGS (\\XYZ \\Recent))").marks == MessageMarks())
    #expect(try fetch("* 1 FETCH (UID 1)").marks == nil)
  }

  @Test func `keywords of neighbours are not mixed up`() throws {
    var text = ""
    for i in 1...200 { text += "* \(i) FETCH (UID \(i) FLAGS (k\(i % 40) \\Seen))\r\n" }
    var seen = 0
    for case .fetched(let data) in try parse(text) {
      let uid = try #require(data.uid?.rawValue)
      #expect(data.marks?.keywords == ["k\(uid % 40)"])
      seen += 1
    }
    #expect(seen == 200)
  }

  @Test func `a backslash in a quoted body is resolved`() throws {
    let seen = try parse(#"* 1 FETCH (BODY[] "a\\b\"c" BODY[TEXT] "" UID 1)"# + "\r\n")
    #expect(seen.first == .body(BodySection(kind: .whole), Array(#"a\b"c"#.utf8)))
    #expect(seen.dropFirst().first == .body(BodySection(kind: .text), []))
  }
}
