import Foundation
import IMAPWire
import Ledger
import LedgerTestKit
import MailCore
import Testing

@testable import SyncPlan

/// Which name, and so which folder, a mailbox has here.
struct MailboxNamingTests {
  private static let coding = MailboxNameCoding(
    normalise: { $0.precomposedStringWithCanonicalMapping })

  /// Names of a server that read the same in twos and threes; some are no modified UTF-7 that a client would write.
  static let twins = [
    "caf&AOk-", "cafe&AwE-", "caf&AOk-/x", "cafe&AwE-/x", "cafe&AwE-/y", "Inbox/s", "INBOX/s",
    "a&b", "a&-b", "ax", "&AGE-x", "K", "&ISo-", "&AMU-", "&ISs-", "A&Awo-", "e&AwEDIw-",
    "e&AyMDAQ-", "&rAA-", "&EQARYQ-", "a/b", "a&AC8-b", "&AEk-NBOX", "&-~ax", "INBOX",
  ]

  private func listing(_ raw: String, _ coding: MailboxNameCoding = coding) -> MailboxListing {
    let bytes = Array(raw.utf8)
    return MailboxListing(
      name: MailboxName(coding.decode(bytes), delimiter: "/"), rawName: bytes, delimiter: "/")
  }

  private func record(_ listing: MailboxListing) -> MailboxRecord {
    MailboxRecord(
      id: 1, name: listing.name.text, rawName: listing.rawName, delimiter: "/",
      folder: .account)
  }

  private func names(
    _ raws: [String], _ records: [MailboxRecord] = [], _ coding: MailboxNameCoding = coding,
    kept: Set<MailboxName> = []
  ) -> [String: String] {
    let naming = MailboxNaming(coding, records: records, kept: kept)
    let named = naming.named(raws.map { listing($0, coding) })
    return Dictionary(
      uniqueKeysWithValues: named.map {
        (String(decoding: $0.rawName, as: UTF8.self), $0.name.text)
      }
    )
  }

  private func records(_ names: [String: String]) -> [MailboxRecord] {
    names.map {
      MailboxRecord(id: 1, name: $1, rawName: Array($0.utf8), delimiter: "/", folder: .account)
    }
  }

  @Test(arguments: 0..<40) func `every mailbox has a name of its own, whatever the list's order`(
    seed: UInt64
  ) throws {
    var generator = SeededOrder(state: seed)
    let names = names(Self.twins.shuffled(using: &generator))
    #expect(names == self.names(Self.twins))
    #expect(Set(names.values.map { Array($0.utf8) }).count == Self.twins.count)
    // To Swift's strings, too: nothing depends on who compares them how.
    #expect(Set(names.values).count == Self.twins.count)
    #expect(names["caf&AOk-"] == "café" && names["INBOX/s"] == "INBOX/s" && names["ax"] == "ax")
    // Known in any part, the others get the same names later.
    let known = names.filter { _ in Bool.random(using: &generator) }
    let later = self.names(Self.twins.shuffled(using: &generator), records(known))
    for (raw, name) in known { #expect(later[raw] == name) }
    #expect(Set(later.values).count == Self.twins.count)
  }

  @Test(arguments: twins) func `a mailbox that was alone keeps its name when another comes`(
    first: String
  ) {
    let alone = names([first])
    #expect(alone[first]?.contains("&~") == (first == "&-~ax" || first == "&AEk-NBOX"))
    let later = names(Self.twins, records(alone))
    #expect(later[first] == alone[first])
    #expect(Set(later.values).count == Self.twins.count)
    // And when the others go.
    #expect(names([first], records(later)) == alone)
  }

  @Test func `a name that is spelled out gives the server's bytes back`() {
    for (raw, name) in names(Self.twins) where name.contains("&~") {
      #expect(Self.coding.encode(MailboxName(name, delimiter: "/")) == Array(raw.utf8))
    }
  }

  @Test func `what lies below a mailbox goes by its name`() {
    let names = names(["cafe&AwE-/y/z", "caf&AOk-", "cafe&AwE-/y", "cafe&AwE-"])
    #expect(names["cafe&AwE-"] == "&~cafe&AwE-")
    #expect(names["cafe&AwE-/y/z"] == "&~cafe&AwE-/y/z")
  }

  @Test func `a server that learns UTF-8 has the same mailboxes`() {
    let utf8 = MailboxNameCoding(isUTF8: true, normalise: Self.coding.normalise)
    let before = names(["INBOX", "caf&AOk-", "cafe&AwE-", "R&-D", "&ZeVnLIqe-"])
    let now = ["日本語", "R&D", "cafe\u{301}", "caf\u{E9}", "INBOX"].map { listing($0, utf8) }
    let named = MailboxNaming(utf8, records: records(before)).named(now)
    #expect(named.map(\.name.text) == ["日本語", "R&D", "&~cafe&AwE-", "café", "INBOX"])
    // Without a state they are named alike.
    let anew = MailboxNaming(utf8, records: []).named([
      listing("cafe\u{301}", utf8), listing("caf\u{E9}", utf8),
    ])
    #expect(anew.map(\.name.text) == ["&~cafe&AwE-", "café"])
    #expect(utf8.encode(anew[0].name) == Array("cafe\u{301}".utf8))
  }

  @Test func `without a state the folders tell whose name was spelled out`() {
    let kept: Set = [MailboxName("&~caf&AOk-", delimiter: "/")]
    let names = names(["caf&AOk-", "cafe&AwE-"], kept: kept)
    #expect(names == ["caf&AOk-": "&~caf&AOk-", "cafe&AwE-": "café"])
  }

  @Test func `a record that gave its name away takes no name from its successor`() {
    var gone = record(listing("caf&AOk-"))
    gone.isGone = true
    gone.name = "café (deleted 3)"
    #expect(names(["caf&AOk-"], [gone]) == ["caf&AOk-": "café"])
  }

  @Test func `of two mailboxes that are INBOX by their names one is, and the other is told`() {
    func catalogue(_ counts: [Int]) -> MailboxCatalogue {
      let listings = zip(["inbox", "INBOX"], counts).map { raw, count in
        var listing = listing(raw)
        listing.status = MailboxStatus(rawName: listing.rawName, name: listing.name)
        listing.status?.messages = count
        return listing
      }
      return MailboxCatalogue(
        listings: MailboxNaming(Self.coding, records: []).named(listings), records: [],
        folders: .everything)
    }
    #expect(catalogue([1, 1]).doubled.isEmpty)
    #expect(catalogue([1, 2]).doubled.map(\.rawName) == [Array("inbox".utf8)])
    #expect(catalogue([1, 2]).mirrored.map(\.listing.rawName) == [Array("INBOX".utf8)])
  }
}

private struct SeededOrder: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
