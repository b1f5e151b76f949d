import IMAPWire
import Ledger
import LedgerTestKit
import MailCore
import Settings
import Testing

@testable import SyncPlan

struct GmailLabelsTests {
  private static func listing(_ name: String, _ use: SpecialUse? = nil) -> MailboxListing {
    var listing = MailboxListing(
      name: MailboxName(name, delimiter: "/"), rawName: Array(name.utf8), delimiter: "/")
    if let use { listing.specialUse = [use] }
    return listing
  }

  private static func record(_ name: String, _ id: MailboxKey, _ use: SpecialUse? = nil)
    -> MailboxRecord
  {
    var record = MailboxRecord(
      id: id, name: name, rawName: Array(name.utf8), delimiter: "/", folder: "\(name)")
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
      record($0.element.0, MailboxKey(Int64($0.offset + 1)), $0.element.1)
    }, folders: FolderPatterns(["*", "!Hidden"]))

  @Test func `labels are mailboxes, in any language`() {
    #expect(labels.mailbox(of: "\\Inbox")?.key == 1)
    #expect(labels.mailbox(of: "work")?.key == 2)
    #expect(labels.mailbox(of: "Work/Sub") == .init(key: nil), "known to the server alone")
    #expect(labels.mailbox(of: "\\Starred")?.key == 7)
    #expect(labels.mailbox(of: "\\Sent")?.key == 10)
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
}
