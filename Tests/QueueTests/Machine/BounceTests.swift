import Testing

@testable import Queue

/// What was sent, and came back.
@Suite struct BounceTests {
  private func sent(to count: Int) throws -> QueuePhase {
    var phase = QueuePhase(recipients: count)
    let offered = Dictionary(
      uniqueKeysWithValues: (0..<count).map { ($0, RecipientResult(state: .offered)) })
    for event: QueueEvent in [
      .claim, .reached, .recipients(offered), .dispatching, .accepted(receipt: "as 1"),
    ] {
      try phase.apply(event, at: .test(0))
    }
    #expect(phase.state == .sent && !phase.hasRefusals)
    return phase
  }

  @Test func `it shows until it is dealt with, and a report counts once`() throws {
    var phase = try sent(to: 2)
    try phase.apply(.bounced(report: "r1", [1: "no such user"]), at: .test(1))
    #expect(phase.state == .sent && phase.hasRefusals)
    #expect(phase.recipients[0].state == .sent)
    #expect(phase.recipients[1] == RecipientResult(state: .refused, reply: "bounced: no such user"))
    #expect(throws: QueueTransitionError.self) {
      try phase.apply(.bounced(report: "r1", [1: "no such user"]), at: .test(2))
    }
    try phase.apply(.dealtWith("given up"), at: .test(3))
    #expect(!phase.hasRefusals)
    // Another report is news.
    try phase.apply(.bounced(report: "r2", [0: "mailbox full"]), at: .test(4))
    #expect(phase.hasRefusals && phase.state == .failed)
    try phase.apply(.retry, at: .test(5))
    #expect(phase.open == [0])
  }

  @Test func `a bounce concerns nobody who was given up before`() throws {
    var phase = try sent(to: 3)
    try phase.apply(.bounced(report: "r1", [1: "no such user"]), at: .test(1))
    try phase.apply(.dealtWith("edited and sent anew"), at: .test(2))
    #expect(phase.givenUp == [1])
    // Nor does another report of the same.
    try phase.apply(.bounced(report: "r2", [1: "no such user"]), at: .test(3))
    #expect(!phase.hasRefusals)
    try phase.apply(.bounced(report: "r3", [2: "full"]), at: .test(4))
    #expect(phase.hasRefusals && phase.givenUp == [1])
    #expect(try PhaseFile.read(PhaseFile.bytes(phase), recipients: 3).phase == phase)
    #expect(throws: RecordDamage.field("dealt-with")) {
      var other = phase
      other.givenUp = [3]
      _ = try PhaseFile.read(PhaseFile.bytes(other), recipients: 3)
    }
    try phase.apply(.retry, at: .test(5))
    #expect(phase.open == [2] && phase.recipients[1].state == .refused)
    try phase.apply(.dealtWith("given up"), at: .test(6))
    #expect(phase.givenUp == [1, 2] && phase.state == .sent && !phase.hasRefusals)
  }

  @Test func `however many reports tell of one failure, none counts against a retry`() throws {
    var phase = try sent(to: 2)
    try phase.apply(.bounced(report: "r1", [1: "full"]), at: .test(1))
    let before = phase.recipients
    try phase.apply(.bounced(report: "r2", [1: "full, still"]), at: .test(2))
    #expect(phase.recipients == before && phase.bounces == ["r1", "r2"])
    try phase.apply(.retry, at: .test(3))
    try phase.apply(.bounced(report: "r3", [1: "full"]), at: .test(3))
    #expect(phase.state == .queued && phase.open == [1])
    for event: QueueEvent in [
      .claim, .reached, .recipients([1: RecipientResult(state: .offered)]), .dispatching,
      .accepted(receipt: "as 2"),
    ] {
      try phase.apply(event, at: .test(4))
    }
    for report in ["r1", "r2", "r3"] {
      #expect(throws: QueueTransitionError.self) {
        try phase.apply(.bounced(report: report, [1: "full"]), at: .test(5))
      }
    }
    #expect(phase.state == .sent && !phase.hasRefusals)
    // One that names none of its recipients is about another message.
    #expect(throws: QueueTransitionError.self) {
      try phase.apply(.bounced(report: "r4", [7: "full"]), at: .test(5))
    }
  }

  @Test func `what came back from everybody was sent: its copy is filed`() throws {
    var phase = try sent(to: 1)
    try phase.apply(.bounced(report: "r", [0: "full"]), at: .test(1))
    #expect(phase.state == .failed && phase.wasTaken && phase.recipients[0].cameBack)
    try phase.apply(.copy(.appending), at: .test(2))
    try phase.apply(.copy(.filed), at: .test(2))
    #expect(phase.state == .failed && phase.copy == .filed)
  }

  @Test func `reports without end do not fill the record`() throws {
    var phase = try sent(to: 2)
    for number in 0..<300 {
      try? phase.apply(.bounced(report: "r\(number)", [0: "full"]), at: .test(1))
    }
    #expect(phase.bounces.count == 200)
    // What is new still takes effect.
    try phase.apply(.bounced(report: "last", [1: "full"]), at: .test(2))
    #expect(phase.state == .failed && phase.bounces.count == 200)
    let marks = "e" + String(repeating: "\u{301}", count: 9999)
    let long = RecipientResult(state: .refused, reply: marks)
    #expect(long.reply?.unicodeScalars.count == 500)
  }

  @Test func `a retry goes to those who did not get it, and the old report says nothing of it`()
    throws
  {
    var phase = try sent(to: 2)
    try phase.apply(.bounced(report: "r1", [1: "full"]), at: .test(1))
    try phase.apply(.retry, at: .test(2))
    #expect(phase.state == .queued && phase.open == [1])
    for event: QueueEvent in [
      .claim, .reached, .recipients([1: RecipientResult(state: .offered)]), .dispatching,
      .accepted(receipt: "as 2"),
    ] {
      try phase.apply(event, at: .test(3))
    }
    #expect(throws: QueueTransitionError.self) {
      try phase.apply(.bounced(report: "r1", [1: "full"]), at: .test(4))
    }
    #expect(phase.state == .sent && !phase.hasRefusals)
  }

  @Test func `it proves that a server had taken what was unknown`() throws {
    var phase = QueuePhase(recipients: 1)
    for event: QueueEvent in [
      .claim, .reached, .recipients([0: RecipientResult(state: .offered)]), .dispatching,
      .lost("cut", ownerDied: false),
    ] {
      try phase.apply(event, at: .test(0))
    }
    #expect(phase.state == .unknown)
    try phase.apply(.bounced(report: "r", [0: "no such user"]), at: .test(1))
    #expect(phase.state == .failed && phase.error == "bounced: no such user")
  }

  @Test func `what is not sent yet cannot have come back`() throws {
    var phase = QueuePhase(recipients: 1)
    #expect(throws: QueueTransitionError.self) {
      try phase.apply(.bounced(report: "r", [0: "x", 7: "y"]), at: .test(0))
    }
    try phase.apply(.claim, at: .test(0))
    #expect(throws: QueueTransitionError.self) {
      try phase.apply(.bounced(report: "r", [0: "x"]), at: .test(0))
    }
  }

  @Test func `it is kept on disk`() throws {
    var phase = try sent(to: 2)
    try phase.apply(.bounced(report: "a <b>\n%", [1: "full"]), at: .test(1))
    let read = try PhaseFile.read(PhaseFile.bytes(phase), recipients: 2).phase
    #expect(read == phase)
  }
}
