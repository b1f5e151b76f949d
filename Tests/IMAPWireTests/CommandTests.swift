import IMAPWire
import MailCore
import Testing

struct CommandTests {
  /// The bytes on the wire; `⏸` where a continuation is awaited, `<n>` for a streamed message.
  private func wire(_ command: IMAPCommand, _ capabilities: [String] = ["LITERAL+"]) throws
    -> String
  {
    var text = ""
    let encoder = CommandEncoder(CapabilitySet(capabilities))
    for step in try encoder.encode(command, tag: CommandTag(1)) {
      switch step {
      case .send(let bytes): text += String(decoding: bytes, as: UTF8.self)
      case .awaitContinuation: text += "⏸"
      case .stream(let source): text += "<\(source.size)>"
      }
    }
    #expect(text.hasPrefix("A1 ") && text.hasSuffix("\r\n"))
    return String(text.unicodeScalars.dropFirst(3).dropLast(2))
  }

  private func raw(_ name: String) -> [UInt8] { Array(name.utf8) }

  @Test func `selecting`() throws {
    #expect(try wire(.select(raw("INBOX"))) == "SELECT \"INBOX\"")
    #expect(
      try wire(.select(raw("a\"b\\c"), readOnly: true, sync: .condstore))
        == #"EXAMINE "a\"b\\c" (CONDSTORE)"#)
    let sync = SelectSync.qresync(
      UIDValidity(67_890_007), ModSequence(20_050_715_194_045_000), known: UIDSet(41...211))
    #expect(
      try wire(.select(raw("x"), sync: sync))
        == "SELECT \"x\" (QRESYNC (67890007 20050715194045000 41:211))")
    #expect(
      try wire(.select(raw("x"), sync: .qresync(UIDValidity(1), ModSequence(2))))
        == "SELECT \"x\" (QRESYNC (1 2))")
  }

  @Test func `fetching`() throws {
    let set = UIDSet(ranges: [1...3, 7...7])
    #expect(try wire(.uidFetch(set, [.flags])) == "UID FETCH 1:3,7 (FLAGS)")
    #expect(try wire(.uidFetch(set, [])) == "UID FETCH 1:3,7 (UID)")
    #expect(
      try wire(
        .uidFetch(
          set,
          [
            .body, .flags, .internalDate, .size, .modSeq, .gmailIDs, .gmailLabels, .emailID,
            .threadID, .header,
          ],
          headerFields: ["MESSAGE-ID"]))
        == "UID FETCH 1:3,7 (FLAGS INTERNALDATE RFC822.SIZE MODSEQ EMAILID THREADID X-GM-MSGID X-GM-THRID X-GM-LABELS BODY.PEEK[HEADER] BODY.PEEK[] BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)])"
    )
  }

  @Test func `a star never names a message below the range`() throws {
    #expect(try wire(.uidFetch(UIDSet(1...UInt32.max), [.flags])) == "UID FETCH 1:* (FLAGS)")
    #expect(
      try wire(.uidFetch(UIDSet(9...UInt32.max), [.flags])) == "UID FETCH 9:4294967295 (FLAGS)")
    #expect(
      try wire(
        .uidFetch(
          UIDSet(1...UInt32.max), [.flags], changedSince: ModSequence(7), vanished: true))
        == "UID FETCH 1:4294967295 (FLAGS) (CHANGEDSINCE 7 VANISHED)")
  }

  @Test func `storing`() throws {
    #expect(
      try wire(
        .uidStore(
          UIDSet(1...2), .add, flags: [.seen, .forwarded], keywords: ["work"],
          unchangedSince: ModSequence(12)))
        == "UID STORE 1:2 (UNCHANGEDSINCE 12) +FLAGS.SILENT (\\Seen $Forwarded work)")
    #expect(
      try wire(.uidStore(UIDSet(1...1), .remove, flags: .deleted, silent: false))
        == "UID STORE 1 -FLAGS (\\Deleted)")
    #expect(
      try wire(.uidStoreLabels(UIDSet(3...3), .add, [raw("\\Inbox"), raw("two words")]))
        == #"UID STORE 3 +X-GM-LABELS ("\\Inbox" "two words")"#)
  }

  @Test(arguments: [
    "", "a b", "x(", "\\Seen", "a\"b", "ü", "a]b", "a\r\nB2 DELETE INBOX", "50%", "*",
  ])
  func `what is no keyword is never sent`(name: String) {
    #expect(!IMAPCommand.isKeyword(name))
    #expect(throws: CommandError.invalidKeyword(name)) {
      try IMAPCommand.uidStore(UIDSet(1...1), .add, flags: [], keywords: [name])
    }
  }

  @Test func `moving, copying, expunging name exactly their UIDs`() throws {
    #expect(try wire(.uidMove(UIDSet(4...4), to: raw("Trash"))) == "UID MOVE 4 \"Trash\"")
    #expect(try wire(.uidCopy(UIDSet(4...5), to: raw("x"))) == "UID COPY 4:5 \"x\"")
    #expect(try wire(.uidExpunge(UIDSet(4...5))) == "UID EXPUNGE 4:5")
  }

  @Test func `mailboxes`() throws {
    #expect(try wire(.create(raw("a"))) == "CREATE \"a\"")
    #expect(try wire(.myRights(raw("Shared/a b"))) == "MYRIGHTS \"Shared/a b\"")
    #expect(try wire(.rename(raw("a"), to: raw("b"))) == "RENAME \"a\" \"b\"")
    #expect(try wire(.subscribe(raw("a"))) == "SUBSCRIBE \"a\"")
    #expect(try wire(.unsubscribe(raw("a"))) == "UNSUBSCRIBE \"a\"")
    #expect(
      try wire(.status(raw("a"), [.messages, .uidNext, .highestModSeq]))
        == "STATUS \"a\" (MESSAGES UIDNEXT HIGHESTMODSEQ)")
    #expect(try wire(.list()) == "LIST \"\" \"*\"")
    #expect(
      try wire(
        .list(
          returning: ListReturn(
            subscribed: true, specialUse: true, children: true, status: [.messages])))
        == "LIST \"\" \"*\" RETURN (SUBSCRIBED CHILDREN SPECIAL-USE STATUS (MESSAGES))")
  }

  @Test func `a name of any bytes goes out as a literal`() throws {
    let name: [UInt8] = [0x22, 0xE9, 0x0D, 0x0A]
    let steps = try CommandEncoder(CapabilitySet(["LITERAL+"]))
      .encode(.select(name), tag: CommandTag(2))
    guard case .send(let bytes) = steps.first, steps.count == 1 else {
      Issue.record("\(steps)")
      return
    }
    #expect(bytes == Array("A2 SELECT {4+}\r\n".utf8) + name + [13, 10])
  }

  @Test func `a name with NUL is not sent`() {
    #expect(throws: CommandError.unspeakableName([0x41, 0])) {
      try CommandEncoder(CapabilitySet()).encode(.select([0x41, 0]), tag: CommandTag(1))
    }
  }

  @Test func `literals take the form that the server knows`() throws {
    let name = raw("ü")
    #expect(try wire(.create(name), []) == "CREATE {2}\r\n⏸ü")
    #expect(try wire(.create(name), ["LITERAL-"]) == "CREATE {2+}\r\nü")
    #expect(try wire(.create(name), ["IMAP4rev2"]) == "CREATE {2+}\r\nü")
    let long = [UInt8](repeating: 65, count: 4097)
    let append = try IMAPCommand.append(to: raw("x"), body: .bytes(long))
    #expect(try wire(append, ["LITERAL-"]).hasPrefix("APPEND \"x\" {4097}\r\n⏸AAA"))
    let short = try IMAPCommand.append(to: raw("x"), body: .bytes(Array(long.dropLast())))
    #expect(try wire(short, ["LITERAL-"]).hasPrefix("APPEND \"x\" {4096+}\r\nAAA"))
    #expect(try wire(append, ["LITERAL+"]).hasPrefix("APPEND \"x\" {4097+}\r\nAAA"))
  }

  @Test func `appending`() throws {
    let marks = MessageMarks(flags: [.seen, .draft], keywords: ["$Work"])
    let source = IMAPCommand.Source(size: 77, write: { _ in })
    #expect(
      try wire(
        .append(to: raw("Sent"), marks: marks, internalDate: 837_596_665, body: .stream(source)))
        == "APPEND \"Sent\" (\\Seen \\Draft $Work) \"17-Jul-1996 09:44:25 +0000\" {77+}\r\n<77>")
    #expect(
      try wire(.append(to: raw("x"), body: .bytes([65]), form: .utf8))
        == "APPEND \"x\" UTF8 (~{1+}\r\nA)")
  }

  @Test func `searching`() throws {
    #expect(try wire(.uidSearch(.all)) == "UID SEARCH ALL")
    #expect(
      try wire(.uidSearch(.both(.since(1_700_000_000), .uids(UIDSet(1...5)))))
        == "UID SEARCH SINCE 14-Nov-2023 UID 1:5")
    #expect(
      try wire(.uidSearch(.header("Message-ID", "<a@b>")))
        == "UID SEARCH HEADER \"Message-ID\" \"<a@b>\"")
    #expect(
      try wire(.uidSearch(.header("Subject", "ü")))
        == "UID SEARCH CHARSET UTF-8 HEADER \"Subject\" {2+}\r\nü")
    // After UTF8=ACCEPT a charset is an error.
    #expect(
      try wire(.uidSearch(.text(.subject, "ü"), isUTF8: true))
        == "UID SEARCH SUBJECT {2+}\r\nü")
    #expect(
      try wire(
        .uidSearch(
          .both(
            .either(.flag(.seen), .both(.larger(5), .smaller(9))),
            .not(.both(.keyword("$Work"), .text(.everywhere, "a \"b\""))))))
        == #"UID SEARCH OR SEEN (ALL LARGER 5 SMALLER 9) NOT (ALL KEYWORD $Work TEXT "a \"b\"")"#)
    #expect(
      try wire(.uidSearch(.both(.sentSince(1_700_000_000), .sentBefore(1_700_100_000))))
        == "UID SEARCH SENTSINCE 14-Nov-2023 SENTBEFORE 16-Nov-2023")
  }

  @Test func `the session's own commands`() throws {
    #expect(
      try wire(.id([("name", "mirror"), ("version", "1")]))
        == #"ID ("name" "mirror" "version" "1")"#)
    #expect(try wire(.id([])) == "ID NIL")
    #expect(try wire(.enable([.qresync, .utf8Accept])) == "ENABLE QRESYNC UTF8=ACCEPT")
    #expect(try wire(.authenticate("PLAIN", initial: nil)) == "AUTHENTICATE PLAIN")
    #expect(try wire(.authenticate("EXTERNAL", initial: [])) == "AUTHENTICATE EXTERNAL =")
    let login = IMAPCommand.login(user: "a", password: Secret("p\"ß"))
    #expect(login.isSecret)
    #expect(try wire(login) == "LOGIN \"a\" {4+}\r\np\"ß")
  }
}
