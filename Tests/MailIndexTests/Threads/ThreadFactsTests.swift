import Testing

@testable import MailIndex

struct ThreadFactsTests {
  private func facts(
    inReplyTo: [String] = [], exactly: Bool = false, references: [String] = [],
    addresses: [String] = [], own: String = "own@x", threadIndex: String? = nil
  ) -> ThreadFacts {
    ThreadFacts(
      account: 3, messageID: own, date: -5, contentHash: .min, inReplyTo: inReplyTo,
      isExactlyOneID: exactly, references: references, threadIndex: threadIndex?.utf8,
      baseSubject: "Garden party", isReply: true, senderAddress: "A@x", addresses: addresses)
  }

  @Test func `facts come back as they were packed`() throws {
    for facts in [
      facts(), facts(inReplyTo: ["a1@x"], exactly: true, references: ["b@x", "a1@x"]),
      facts(threadIndex: "Acnk7AtURXtWl9jTRdGX7mDGIxfHtwAAAo8g"),
      facts(
        references: (0..<200).map { "r\($0)@x" }, threadIndex: "Acnk7AtURXtWl9jTRdGX7mDGIxfHtw=="),
    ] {
      let packed = facts.packed
      #expect(packed.withUnsafeBytes { ThreadFacts(packed: $0) } == facts)
      #expect(packed.withUnsafeBytes { ThreadFacts.place(packed: $0)?.date } == -5)
      #expect(packed.withUnsafeBytes { ThreadFacts.place(packed: $0)?.rank } == facts.rank)
      #expect(packed.withUnsafeBytes { ThreadFacts.evidence(packed: $0)?.topic } == facts.topic)
      #expect(packed.withUnsafeBytes { ThreadFacts.evidence(packed: $0)?.sender } == facts.sender)
    }
  }

  @Test func `damaged facts are none and never crash`() {
    let packed = facts(inReplyTo: ["a1@x"], references: ["b@x"]).packed
    for length in 0..<packed.count {
      #expect(packed.prefix(length).withUnsafeBytes { ThreadFacts(packed: $0) } == nil)
    }
    var broken = packed
    broken[1] = 200
    #expect(broken.withUnsafeBytes { ThreadFacts(packed: $0) } == nil)
    broken = packed
    for place in 16..<24 { broken[place] = 0 }
    #expect(broken.withUnsafeBytes { ThreadFacts(packed: $0) } == nil)
  }

  @Test func `of very many references the oldest and the newest are kept`() {
    let ids = (0..<5000).map { "r\($0)@x" }
    let kept = facts(references: ids).references
    #expect(kept.count == ThreadFacts.mostReferences)
    #expect(Array(kept.prefix(8)) == facts(references: Array(ids.prefix(8))).references)
    #expect(kept.last == facts(references: ["r4999@x"]).references.last)
    #expect(facts(inReplyTo: ids).inReplyTo.count == ThreadFacts.mostInReplyTo)
  }

  @Test func `a message never claims itself`() {
    let facts = facts(inReplyTo: ["own@x"], exactly: true, references: ["own@x"])
    #expect(facts.hasNoClaims)
  }

  @Test func `in a sentence an address is no id`() {
    #expect(facts(inReplyTo: ["ian.jackson@x"]).hasNoClaims)
    #expect(!facts(inReplyTo: ["ian.jackson@x"], exactly: true).hasNoClaims)
    #expect(facts(inReplyTo: ["ian1@x"], exactly: true, addresses: ["Ian1@X"]).hasNoClaims)
    #expect(!facts(inReplyTo: ["22597.31869@chiark"]).hasNoClaims)
    #expect(!facts(references: ["ian@x"], addresses: ["ian@x"]).hasNoClaims)
  }

  @Test func `accounts and kinds have keys of their own`() {
    let keys = [
      LinkKey.messageID("a", account: 1), LinkKey.messageID("a", account: 2),
      LinkKey.subject(Array("a".utf8), account: 1),
      LinkKey.conversation(Array("a".utf8)[...], account: 1), LinkKey.messageID("A", account: 1),
    ]
    #expect(Set(keys).count == keys.count)
  }

  @Test func `claims tell the same roles`() {
    for facts in [
      facts(), facts(inReplyTo: ["a1@x", "b1@x", "a1@x"], references: ["a1@x", "c@x", "c@x"]),
      facts(inReplyTo: ["b1@x"], references: ["c@x", "b1@x"]),
      facts(references: ["c@x", "d@x", "c@x"]),
      facts(inReplyTo: ["b1@x"], threadIndex: "Acnk7AtURXtWl9jTRdGX7mDGIxfHtw=="),
      facts(threadIndex: "Acnk7AtURXtWl9jTRdGX7mDGIxfHtw=="),
    ] {
      var told: [UInt64: LinkRole] = [:]
      facts.forEachClaim(at: 0) { claim in
        let read = claim.withRecord { ThreadClaim(record: $0) }
        #expect(read.key == claim.key && read.role == claim.role && read.order == claim.order)
        guard claim.kind == .role else { return }
        #expect(told.updateValue(claim.role, forKey: claim.key) == nil)
      }
      #expect(told == facts.roles())
    }
  }
}
