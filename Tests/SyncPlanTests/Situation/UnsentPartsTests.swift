import Ledger
import LedgerTestKit
import MailCore
import Maildir
import Testing

@testable import SyncPlan

/// Which messages stay on the server for files that are not sent: ``UnsentParts/reason(toKeep:)``.
struct UnsentPartsTests {
  private func message(
    header: HeaderHash = 1, size: Int64 = 0, _ traits: MessageRecord.Traits = []
  ) -> MessageRecord {
    var record = RuleCases.record()
    (record.headerHash, record.serverSize) = (header, size)
    record.traits.formUnion(traits)
    return record
  }

  private func part(header: HeaderHash = 7, size: UInt64 = 5000, file: Int64 = 0) -> PartLeft {
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
    var known = part()
    known.isOfKnownHeader = true
    #expect(reason([known], toKeep: message(size: 5000, trait)) == nil, "left of another")
  }

  @Test func `whether a message ever was a stub no ledger has to know`() {
    #expect(reason([part()], toKeep: message(header: 7, size: 4)) == .partIsLeft("b/cur/x"))
    #expect(reason([part()], toKeep: message(size: 5000)) == .partIsLeft("b/cur/x"))
    #expect(reason([part()], toKeep: message(size: 5001)) == nil)
    var known = part()
    known.isOfKnownHeader = true
    #expect(reason([known], toKeep: message(size: 5000)) == nil, "left of another")
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
      // Messages of about its size are many.
      #expect(reason([part], toKeep: message(size: Int64(size))) == nil)
    }
    // But for a file of which nothing but a stub of its own message can have been made.
    var announced = part
    announced.isAnnounced = true
    #expect(reason([announced], toKeep: message(size: 90_200)) == .partIsLeft(""))
    #expect(announced.isLeft(of: message(size: 90_200)) && !part.isLeft(of: message(size: 90_200)))
    announced.isOfKnownHeader = true
    #expect(reason([announced], toKeep: message(size: 90_200)) == nil, "left of another")
    // Its header and its size are those of a whole message: then that is what it is left of.
    let whole = message(header: part.headerHash, size: 90_200)
    #expect(part.isLeft(of: whole))
    #expect(!part.isLeft(of: message(header: part.headerHash, size: 400)), "it is that one, edited")
  }

  @Test func `a whole message in a rewritten header keeps the message, and is told as that`() throws
  {
    func text(_ field: String, _ body: String) -> [UInt8] {
      Array("X-Mirror-Stub: 1; size=90000; parts=2\n\(field)Subject: w\n\n\(body)\n".utf8)
    }
    var whole = message(size: 80)
    let digest = text("", "important").withUnsafeBytes {
      MessageDigest.of(serverBytes: $0, labelName: nil)
    }
    (whole.headerHash, whole.contentHash) = (digest.headerHash, digest.contentHash)
    for (body, isMeant) in [("important", true), ("another", false)] {
      let bytes = text("X-Spam: no\n", body)
      var part = try #require(PartLeft(bytes, policy: MaildirPolicy()))
      part.place = "b/cur/x"
      part.compare(bytes, with: [whole])
      #expect(part.headerHash != whole.headerHash)
      #expect(reason([part], toKeep: whole) == (isMeant ? .likeIsLeft("b/cur/x") : nil))
      // Of another message it is what is left, as far as its size tells.
      #expect(reason([part], toKeep: message(size: 90_000)) == .partIsLeft("b/cur/x"))
    }
  }

  @Test func `what cannot be looked into keeps stubs, and nothing else`() {
    for trait in [MessageRecord.Traits.stub, .filled, .leavingParts] {
      #expect(
        reason(unread: ["b/Store"], toKeep: message(size: 1, trait)) == .partMayBeLeft("b/Store"))
    }
    #expect(reason(unread: ["b/Store"], toKeep: message(size: 1)) == nil)
    #expect(reason(toKeep: message(size: 1, .stub)) == nil)
  }
}
