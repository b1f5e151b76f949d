import Ledger
import MailCore
import Maildir
import Testing

@testable import SyncPlan

/// Which messages stay on the server for files that are not sent: ``UnsentParts/reason(toKeep:)``.
struct UnsentPartsTests {
  private func message(
    header: UInt64 = 1, size: Int64 = 0, _ traits: MessageRecord.Traits = []
  ) -> MessageRecord {
    var record = RuleCases.record()
    (record.headerHash, record.serverSize) = (header, size)
    record.traits.formUnion(traits)
    return record
  }

  private func part(header: UInt64 = 7, size: UInt64 = 5000, file: Int64 = 0) -> PartLeft {
    var part = PartLeft(headerHash: header, size: size, fileSize: file)
    part.place = "b/cur/x"
    return part
  }

  private func reason(
    _ parts: [PartLeft] = [], unread: [String] = [], toKeep message: MessageRecord
  ) -> PushPlan.WaitingChanges.Reason? {
    UnsentParts(parts: parts, unread: unread).reason(toKeep: message)
  }

  @Test func `a part with its header keeps any message`() {
    #expect(reason([part(size: 9)], toKeep: message(header: 7)) == .partIsLeft("b/cur/x"))
    #expect(reason([part()], toKeep: message()) == nil, "another message")
    #expect(reason([part(header: 0)], toKeep: message(header: 0)) == nil, "no header is known")
  }

  @Test(arguments: [MessageRecord.Traits.stub, .filled, .leavingParts])
  func `a part with another header keeps what was a stub and is as long`(
    trait: MessageRecord.Traits
  ) {
    #expect(reason([part()], toKeep: message(size: 5000, trait)) == .partIsLeft("b/cur/x"))
    #expect(reason([part()], toKeep: message(size: 4999, trait)) == nil)
    #expect(reason([part()], toKeep: message(size: 5000)) == nil, "it was always whole")
    var known = part()
    known.isOfKnownHeader = true
    #expect(reason([known], toKeep: message(size: 5000, trait)) == nil, "left of another")
  }

  @Test func `without a stub's line the texts in the parts' places bound the message's size`()
    throws
  {
    let text = """
      Subject: edited
      Content-Type: multipart/mixed; boundary=x

      --x
      Content-Type: text/plain
      X-Mirror-Part: size=90000

      Not here
      --x--

      """
    let part = try #require(PartLeft(Array(text.utf8), policy: MaildirPolicy()))
    #expect(!part.isCertain)
    for (size, isMeant) in [(89_999, false), (90_200, true), (200_000, false)] {
      let found = reason([part], toKeep: message(size: Int64(size), .stub))
      #expect((found != nil) == isMeant, "\(size)")
    }
  }

  @Test func `a file about as long as a message that only looks like a stub keeps that`() {
    let whole = message(size: 6000, .likeStub)
    #expect(reason([part(file: 5000)], toKeep: whole) == .likeIsLeft("b/cur/x"))
    #expect(reason([part(file: 50_000)], toKeep: whole) == nil)
    // What the forged line says of its size tells nothing.
    #expect(reason([part(size: 6000, file: 50_000)], toKeep: whole) == nil)
    #expect(reason([part(file: 5000)], toKeep: message(size: 6000)) == nil)
    #expect(
      reason([part()], toKeep: message(size: 5000, [.stub, .likeStub])) == .partIsLeft("b/cur/x"))
    // It is another message on record, or left of one.
    var known = part(file: 5000)
    known.isOfKnownHeader = true
    #expect(reason([known], toKeep: whole) == nil)
  }

  @Test func `what cannot be looked into keeps stubs, and nothing else`() {
    for trait in [MessageRecord.Traits.stub, .filled, .leavingParts] {
      #expect(
        reason(unread: ["b/Store"], toKeep: message(size: 1, trait)) == .partMayBeLeft("b/Store"))
    }
    #expect(reason(unread: ["b/Store"], toKeep: message(size: 1, .likeStub)) == nil)
    #expect(reason(unread: ["b/Store"], toKeep: message(size: 1)) == nil)
    #expect(reason(toKeep: message(size: 1, .stub)) == nil)
  }
}
