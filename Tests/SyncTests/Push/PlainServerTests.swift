import MailTestKit
import Testing

/// GNU mailutils: nothing beyond RFC 3501, no word of who it is, UIDs in SEARCH read as sequence numbers, and commands
/// for a missing UID carried out on another message.
struct PlainServerTests {
  /// UIDs are no sequence numbers: m0 is gone from INBOX, and w0 from Work.
  private func stage() throws -> Stage {
    var mailutils = ServerDialect.bare
    mailutils.greeting = "* OK IMAP4rev1"
    (mailutils.actsOnNextUID, mailutils.searchesByNumber, mailutils.forgetsFlags) = (
      true, true, true
    )
    let stage = try Stage(
      mailutils,
      more: { account in
        for token in ["w0", "w1"] {
          account.deliver(SampleMessage(token: token), labelled: ["Work"])
        }
      })
    try stage.expungeThere("m0")
    try stage.expungeThere("w0", in: "Work")
    stage.pull()
    stage.forget()
    return stage
  }

  @Test func `a move there leaves each message in one place`() throws {
    let stage = try stage()
    try stage.move("m3", to: "Work")
    stage.push()
    #expect(stage.places("m3") == ["Work"])
    #expect(try stage.folders(of: "m3") == ["Work"])
    try stage.expectSettled()
    #expect(stage.places("m3") == ["Work"])
  }

  @Test func `flags, deletions and new messages reach it`() throws {
    let stage = try stage()
    try stage.setFlags("m1", "FS")
    try stage.remove("m2")
    try stage.deliver("fresh", to: "Work")
    stage.push()
    #expect(stage.flags("m1") == ["\\Flagged", "\\Seen"])
    #expect(stage.places("m2") == ["Trash"])
    #expect(stage.places("fresh") == ["Work"])
    try stage.expectSettled()
  }

  @Test func `flags that a copy or a new message loses there are set once more`() throws {
    let stage = try stage()
    try stage.setFlags("m1", "FS")
    stage.push()
    try stage.move("m1", to: "Work")
    try stage.deliver("draft", to: "Drafts", flags: "D")
    stage.push()
    stage.pull()
    stage.push()
    #expect(stage.flags("draft") == ["\\Draft"])
    #expect(try stage.remote("m1", in: "Work").flags == ["\\Flagged", "\\Seen"])
    #expect(try stage.local("m1").flags == "FS")
    #expect(try stage.local("draft").flags == "D")
    try stage.expectSettled()
  }

  @Test func `what is gone there takes no other message along`() throws {
    let stage = try stage()
    try stage.expungeThere("m1")
    try stage.setFlags("m1", "F")
    try stage.expungeThere("m2")
    try stage.remove("m2")
    stage.push(nil)
    #expect(stage.flags("m3") == [])
    #expect(stage.places("m3") == ["INBOX"])
    stage.pull()
    #expect(try stage.folders(of: "m3") == ["INBOX"])
  }
}
