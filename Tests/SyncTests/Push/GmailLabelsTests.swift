import IMAPWire
import Ledger
import MailCore
import Maildir
import Settings
import State
import Testing

@testable import Sync

struct GmailLabelsTests {
  private static func listing(_ name: String, _ use: SpecialUse? = nil) -> MailboxListing {
    var listing = MailboxListing(
      name: MailboxName(name, delimiter: "/"), rawName: Array(name.utf8), delimiter: "/")
    if let use { listing.specialUse = [use] }
    return listing
  }

  private static func record(_ name: String, _ id: Int64, _ use: SpecialUse? = nil)
    -> MailboxRecord
  {
    var record = MailboxRecord(
      name: name, rawName: Array(name.utf8), delimiter: "/", folder: name)
    record.id = id
    record.specialUse = use?.rawValue
    return record
  }

  private static let mailboxes: [(String, SpecialUse?)] = [
    ("INBOX", nil), ("Work", nil), ("Work/Sub", nil), ("[Google Mail]/Alle Nachrichten", .all),
    ("[Google Mail]/Papierkorb", .trash), ("[Google Mail]/Spam", .junk),
    ("[Google Mail]/Markiert", .flagged), ("[Google Mail]/Wichtig", .important),
    ("[Google Mail]/Entwürfe", .drafts), ("[Google Mail]/Gesendet", .sent), ("Hidden", nil),
  ]

  private let labels = GmailLabels(
    listings: mailboxes.map { listing($0.0, $0.1) },
    records: mailboxes.enumerated().filter { $0.element.0 != "Work/Sub" }.map {
      record($0.element.0, Int64($0.offset + 1), $0.element.1)
    }, folders: FolderPatterns(["*", "!Hidden"]))

  @Test func `labels are mailboxes, in any language`() {
    #expect(labels.mailbox(of: "\\Inbox") == 1)
    #expect(labels.mailbox(of: "work") == 2)
    #expect(labels.mailbox(of: "Work/Sub") == 0, "known to the server alone")
    #expect(labels.mailbox(of: "\\Starred") == 7)
    #expect(labels.mailbox(of: "\\Sent") == 10)
    #expect(labels.mailbox(of: "Hidden") == nil, "not mirrored: a keyword")
    #expect(labels.mailbox(of: "\\Important") == nil, "mirrored only by its name")
    #expect(labels.all?.name.text == "[Google Mail]/Alle Nachrichten")
    #expect(labels.isExclusive(5) && labels.isExclusive(6) && !labels.isExclusive(4))
  }

  @Test(arguments: ["topic", "Hidden", "a/b", "Später", "\\Important", "$Junk", "with space"])
  func `keywords that can be labels`(name: String) { #expect(labels.canHold(name)) }

  @Test(arguments: [
    "INBOX", "inbox", "\\Inbox", "\\Trash", "\\Spam", "\\Sent", "\\Whatever", "Work", "WORK/sub",
    "[Google Mail]/Neu", "[google mail]", "Trash", "Spam", "all mail", "a^b", " a", "a ", "a  b",
    "/a", "a//b", "", "a\u{7}", String(repeating: "x", count: 226),
  ])
  func `keywords that cannot`(name: String) { #expect(!labels.canHold(name)) }

  // MARK: Plans

  @Test func `gone from one of two folders is a label less`() throws {
    let tree = try PushTree()
    let inbox = try tree.add("INBOX")
    try tree.add("Work")
    let trash = try tree.add("Trash", use: "trash")
    let uid = try tree.pull("one", into: "INBOX")
    let other = try tree.pull("one", into: "Work")
    for (name, uid) in [("INBOX", uid), ("Work", other)] {
      let id = try #require(tree.mailboxes.first { $0.name == name }?.id)
      var record = try #require(try tree.state.message(in: id, uid))
      record.emailID = "gm:1"
      try tree.state.transaction { try $0.put(record, in: id) }
    }
    let record = try #require(try tree.state.message(in: inbox, uid))
    var plan = PushPlan()
    plan.deletions = [PushPlan.PlannedDeletion(mailbox: inbox, record: record, way: .trash)]
    #expect(
      try LabelPlan(plan, tree.mailboxes).refined(plan, tree.state).deletions.map(\.way)
        == [.unlabel])
    let work = try #require(tree.mailboxes.first { $0.name == "Work" }?.id)
    let twin = try #require(try tree.state.message(in: work, other))
    plan.deletions.append(PushPlan.PlannedDeletion(mailbox: work, record: twin, way: .expunge))
    #expect(
      try LabelPlan(plan, tree.mailboxes).refined(plan, tree.state).deletions.map(\.way)
        == [.trash, .expunge])
    // A copy that is moved to Trash keeps nothing.
    plan.deletions.removeLast()
    let digest = try tree.open("Work").digest(of: tree.files("Work")[0], policy: tree.policy)
    let file = UnknownFile(
      mailbox: trash, folder: try tree.open("Trash").path, file: try tree.files("Work")[0],
      digest: digest, marks: MessageMarks(), modified: 0, size: 1)
    plan.moves = [PushPlan.PlannedMove(from: work, to: trash, record: twin, file: file)]
    #expect(
      try LabelPlan(plan, tree.mailboxes).refined(plan, tree.state).deletions.map(\.way)
        == [.trash])
  }

  @Test func `a copy has its message in another folder`() throws {
    let tree = try PushTree()
    let inbox = try tree.add("INBOX")
    try tree.add("Work")
    let uid = try tree.pull("one", into: "INBOX")
    try tree.write(tree.message("one"), to: tree.path("Work") + "/cur/17.1.host:2,S")
    try tree.write(tree.message("two"), to: tree.path("Work") + "/cur/17.2.host:2,S")
    let plan = try CopyPlan(state: tree.state, mailboxes: tree.mailboxes).refined(tree.plan())
    #expect(
      plan.uploads.map(\.source).filter { $0 != nil } == [MessageKey(mailbox: inbox, uid: uid)])
    #expect(plan.uploads.count == 2)
    #expect(
      plan.actions(tree.mailboxes).contains(PushAction(.copy, mailbox: "INBOX", detail: "Work")))
  }
}
