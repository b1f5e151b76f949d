import IMAPWire
import MailCore
import Testing

struct ResponseCodeTests {
  @Test(arguments: [
    (
      "* OK [UIDVALIDITY 3857529045] UIDs valid",
      ResponseCode.uidValidity(UIDValidity(3_857_529_045))
    ),
    ("* OK [UIDNEXT 4392] Predicted next UID", .uidNext(UID(4392))),
    ("* OK [HIGHESTMODSEQ 715194045007]", .highestModSeq(ModSequence(715_194_045_007))),
    ("* OK [HIGHESTMODSEQ -1] Zoho", .noModSeq),
    ("* OK [NOMODSEQ] none", .noModSeq),
    ("* OK [UNSEEN 12] first unseen", .unseen(SequenceNumber(12))),
    (
      "* OK [PERMANENTFLAGS (\\Deleted \\Seen \\*)] Limited",
      .permanentFlags(["\\Deleted", "\\Seen", "\\*"])
    ),
    ("* OK [PERMANENTFLAGS ()] none", .permanentFlags([])),
    ("* OK [PERMANENTFLAGS (a]b [c] \\*)] odd", .permanentFlags(["a]b", "[c]", "\\*"])),
    (
      "* OK [CAPABILITY IMAP4rev1 auth=plain] hi",
      .capability(CapabilitySet(["IMAP4REV1", "AUTH=PLAIN"]))
    ),
    ("* OK [APPENDUID 38505 3955] done", .appendUID(UIDValidity(38505), UIDSet([UID(3955)]))),
    (
      "* OK [COPYUID 38505 304,319:320 3956:3958] Done",
      .copyUID(
        CopyUID(
          validity: UIDValidity(38505), source: [304...304, 319...320], destination: [3956...3958]))
    ),
    ("* OK [MODIFIED 7,9] Conditional STORE failed", .modified(UIDSet([UID(7), UID(9)]))),
    ("* OK [MAILBOXID (F2212ea87-6097)] Ok", .mailboxID("F2212ea87-6097")),
    ("* OK [MAILBOXID F2212ea87] Ok", .mailboxID("F2212ea87")),
    ("* NO [overquota] full", .overQuota),
    ("* OK [NOTIFICATIONOVERFLOW] off", .notificationOverflow),
    ("* NO [BADEVENT (MessageNew  FlagChange)] x", .badEvent(["MessageNew", "FlagChange"])),
    ("* NO [BADEVENT AnnotationChange] x", .badEvent(["AnnotationChange"])),
    ("* NO [BADEVENT] x", .badEvent([])),
    ("* NO [AUTHENTICATIONFAILED] no", .authenticationFailed),
    ("* BAD [TOOBIG] too big", .tooBig),
    ("* OK [URLMECH INTERNAL] x", .other(name: "URLMECH", arguments: "INTERNAL")),
    (
      "* OK [BADCHARSET (\"a]b\" UTF-8)] x",
      .other(name: "BADCHARSET", arguments: "(\"a]b\" UTF-8)")
    ),
    ("* OK [UIDVALIDITY nonsense] x", .other(name: "UIDVALIDITY", arguments: "nonsense")),
    (
      "* [COPYUID 1 2 3] no OK",
      .copyUID(CopyUID(validity: UIDValidity(1), source: [2...2], destination: [3...3]))
    ),
  ])
  func `a code is read`(line: String, expected: ResponseCode) throws {
    #expect(try code(line) == expected)
  }

  @Test func `a bracket that never closes is text`() throws {
    #expect(
      try untagged("* OK [Important news for you")
        == .status(.ok, ResponseText(text: "[Important news for you")))
    #expect(try untagged("* OK [] x") == .status(.ok, ResponseText(text: "[] x")))
  }

  @Test func `a status needs no words`() throws {
    #expect(try untagged("* OK") == .status(.ok, ResponseText()))
    #expect(try untagged("* BYE ") == .status(.bye, ResponseText()))
    #expect(
      try parse("A1 OK\r\nA2 NO \r\n") == [
        .tagged(CommandTag(1), TaggedResult(status: .ok)),
        .tagged(CommandTag(2), TaggedResult(status: .no)),
      ])
  }

  @Test func `COPYUID pairs in the order of its lists`() {
    let descending = CopyUID(
      validity: UIDValidity(1), source: [5...5, 1...2], destination: [10...12])
    let pairs = descending.pairs()?.map { [$0.source.rawValue, $0.destination.rawValue] }
    #expect(pairs == [[5, 10], [1, 11], [2, 12]])
    #expect(CopyUID(validity: UIDValidity(1), source: [1...2], destination: [7...7]).pairs() == nil)
    let absurd = CopyUID(
      validity: UIDValidity(1), source: [1...UInt32.max], destination: [1...UInt32.max])
    #expect(absurd.pairs() == nil)
  }

  @Test(
    arguments: [
      ("Request is throttled. Suggested Backoff Time: 299961 milliseconds", 300),
      ("[THROTTLED] slow down", nil),
      ("Rate limit hit", nil),
      ("Request is throttled. Suggested Backoff Time: 99999999999999999 milliseconds", 3600),
    ] as [(String, Int?)])
  func `throttling is told from the words`(text: String, seconds: Int?) {
    let throttle = TaggedResult(status: .bad, text: text).throttle
    #expect(throttle == Throttle(seconds: seconds))
  }

  @Test func `an OK can throttle, and plain words do not`() throws {
    guard case .tagged(_, let result) = try parse("A1 OK [THROTTLED] Success\r\n").first else {
      Issue.record("no completion")
      return
    }
    #expect(result.isOK)
    #expect(result.throttle == Throttle())
    #expect(TaggedResult(status: .no, text: "No such mailbox").throttle == nil)
  }

  @Test(arguments: [
    ("A1 NO [NONEXISTENT] gone", true), ("A1 NO [TRYCREATE] x", true),
    ("A1 NO Mailbox does not exist", true),
    ("A1 NO Unknown Mailbox: x (Failure)", true), ("A1 NO [NOPERM] does not exist for you", false),
    ("A1 NO Server busy", false), ("A1 BAD no such mailbox", false),
    ("A1 OK does not exist", false),
  ])
  func `a mailbox that is not there is told from other refusals`(line: String, isMissing: Bool)
    throws
  {
    guard case .tagged(_, let result) = try parse(line + "\r\n").first else {
      throw Missing(line: line)
    }
    #expect(result.saysNoSuchMailbox == isMissing)
  }

  @Test(arguments: [
    ("A1 NO [UNAVAILABLE] x", true), ("A1 NO [INUSE] x", true), ("A1 NO [SERVERBUG] x", true),
    ("A1 NO Server error - Please try again later", true), ("A1 NO Server Unavailable. 15", true),
    ("A1 BAD Request is throttled.", true), ("A1 NO [CANNOT] try again later", false),
    ("A1 NO no", false), ("A1 OK temporarily", false),
  ])
  func `what may pass is told from what won't`(line: String, isTransient: Bool) throws {
    guard case .tagged(_, let result) = try parse(line + "\r\n").first else {
      throw Missing(line: line)
    }
    #expect(result.isTransient == isTransient)
  }
}
