import Maildir
import Testing

@testable import Queue

@Suite struct RecordTests {
  static let envelope = SubmissionEnvelope(
    id: QueueID("abcdefghijkmn")!, queued: .test(1),
    tree: TreeIdentity(text: "1 11 22 33 44 55")!,
    message: FrozenMessage(size: 10, wireSize: 12, hash: .max, inode: 7, birthTime: -1),
    temporaryName: "mirror.x", sender: "", recipients: ["bob@example.org", "zoë@exämple.org"],
    messageID: "1@example.org", subject: "50 % off\r\nBcc: you\u{0}", needs: [.eightBit, .utf8])

  static let phase: QueuePhase = {
    var phase = QueuePhase(recipients: 2)
    phase.state = .queued
    phase.attempts = 2
    phase.firstReached = .test(5)
    phase.nextAttempt = QueueDue(since: .test(9), delaySeconds: 120)
    phase.error = "450 4.2.1 busy\n%0A"
    phase.receipt = "ok"
    phase.changed = .test(9)
    phase.handedOver = 3
    phase.recipients[0] = RecipientResult(state: .sent, reply: " two  blanks ")
    return phase
  }()

  @Test func `records come back as they were`() throws {
    #expect(try EnvelopeFile.read(EnvelopeFile.bytes(Self.envelope)) == Self.envelope)
    #expect(try PhaseFile.read(PhaseFile.bytes(Self.phase), recipients: 2).phase == Self.phase)
    let lines = String(decoding: EnvelopeFile.bytes(Self.envelope), as: UTF8.self)
      .split(separator: "\n")
    #expect(lines.contains("subject 50 %25 off%0D%0ABcc: you%00"))
    #expect(lines.filter { $0.hasPrefix("recipient ") }.count == 2)
  }

  @Test func `a record cut anywhere is damaged`() {
    let whole = EnvelopeFile.bytes(Self.envelope)
    for length in 0..<whole.count {
      #expect(throws: RecordDamage.broken) { try EnvelopeFile.read(Array(whole.prefix(length))) }
    }
  }

  @Test func `a record with any bit changed is damaged`() {
    let whole = PhaseFile.bytes(Self.phase)
    for place in whole.indices {
      for bit in 0..<8 {
        var changed = whole
        changed[place] ^= 1 << bit
        #expect(throws: RecordDamage.self) { try PhaseFile.read(changed, recipients: 2) }
      }
    }
  }

  @Test func `another kind, a newer version, unknown and doubled fields are damage`() {
    #expect(throws: RecordDamage.broken) {
      try PhaseFile.read(EnvelopeFile.bytes(Self.envelope), recipients: 2)
    }
    #expect(throws: RecordDamage.newer(version: 2)) {
      try EnvelopeFile.read(RecordText(kind: EnvelopeFile.kind, version: 2).finished())
    }
    for (key, value) in [("extra", "x"), ("attempts", "3"), ("state", "flying"), ("step", "body")] {
      var text = RecordText(kind: PhaseFile.kind, version: 1)
      if key != "state" { text.add("state", "queued") }
      text.add("attempts", "0")
      text.add("copy", "undecided")
      text.add("handed-over", "0")
      text.add("file", "1 2")
      text.add(key, value)
      let bytes = text.finished()
      #expect(throws: RecordDamage.field(key)) { try PhaseFile.read(bytes, recipients: 0) }
    }
    #expect(throws: RecordDamage.field("recipient")) {
      try PhaseFile.read(PhaseFile.bytes(Self.phase), recipients: 3)
    }
  }

  @Test func `noise is never a record`() {
    var numbers = SeededNumbers(seed: 3)
    for _ in 0..<2000 {
      let bytes = (0..<Int(numbers.next() % 200)).map { _ in
        UInt8(truncatingIfNeeded: numbers.next())
      }
      #expect(throws: RecordDamage.self) { try EnvelopeFile.read(bytes) }
    }
  }

  @Test func `ids are plain, and found in names that readers changed`() throws {
    for _ in 0..<1000 {
      let id = QueueID.random()
      #expect(QueueID(id.text) == id)
      let name = id.baseName(queued: 1_700_000_000)
      #expect(QueueID(fileName: Array(name.utf8)) == id)
      #expect(QueueID(fileName: Array((name + ":2,FS").utf8)) == id)
      #expect(QueueID(fileName: Array((name + ";2,").utf8)) == id)
    }
    for name in [
      "1.a.mirror", "x.abcdefghijkmn.mirror", "1.abcdefghijkmn.host", "1.ABCDEFGHIJKMN.mirror", "",
    ] {
      #expect(QueueID(fileName: Array(name.utf8)) == nil)
    }
  }
}
