import IMAPWire
import MailCore
import Testing

/// Syntax that real servers got wrong, each as it was recorded. The parser takes it from everyone, so
/// these have no quirk to switch; ``Quirk`` holds what makes us act differently.
struct DeviationTests {
  @Test func `Courier numbers a FETCH 0`() throws {
    let data = try fetch("* 0 FETCH (UID 7 FLAGS (\\Seen))")
    #expect(data.sequence == SequenceNumber(0))
    #expect(data.uid == UID(7))
  }

  @Test func `Zoho sends MODSEQ -1`() throws {
    let data = try fetch("* 5 FETCH (UID 7 MODSEQ (-1) FLAGS ())")
    #expect(data.modSeq == nil)
    #expect(data.marks == MessageMarks())
    #expect(try fetch("* 5 FETCH (MODSEQ -1 UID 7)").uid == UID(7))
    #expect(try fetch("* 5 FETCH (MODSEQ 12 UID 7)").modSeq == ModSequence(12))
  }

  @Test func `Dovecot counts -1 lines in a BODYSTRUCTURE`() throws {
    let data = try fetch(
      #"* 1 FETCH (BODYSTRUCTURE ("text" "plain" ("charset" "x") NIL NIL "8bit" 0 -1 NIL NIL NIL NIL) UID 7)"#
    )
    #expect(data.uid == UID(7))
  }

  @Test func `sizes may be negative, or beyond 64 bits`() throws {
    #expect(try fetch("* 1 FETCH (RFC822.SIZE -3 UID 7)").size == nil)
    #expect(try fetch("* 1 FETCH (RFC822.SIZE 99999999999999999999999 UID 7)").size == nil)
    #expect(try fetch("* 1 FETCH (RFC822.SIZE 4294967297 UID 7)").size == 4_294_967_297)
    #expect(try fetch("* 1 FETCH (UID 0)").uid == nil)
    #expect(try fetch("* 1 FETCH (UID 4294967296)").uid == nil)
    #expect(try fetch("* 1 FETCH (UID -7)").uid == nil)
  }

  @Test func `Exchange puts a blank behind STATUS`() throws {
    guard case .mailboxStatus(let status) = try untagged("* STATUS Inbox (MESSAGES 2 UIDNEXT 9) ")
    else {
      Issue.record("no STATUS")
      return
    }
    #expect(status.messages == 2)
    #expect(status.name == MailboxName("INBOX", delimiter: nil))
  }

  @Test func `Exchange puts blanks between addresses and leaves strings out`() throws {
    let data = try fetch(
      #"* 1 FETCH (ENVELOPE ("x" NIL ((NIL NIL "a" "b") (NIL NIL "c" "d"))  NIL) BODY ("TEXT" "PLAIN" NIL NIL NIL NIL 3 1)  UID 7 )"#
    )
    #expect(data.uid == UID(7))
    #expect(!data.isDamaged)
  }

  @Test func `Exchange lists names with control characters, unquoted`() throws {
    guard case .list(let box) = try untagged("* LIST (\\HasNoChildren) \"/\" da\u{7}ta in\u{1}box")
    else {
      Issue.record("no listing")
      return
    }
    #expect(box.rawName == Array("da\u{7}ta in\u{1}box".utf8))
  }

