import Testing

@testable import Queue

/// What the user gives up of a message that went out, and attempts that a server breaks off.
@Suite struct GivingUpTests {
  private func phase(_ recipients: Int, _ events: QueueEvent...) throws -> QueuePhase {
    var phase = QueuePhase(recipients: recipients)
    for event in events { try phase.apply(event, at: .test(0)) }
    return phase
  }

  private let oneOfThree = QueueEvent.recipients([
    0: RecipientResult(state: .offered), 1: RecipientResult(state: .refused, reply: "550 no"),
    2: RecipientResult(reply: "451 later"),
  ])

  @Test func `what is dealt with is sent, and says no more of the others`() throws {
    var phase = try phase(
      3, .claim, .reached, oneOfThree, .dispatching, .accepted(receipt: "ok"), .dealtWith("enough"))
    #expect(phase.state == .sent && phase.error == nil && phase.nextAttempt == nil)
    #expect(phase.recipients.map(\.state) == [.sent, .refused, .failed])
    #expect(phase.recipients[1].reply == "550 no" && phase.recipients[2].reply == "enough")
    #expect(!phase.hasRefusals && phase.copy == .undecided)
    #expect(try PhaseFile.read(PhaseFile.bytes(phase), recipients: 3).phase == phase)
    #expect(throws: QueueTransitionError.self) { try phase.apply(.retry, at: .test(1)) }
    try phase.apply(.dealtWith("again"), at: .test(1))
    try phase.apply(.copy(.filed), at: .test(1))
  }

  @Test func `what nobody has cannot be dealt with, nor what is in hand`() throws {
    let lost = QueueEvent.lost("gone", ownerDied: false)
    let offered = QueueEvent.recipients([0: RecipientResult(state: .offered)])
    for var phase in [
      try phase(1), try phase(1, .claim), try phase(1, .claim, .reached, .refused("550")),
      try phase(1, .claim, .reached, offered, .dispatching, lost),
      try phase(3, .claim, .reached, oneOfThree, .dispatching),
    ] {
      #expect(throws: QueueTransitionError.self) { try phase.apply(.dealtWith("x"), at: .test(1)) }
    }
  }

  @Test func `an attempt that the server breaks off after some answers counts`() throws {
    var phase = QueuePhase(recipients: 3)
    var now = 0.0
    let answers = [0: RecipientResult(reply: "451 later")]
    for attempt in 1...4 {
      for event: QueueEvent in [.claim, .reached, .brokenOff(answers, "the server hung up")] {
        try phase.apply(event, at: .test(now))
      }
      #expect(phase.attempts == attempt && phase.state == (attempt == 4 ? .failed : .queued))
      #expect(phase.readiness(at: .test(now)) != .now)
      now += 1000
    }
    var refused = try self.phase(
      2, .claim, .reached,
      .brokenOff([0: RecipientResult(state: .refused, reply: "550 no")], "the server hung up"))
    #expect(refused.recipients.map(\.state) == [.refused, .queued] && refused.attempts == 1)
    try refused.apply(.claim, at: .test(30))
    try refused.apply(.reached, at: .test(30))
    #expect(refused.untried == [1])
    // Whom a server has said yes to is another matter.
    #expect(throws: QueueTransitionError.self) {
      try refused.apply(.brokenOff([1: RecipientResult(state: .offered)], "x"), at: .test(30))
    }
  }
}
