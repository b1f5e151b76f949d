import IMAPWire
import Ledger
import LedgerTestKit
import MailCore
import Settings
import Testing

@testable import SyncPlan

/// Which mailboxes may have new names on the server, by what the list shows.
struct RenameCandidateTests {
  private func listing(_ name: String, _ number: UInt32?, id: String? = nil, count: Int = 3)
    -> MailboxListing
  {
    let raw = Array(name.utf8)
    var listing = MailboxListing(
      name: MailboxName(name, delimiter: "/"), rawName: raw, delimiter: "/")
    guard let number else { return listing }
    var status = MailboxStatus(rawName: raw, name: listing.name)
    (status.uidValidity, status.uidNext, status.messages) = (UIDValidity(number), UID(4), count)
    status.mailboxID = id
    listing.status = status
    return listing
  }

  private func record(
    _ key: MailboxKey, _ name: String, _ number: UInt32, id: String? = nil
  ) -> MailboxRecord {
    var record = MailboxRecord(
      id: key, name: name, rawName: Array(name.utf8), delimiter: "/", folder: .account)
    (record.uidValidity, record.uidNext, record.exists) = (number, 4, 3)
    record.mailboxID = id
    return record
  }

  private func pairs(_ listings: [MailboxListing], _ records: [MailboxRecord]) -> [String] {
    MailboxCatalogue(listings: listings, records: records, folders: FolderPatterns(["*"]))
      .renameCandidates().map { "\($0.record.name) → \($0.listing.name.text): \($0.evidence)" }
  }

  @Test func `what tells most comes first, whatever the names`() {
    let pairs = pairs(
      [
        listing("a", nil), listing("b", 90), listing("c", 7), listing("d", 5), listing("e", 7),
        listing("f", 80, id: "F", count: 2),
      ],
      [record(1, "k", 7), record(2, "l", 5), record(3, "m", 81, id: "F")])
    #expect(
      pairs == [
        "m → f: mailboxID", "l → d: uidValidity",
        "k → c: content", "k → e: content",
        "k → b: content", "l → b: content", "m → b: content", "l → c: content", "m → c: content",
        "k → d: content", "m → d: content", "l → e: content", "m → e: content",
        "k → a: content", "l → a: content", "m → a: content",
      ])
  }

  /// A mailbox that was made and never looked into, in whose place there is another.
  @Test func `a name is held against a mailbox once`() {
    let new = record(2, "n", 0, id: "old")
    let pairs = pairs(
      [listing("n", 9, id: "moved")], [record(1, "q", 8, id: "moved"), record(3, "p", 6), new])
    #expect(pairs == ["q → n: mailboxID", "p → n: content"])
  }

  /// Neither of a server that numbers all anew, nor of one that takes its time.
  @Test func `a mailbox that has its name is no new one's, but by its number`() {
    #expect(
      pairs([listing("a", 9), listing("b", 8)], [record(1, "a", 7), record(2, "b", 6)]) == [])
    #expect(
      pairs([listing("a", 9), listing("b", 7)], [record(1, "a", 7), record(2, "b", 9)])
        == ["b → a: uidValidity", "a → b: uidValidity"])
  }
}
