import IMAPWire
import MailCore
import Testing

struct MailboxResponseTests {
  private func listing(_ line: String) throws -> MailboxListing {
    guard case .list(let listing) = try untagged(line) else { throw Missing(line: line) }
    return listing
  }

  private func status(_ line: String) throws -> MailboxStatus {
    guard case .mailboxStatus(let status) = try untagged(line) else { throw Missing(line: line) }
    return status
  }

  @Test func `a listing has name, delimiter, attributes and use`() throws {
    let sent = try listing(#"* LIST (\HasNoChildren \Sent \Subscribed \UnMarked) "/" "Sent Items""#)
    #expect(sent.name == MailboxName("Sent Items", delimiter: "/"))
    #expect(sent.rawName == Array("Sent Items".utf8))
    #expect(sent.specialUse == [.sent])
    #expect(sent.attributes == [.hasNoChildren, .subscribed, .unmarked])
    #expect(sent.isSelectable)
    #expect(try !listing(#"* LIST (\Noselect) "/" x"#).isSelectable)
    #expect(try !listing(#"* LIST (\NonExistent) "/" x"#).isSelectable)
  }

  @Test(
    arguments: [
      (#"* LIST () "/" INBOX"#, "INBOX", "/"),
      (#"* LIST () "/" inbox"#, "INBOX", "/"),
      (#"* LIST () "." INBOX.Drafts"#, "INBOX.Drafts", "."),
      (#"* LIST () NIL flat"#, "flat", nil),
      (#"* LIST () "" "Folder2""#, "Folder2", nil),
      (#"* LIST () "\\" "a\\b""#, "a\\b", "\\"),
      (#"* LIST () "\" "a\\b""#, "a\\b", "\\"),
      (#"* LIST NIL "/" x"#, "x", "/"),
      (#"* LIST () "/" a b  c"#, "a b  c", "/"),
      (#"* LIST () "/" "quo\"ted" "#, "quo\"ted", "/"),
      (#"* LIST () "/" x ("CHILDINFO" ("SUBSCRIBED"))"#, "x", "/"),
      (#"* XLIST (\AllMail) "/" "[Gmail]/All Mail""#, "[Gmail]/All Mail", "/"),
      (#"* LIST () "/" &U,BTFw-/&ZeVnLIqe-"#, "台北/日本語", "/"),
      (#"* LIST () "/" "a&b""#, "a&b", "/"),
      (#"* LIST () "/" Entwürfe"#, "Entwürfe", "/"),
      (#"* LIST () "/" "../../x""#, "../../x", "/"),
    ] as [(String, String, Character?)])
  func `a mailbox name is decoded`(line: String, name: String, delimiter: Character?) throws {
    let box = try listing(line)
    #expect(box.name.text == name)
    #expect(box.delimiter == delimiter)
  }

  @Test(
    arguments: [
      (#"* LIST () "/" New"#, nil),
      (#"* LIST () "/" New ("CHILDINFO" ("SUBSCRIBED"))"#, nil),
      (#"* LIST () "/" New ("OLDNAME" (Old))"#, "Old"),
      (#"* LIST () "/" New (X (a (b "c")) oldname ("Old box"))"#, "Old box"),
      (#"* LIST () "/" New ("OLDNAME" (Entw&APw-rfe))"#, "Entw&APw-rfe"),
      // Dovecot 2.3
      (#"* LIST () "/" New ("OLDNAME" (Entwürfe))"#, "Entw&APw-rfe"),
      (#"* LIST () "/" New ("OLDNAME" ("a & b"))"#, "a &- b"),
      (#"* LIST () "/" New ("OLDNAME" ("#, nil),
      (#"* LIST () "/" New ("OLDNAME")"#, nil),
      (#"* LIST () "/" New ()"#, nil),
    ] as [(String, String?)])
  func `a renamed mailbox has its old name beside it`(line: String, old: String?) throws {
    let box = try listing(line)
    #expect(box.rawName == Array("New".utf8))
    #expect(box.oldName == old.map { Array($0.utf8) })
  }

  @Test func `bytes that are no text still make a name, and go back as they came`() throws {
    let line = Array("* LIST () \"/\" \"caf".utf8) + [0xE9, 0x1B] + Array("\"".utf8)
    guard case .list(let box) = try untagged(line) else {
      Issue.record("no listing")
      return
    }
    #expect(box.name.text == "café\u{1B}")
    #expect(box.rawName == Array("caf".utf8) + [0xE9, 0x1B])
  }

  @Test func `names are UTF-8 from ENABLED on`() throws {
    for enabled in ["UTF8=ACCEPT", "imap4rev2"] {
      let seen = try parse(
        "* LIST () \"/\" &AOQ-\r\n* ENABLED \(enabled)\r\n* LIST () \"/\" \"&AOQ-ü\"\r\n")
      let names = seen.compactMap { event -> String? in
        if case .untagged(.list(let box)) = event { box.name.text } else { nil }
      }
      #expect(names == ["ä", "&AOQ-ü"])
    }
  }

  @Test func `STATUS is read with what it holds`() throws {
    let box = try status(
      "* STATUS \"a b\" (MESSAGES 231 UIDNEXT 44292 UIDVALIDITY 7 HIGHESTMODSEQ 7011231777 UNSEEN 2 RECENT 1 SIZE 9 DELETED 3 MAILBOXID (F3) APPENDLIMIT NIL)"
    )
    var expected = MailboxStatus(
      rawName: Array("a b".utf8), name: MailboxName("a b", delimiter: nil))
    expected.messages = 231
    expected.uidNext = UID(44292)
    expected.uidValidity = UIDValidity(7)
    expected.highestModSeq = ModSequence(7_011_231_777)
    expected.unseen = 2
    expected.recent = 1
    expected.size = 9
    expected.deleted = 3
    expected.mailboxID = "F3"
    #expect(box == expected)
  }

  @Test(arguments: [
    "* STATUS x (MESSAGES 3) ", "* STATUS x ( MESSAGES 3 )",
    "* STATUS x (MESSAGES \"3\" UNSEEN -1)",
    "* STATUS x (X-NEW (1 2 (3)) MESSAGES 3)", "* STATUS {1}\r\nx (MESSAGES 3)",
  ])
  func `STATUS is taken leniently`(line: String) throws {
    let box = try status(line)
    #expect(box.messages == 3)
    #expect(box.unseen == nil)
    #expect(box.rawName == Array("x".utf8))
  }

  @Test func `a STATUS name may hold unquoted blanks and parentheses`() throws {
    let box = try status("* STATUS Sent Items (old) (MESSAGES 3)")
    #expect(box.name.text == "Sent Items (old)")
    #expect(box.messages == 3)
  }

  @Test func `SELECT's responses fold into one picture`() throws {
    var box = SelectedMailbox()
    let text = """
      * FLAGS (\\Answered \\Seen work)\r
      * OK [PERMANENTFLAGS (\\Answered \\Seen \\*)] ok\r
      * 172 EXISTS\r
      * 1 RECENT\r
      * OK [UIDVALIDITY 38]\r
      * OK [UIDNEXT 44]\r
      * OK [HIGHESTMODSEQ 99]\r
      * OK [MAILBOXID (abc)]\r
      A1 OK [READ-WRITE] done\r

      """
    for event in try parse(text) {
      switch event {
      case .untagged(let response): box.absorb(response)
      case .tagged(_, let result): box.absorb(result)
      default: break
      }
    }
    #expect(box.exists == 172)
    #expect(box.uidValidity == UIDValidity(38))
    #expect(box.uidNext == UID(44))
    #expect(box.highestModSeq == ModSequence(99))
    #expect(box.mailboxID == "abc")
    #expect(box.acceptsNewKeywords)
    #expect(!box.isReadOnly)
    box.absorb(.status(.ok, ResponseText(code: .noModSeq)))
    #expect(box.highestModSeq == nil)
  }

  @Test func `namespaces are read`() throws {
    guard
      case .namespace(let spaces) = try untagged(
        ##"* NAMESPACE (("" "/" "X-PARAM" ("a" "b"))("#Mh" NIL)) NIL (("Public." "."))"##)
    else {
      Issue.record("no namespaces")
      return
    }
    #expect(spaces.personal.map(\.prefix) == ["", "#Mh"])
    #expect(spaces.personal.map(\.delimiter) == ["/", nil])
    #expect(spaces.otherUsers.isEmpty)
    #expect(spaces.shared.first?.rawPrefix == Array("Public.".utf8))
  }

  @Test(
    arguments: [
      (#"* MYRIGHTS INBOX lrswipkxtecda"#, "INBOX", "lrswipkxtecda"),
      (#"* myrights "Shared/our team" "lr""#, "Shared/our team", "lr"),
      (#"* MYRIGHTS "x" "" "#, "x", ""), (#"* MYRIGHTS x"#, "x", ""),
    ] as [(String, String, String)])
  func `rights in a mailbox are read`(line: String, name: String, letters: String) throws {
    #expect(try untagged(line) == .myRights(Array(name.utf8), MailboxRights(letters)))
  }

  @Test func `what is no list of rights is none`() throws {
    for line in ["* MYRIGHTS", "* MYRIGHTS a b c", "* MYRIGHTSX a lr"] {
      guard case .unrecognised = try untagged(line) else {
        Issue.record("\(line)")
        continue
      }
    }
    guard
      case .myRights(_, let rights) = try untagged(
        "* MYRIGHTS x " + String(repeating: "q", count: 500))
    else {
      Issue.record("no rights")
      return
    }
    #expect(rights.letters.count == 64)
  }

  @Test func `the old right to delete counts where none of its parts is told`() {
    let old = MailboxRights("lrswipcda")
    #expect(old.mayMarkDeleted && old.mayExpunge && old.mayInsert && old.mayChangeFlags)
    let parts = MailboxRights("lrstd")
    #expect(parts.mayMarkDeleted && !parts.mayExpunge && parts.mayChangeSeen)
    #expect(!parts.mayChangeFlags && !parts.mayInsert)
  }

  @Test func `ID is read, odd forms too`() throws {
    #expect(
      try untagged(#"* ID ("NAME" "Cyrus" "version" NIL "os" "x")"#)
        == .id(ServerID(["name": "Cyrus", "os": "x"])))
    #expect(try untagged("* ID NIL") == .id(ServerID()))
    #expect(try untagged("* ID ()") == .id(ServerID()))
    #expect(try untagged(#"* ID ("name")"#) == .id(ServerID()))
  }
}