  @Test func `codes come without OK, as from home.pl and Exchange`() throws {
    #expect(
      try code("* [COPYUID 1 2:3 8:9] Copied")
        == .copyUID(CopyUID(validity: UIDValidity(1), source: [2...3], destination: [8...9])))
    #expect(try code("* [UIDVALIDITY 12]") == .uidValidity(UIDValidity(12)))
  }

  @Test func `Gmail gives a code and no words`() throws {
    #expect(
      try untagged("* OK [HIGHESTMODSEQ 5]")
        == .status(.ok, ResponseText(code: .highestModSeq(ModSequence(5)))))
  }

  @Test func `Gmail's labels hold NIL, brackets and blanks`() throws {
    let data = try fetch(
      #"* 1 FETCH (X-GM-LABELS (NIL "\\Important" [Imap]/Sent "a b" {3}"# + "\r\nx)y) UID 7)")
    #expect(data.gmailLabels == ["\\Important", "[Imap]/Sent", "a b", "x)y"])
    #expect(data.uid == UID(7))
    #expect(try fetch("* 1 FETCH (X-GM-LABELS NIL)").gmailLabels == [])
  }

  @Test func `Cyrus and Gmail allow brackets in flags`() throws {
    #expect(
      try untagged("* FLAGS (\\Seen a]b [Gmail]/x)") == .flags(["\\Seen", "a]b", "[Gmail]/x"]))
    let data = try fetch("* 1 FETCH (FLAGS ([x] y] \\Seen) UID 7)")
    #expect(data.marks == MessageMarks(flags: .seen, keywords: ["[x]", "y]"]))
  }

  @Test func `flags come as NIL, with NIL in them, quoted, or twice`() throws {
    #expect(try fetch("* 1 FETCH (FLAGS NIL UID 7)").marks == MessageMarks())
    #expect(try fetch("* 1 FETCH (FLAGS (NIL \\Seen))").marks == MessageMarks(flags: .seen))
    #expect(
      try fetch(#"* 1 FETCH (FLAGS ("\\Seen" "work" \seen))"#).marks
        == MessageMarks(flags: .seen, keywords: ["work"]))
    #expect(
      try fetch("* 1 FETCH (FLAGS (a) UID 7 FLAGS (b))").marks == MessageMarks(keywords: ["b"]))
  }

  @Test func `Cyrus 3.6 puts raw bytes into STATUS's MAILBOXID`() throws {
    let raw: [UInt8] = [0x8E, 0xE9, 0x84, 0x93, 0x37, 0x56]
    let line = Array("* STATUS INBOX (MAILBOXID (".utf8) + raw + Array(") UIDNEXT 4)".utf8)
    guard case .mailboxStatus(let status) = try untagged(line) else {
      Issue.record("no STATUS")
      return
    }
    #expect(status.mailboxID == nil)
    #expect(status.uidNext == UID(4))
  }

  @Test func `public-inbox says plus and nothing else`() throws {
    #expect(
      try parse("+\r\n+ \r\n+\n") == [.continuation(""), .continuation(""), .continuation("")])
  }

  @Test func `lines end with a bare line feed`() throws {
    let seen = try parse("* 2 EXISTS\n* 1 FETCH (BODY[] {2}\nab)\nA1 OK\n")
    #expect(seen.count == 4)
    #expect(seen.contains(.body(BodySection(kind: .whole), Array("ab".utf8))))
  }

  @Test func `blanks double, trail and lead`() throws {
    #expect(try untagged("*  2   EXISTS ") == .exists(2))
    #expect(try fetch("*  1  FETCH  (  UID  7   FLAGS  ( \\Seen  ) ) ").marks?.flags == .seen)
    #expect(
      try untagged("* CAPABILITY  IMAP4rev1  IDLE ")
        == .capability(CapabilitySet(["IMAP4REV1", "IDLE"])))
  }

  @Test func `8-bit stands anywhere`() throws {
    let line = Array("* NO Zugriff verweigert f".utf8) + [0xFC] + Array("r Sie".utf8)
    guard case .status(.no, let text) = try untagged(line) else {
      Issue.record("no status")
      return
    }
    #expect(text.text.hasPrefix("Zugriff"))
    let flags = Array("* 1 FETCH (UID 7 FLAGS (caf".utf8) + [0xC3, 0xA9] + Array("))".utf8)
    #expect(try parse(flags + [13, 10]).count == 1)
  }

  @Test func `Yahoo leaves items out and Exchange orders them anew`() throws {
    let short = try fetch("* 9 FETCH (UID 7)")
    #expect(short.marks == nil && short.size == nil && short.internalDate == nil)
    #expect(
      try fetch("* 9 FETCH (RFC822.SIZE 4 UID 7)") == fetch("* 9 FETCH (UID 7 RFC822.SIZE 4)"))
  }

  @Test func `iCloud ends FETCH RFC822 with OK and no literal`() throws {
    let seen = try parse("* 1 FETCH (UID 7 RFC822 )\r\nA1 OK done\r\n")
    #expect(seen.count == 2)
    #expect(seen.last == .tagged(CommandTag(1), TaggedResult(status: .ok, text: "done")))
  }

  @Test func `QRESYNC's VANISHED comes in several lines, and from iCloud malformed`() throws {
    let seen = try parse(
      "* VANISHED (EARLIER) 1:2\r\n* VANISHED (EARLIER) 7\r\n* VANISHED (EARLIER) 1:2,,4\r\n")
    #expect(seen[0] == .untagged(.vanished(earlier: true, UIDSet(1...2))))
    #expect(seen[1] == .untagged(.vanished(earlier: true, UIDSet(7...7))))
    guard case .untagged(.unrecognised) = seen[2] else {
      Issue.record("\(seen[2])")
      return
    }
  }

  @Test func `NetEase answers STATUS with nothing in it`() throws {
    guard case .mailboxStatus(let status) = try untagged("* STATUS \"x\" ()") else {
      Issue.record("no STATUS")
      return
    }
    #expect(status.messages == nil)
  }

  @Test func `seznam and others have no delimiter`() throws {
    guard case .list(let box) = try untagged("* LIST () NIL newsletters") else {
      Issue.record("no listing")
      return
    }
    #expect(box.delimiter == nil)
    #expect(box.name.levels == ["newsletters"])
  }

  @Test func `pymap's EMAILID in two parentheses costs no other item`() throws {
    let seen = try parse(
      "* 1 FETCH (FLAGS (\\Seen) RFC822.SIZE 2 EMAILID ((M5d3d)) BODY[] {2}\r\nab UID 7)\r\n")
    #expect(seen.first == .body(BodySection(kind: .whole), Array("ab".utf8)))
    var expected = FetchData(sequence: SequenceNumber(1))
    expected.uid = UID(7)
    expected.marks = MessageMarks(flags: .seen)
    expected.size = 2
    expected.unreadable = .emailID
    #expect(seen.last == .fetched(expected))
  }

  @Test(
    arguments: [
      ("FLAGS \\Seen", .flags), ("INTERNALDATE (1 2)", .internalDate), ("RFC822.SIZE big", .size),
      ("MODSEQ ((5) x)", .modSeq), ("threadid ((T1))", .threadID), ("X-GM-MSGID x", .gmailIDs),
      ("X-GM-THRID x", .gmailIDs), ("X-GM-LABELS x", .gmailLabels),
    ] as [(String, FetchItems)])
  func `an item that can't be read costs only itself`(item: String, named: FetchItems) throws {
    let data = try fetch("* 1 FETCH (EMAILID (M1) \(item) UID 9)")
    var expected = FetchData(sequence: SequenceNumber(1))
    expected.uid = UID(9)
    expected.emailID = "M1"
    expected.unreadable = named
    #expect(data == expected)
  }

  @Test(arguments: [
    " FLAGS (\\Seen)", " FLAGS (\\Seen UID 9)", " FLAGS (a)b) UID 9)", ") and more", " {3}",
  ])
  func `a tail that can't be read leaves what stood before the body`(tail: String) throws {
    let seen = try parse("* 1 FETCH (UID 7 BODY[] {2}\r\nab\(tail)\r\n* 3 EXISTS\r\n")
    guard case .fetched(let data) = seen[1] else {
      Issue.record("\(seen)")
      return
    }
    var expected = FetchData(sequence: SequenceNumber(1))
    expected.uid = UID(7)
    expected.isDamaged = true
    #expect(data == expected)
    if !tail.hasSuffix("}") { #expect(seen.last == .untagged(.exists(3))) }
  }

  @Test(arguments: [
    "* -1 EXISTS", "* x EXISTS", "* 1 FETCH UID 7", "* 1 FETCH", "*", "* ", "", "FETCH",
    "* FETCH (UID 1)",
    "* 1 FETCH (UID)", "* 1 FETCH (FLAGS (\\Seen UID 7)", "* 1 FETCH (BODY[ {x)", "* LIST",
    "* LIST ()",
    "* LIST () \"/\"", "* STATUS", "* STATUS x", "* SEARCH x",
    "* LIST (\"",
    "* 99999999999999999999999999 EXISTS", "* 4294967296 EXPUNGE",
    "* 1 FETCH (UID 7 FLAGS (\\Seen)",
    "* 1 FETCH (UID 7) and more", "* 1 FETCH (FLAGS (a)b) UID 7)",
  ])
  func `what can't be read is neither believed nor fatal`(line: String) throws {
    let seen = try parse(line + "\r\n* 3 EXISTS\r\n")
    #expect(seen.last == .untagged(.exists(3)))
    for event in seen.dropLast() {
      switch event {
      case .untagged(.unrecognised): break
      default: Issue.record("\(line) was read as \(event)")
      }
    }
  }
}
