import Testing

@testable import Queue

@Suite struct QueuePhaseTests {
  private func phase(
    _ recipients: Int = 1, _ events: QueueEvent..., at now: QueueInstant = .test(0)
  )
    throws -> QueuePhase
  {
    var phase = QueuePhase(recipients: recipients)
    for event in events { try phase.apply(event, at: now) }
    return phase
  }

  private let offered: QueueEvent = .recipients([0: RecipientResult(state: .offered)])

  @Test func `a message that the server takes is sent`() throws {
    let phase = try phase(1, .claim, .reached, offered, .dispatching, .accepted(receipt: "as 42"))
    #expect(phase.state == .sent)
    #expect(phase.recipients == [RecipientResult(state: .sent, reply: "as 42")])
    #expect(phase.receipt == "as 42")
    #expect(phase.step == nil)
  }

  @Test func `being offline or refused at log-in is no attempt`() throws {
    var phase = try phase()
    for _ in 0..<50 {
      try phase.apply(.claim, at: .test(0))
      try phase.apply(.lost("offline", ownerDied: false), at: .test(0))
    }
    #expect(phase.state == .queued)
    #expect(phase.attempts == 0)
    #expect(phase.readiness(at: .test(1)) == .now)
  }

  @Test func `failed attempts are repeated after 30 s, 2 min and 8 min, then no more`() throws {
    var phase = try phase()
    var now = 0.0
    for delay in [30.0, 120, 480] {
      try phase.apply(.claim, at: .test(now))
      try phase.apply(.reached, at: .test(now))
      try phase.apply(.deferred("450 busy"), at: .test(now))
      #expect(phase.readiness(at: .test(now + delay - 0.01)) == .later)
      #expect(phase.readiness(at: .test(now + delay)) == .now)
      now += delay
    }
    try phase.apply(.claim, at: .test(now))
    try phase.apply(.reached, at: .test(now))
    try phase.apply(.deferred("450 busy"), at: .test(now))
    #expect(phase.state == .failed)
    #expect(phase.recipients[0].state == .failed)
    #expect(phase.error == "450 busy")
  }

  @Test func `a day after the first attempt that reached the server it is given up`() throws {
    var phase = try phase(1, .claim, .reached, .deferred("450 busy"))
    #expect(phase.readiness(at: .test(86_399)) == .now)
    #expect(phase.readiness(at: .test(86_400)) == .expired)
    #expect(throws: QueueTransitionError.self) { try phase.apply(.expired, at: .test(86_399)) }
    try phase.apply(.expired, at: .test(86_400))
    #expect(phase.state == .failed)
    #expect(phase.error == "send timeout")
    #expect(phase.recipients[0].reply == "send timeout: 450 busy")
  }

  @Test func `a jump of the clock neither sends early nor expires`() throws {
    let phase = try phase(1, .claim, .reached, .deferred("450 busy"))
    var jumped = QueueInstant.test(10)
    jumped.wall += 400 * 86_400 * 1_000_000_000
    #expect(phase.readiness(at: jumped) == .later)
    jumped.wall -= 900 * 86_400 * 1_000_000_000
    #expect(phase.readiness(at: jumped) == .later)
    jumped.uptime = 30 * 1_000_000_000
    #expect(phase.readiness(at: jumped) == .now)
    // After another start only the wall is left; one that went back counts as no time at all.
    jumped.boot = 2
    #expect(phase.readiness(at: jumped) == .later)
  }

  @Test func `times that no clock shows do not end the program`() throws {
    let least = QueueInstant(wall: .min, boot: 1, uptime: .min)
    let most = QueueInstant(wall: .max, boot: 2, uptime: .max)
    _ = least.elapsed(until: most)
    _ = most.elapsed(until: least)
    _ = QueueDue(since: most, delaySeconds: .max).isReached(at: least)
    _ = QueueDue(since: most, delaySeconds: 480).seconds
    #expect(least.seconds < 0)
  }

  @Test(arguments: SendingStep.allCases)
  func `a death before the final dot is safe to repeat, one behind it is unknown`(
    step: SendingStep
  ) throws {
    for ownerDied in [false, true] {
      var phase = try phase(1, .claim)
      let path: [(SendingStep, QueueEvent)] = [
        (.recipients, .reached), (.body, offered), (.endOfData, .dispatching),
      ]
      for (reached, event) in path where phase.step != step {
        try phase.apply(event, at: .test(0))
        #expect(phase.step == reached)
      }
      try phase.apply(.lost("gone", ownerDied: ownerDied), at: .test(1))
      #expect(phase.state == (step == .endOfData ? .unknown : .queued))
      #expect(phase.recipients[0].state == (step == .endOfData ? .unknown : .queued))
      if ownerDied, step != .endOfData {
        #expect(phase.attempts == 0)
        #expect(phase.readiness(at: .test(1)) == .now)
      }
    }
  }

  @Test func `an unknown message moves only at the user's word or a find`() throws {
    let lost = QueueEvent.lost("gone", ownerDied: false)
    let unknown = try phase(1, .claim, .reached, offered, .dispatching, lost)
    for event in Self.allEvents {
      var copy = unknown
      let isAllowed = (try? copy.apply(event, at: .test(1_000_000))) != nil
      switch event {
      case .retry: #expect(isAllowed && copy.state == .queued)
      case .foundSent: #expect(isAllowed && copy.state == .sent)
      default: #expect(!isAllowed && copy == unknown, "\(event)")
      }
    }
  }

  @Test func `every recipient has an outcome of its own`() throws {
    var phase = try phase(3, .claim, .reached)
    try phase.apply(
      .recipients([
        0: RecipientResult(state: .offered), 1: RecipientResult(state: .refused, reply: "550 no"),
        2: RecipientResult(state: .queued, reply: "451 later"),
      ]), at: .test(0))
    try phase.apply(.dispatching, at: .test(0))
    try phase.apply(.accepted(receipt: "ok"), at: .test(0))
    #expect(phase.state == .queued)
    #expect(phase.recipients.map(\.state) == [.sent, .refused, .queued])
    #expect(phase.open == [2])
    #expect(phase.error == "451 later")
    try phase.apply(.claim, at: .test(30))
    try phase.apply(.reached, at: .test(30))
    try phase.apply(.recipients([2: RecipientResult(state: .refused, reply: "550")]), at: .test(30))
    #expect(phase.state == .sent)
    #expect(phase.hasRefusals)
  }

  @Test func `recipients that did not fit go at once, however many transactions it takes`() throws {
    var phase = QueuePhase(recipients: 20)
    for index in 0..<20 {
      #expect(phase.readiness(at: .test(0)) == .now)
      let offered = [index: RecipientResult(state: .offered)]
      for event: QueueEvent in [
        .claim, .reached, .recipients(offered), .dispatching, .accepted(receipt: "ok"),
      ] {
        try phase.apply(event, at: .test(0))
      }
    }
    #expect(phase.state == .sent)
  }

  @Test func `a refusal at the dot is final for those it was offered to`() throws {
    var phase = try phase(2, .claim, .reached)
    try phase.apply(
      .recipients([
        0: RecipientResult(state: .offered), 1: RecipientResult(state: .queued, reply: "451"),
      ]), at: .test(0))
    try phase.apply(.dispatching, at: .test(0))
    try phase.apply(.refused("554 spam"), at: .test(0))
    #expect(phase.recipients.map(\.state) == [.refused, .queued])
    #expect(phase.state == .queued)
  }

  @Test func `refused by all is failed at once, and retry begins anew`() throws {
    var phase = try phase(
      1, .claim, .reached, .recipients([0: RecipientResult(state: .refused, reply: "550 no")]))
    #expect(phase.state == .failed)
    #expect(phase.error == "550 no")
    try phase.apply(.retry, at: .test(99))
    #expect(phase.state == .queued)
    #expect(phase.attempts == 0)
    #expect(phase.firstReached == nil)
  }

  @Test func `MAIL refused refuses everybody`() throws {
    let phase = try phase(2, .claim, .reached, .refused("550 no such sender"))
    #expect(phase.state == .failed)
    #expect(phase.recipients.map(\.state) == [.refused, .refused])
  }

  @Test func `who has it never gets it again`() throws {
    var numbers = SeededNumbers(seed: 7)
    for _ in 0..<300 {
      var phase = QueuePhase(recipients: 3)
      var now = 0.0
      for _ in 0..<60 {
        let before = phase
        now += Double(numbers.next() % 4000)
        let event = Self.allEvents.randomElement(using: &numbers)!
        try? phase.apply(event, at: .test(now))
        for (old, new) in zip(before.recipients, phase.recipients) where old.state == .sent {
          #expect(new.state == .sent)
        }
        if before.state == .unknown, phase.state == .queued {
          #expect(event == .retry || event == Self.found)
        }
        #expect((phase.state == .sending) == (phase.step != nil))
        #expect(phase.recipients.count == 3)
        if phase.state == .sent {
          #expect(phase.recipients.allSatisfy { $0.state.isFinal })
          #expect(phase.recipients.contains { $0.state == .sent })
        }
        if phase.state == .queued { #expect(!phase.open.isEmpty) }
        #expect(try PhaseFile.read(PhaseFile.bytes(phase), recipients: 3).phase == phase)
      }
    }
  }

  // MARK: Ahead of time, full transactions, unknown outcomes

  @Test func `an attempt ahead of its time takes nothing from the schedule`() throws {
    var phase = try phase(1, .claim, .reached, .deferred("450 busy"))
    let due = phase.nextAttempt
    for second in 1...10 {
      let now = QueueInstant.test(Double(second))
      try phase.apply(.claim, at: now)
      try phase.apply(.reached, at: now)
      switch second % 3 {
      case 0: try phase.apply(.deferred("450 busy"), at: now)
      case 1: try phase.apply(.lost("gone", ownerDied: false), at: now)
      default: try phase.apply(.lost("killed", ownerDied: true), at: now)
      }
      #expect(phase.state == .queued && phase.attempts == 1 && phase.nextAttempt == due)
    }
    try phase.apply(.claim, at: .test(11))
    try phase.apply(.reached, at: .test(11))
    try phase.apply(offered, at: .test(11))
    try phase.apply(.dispatching, at: .test(11))
    try phase.apply(.accepted(receipt: "ok"), at: .test(11))
    #expect(phase.state == .sent && phase.nextAttempt == nil)
  }

  @Test func `a new attempt asks everybody again, what follows a full transaction only the rest`()
    throws
  {
    var phase = try phase(3, .claim, .reached, .deferred("451 at MAIL"))
    #expect(phase.untried.isEmpty)
    try phase.apply(.claim, at: .test(30))
    try phase.apply(.reached, at: .test(30))
    #expect(phase.untried == [0, 1, 2])
    try phase.apply(
      .recipients([0: RecipientResult(reply: "451 later"), 1: RecipientResult(state: .offered)]),
      at: .test(30))
    try phase.apply(.dispatching, at: .test(30))
    try phase.apply(.accepted(receipt: "ok"), at: .test(30))
    #expect(phase.state == .queued && phase.untried == [2] && phase.attempts == 1)
    try phase.apply(.claim, at: .test(30))
    try phase.apply(.continued, at: .test(30))
    #expect(phase.untried == [2] && phase.attempts == 2)
  }

  @Test func `where nobody was taken the rest is asked at once`() throws {
    let phase = try phase(
      3, .claim, .reached,
      .recipients([
        0: RecipientResult(state: .refused, reply: "550"), 1: RecipientResult(reply: "451"),
      ]))
    #expect(phase.state == .queued && phase.untried == [2] && phase.attempts == 0)
    #expect(phase.readiness(at: .test(0)) == .now)
  }

  @Test func `those who were not offered it go on where the outcome is unknown`() throws {
    var phase = try phase(
      2, .claim, .reached,
      .recipients([
        0: RecipientResult(state: .offered), 1: RecipientResult(state: .queued, reply: "451"),
      ]), .dispatching, .lost("gone", ownerDied: true))
    #expect(phase.state == .queued && phase.recipients.map(\.state) == [.unknown, .queued])
    #expect(phase.handedOver == 1 && phase.hasUnknown)
    // What the user says to the rest says nothing about the other.
    try phase.apply(.retry, at: .test(1))
    #expect(phase.recipients.map(\.state) == [.unknown, .queued])
    for event: QueueEvent in [
      .claim, .reached, .recipients([1: RecipientResult(state: .offered)]), .dispatching,
      .accepted(receipt: "ok"),
    ] {
      try phase.apply(event, at: .test(30))
    }
    #expect(phase.state == .unknown && phase.recipients.map(\.state) == [.unknown, .sent])
    #expect(phase.handedOver == 2)
    try phase.apply(.foundSent("in Sent"), at: .test(31))
    #expect(phase.state == .sent)
  }

  @Test func `an end that was answered with no is no copy out there`() throws {
    var phase = try phase(1, .claim, .reached, offered, .dispatching, .deferred("451"))
    #expect(phase.handedOver == 0)
    for event: QueueEvent in [.claim, .reached, offered, .dispatching] {
      try phase.apply(event, at: .test(30))
    }
    try phase.apply(.lost("gone", ownerDied: false), at: .test(30))
    #expect(phase.handedOver == 1 && phase.state == .unknown)
    try phase.apply(.retry, at: .test(31))
    #expect(phase.handedOver == 1 && phase.mayHaveArrived)
  }

  @Test func `holding and releasing changes nothing but a day's wait`() throws {
    let before = try phase(
      2, .claim, .reached,
      .recipients([
        0: RecipientResult(state: .refused, reply: "550"),
        1: RecipientResult(state: .queued, reply: "451"),
      ]))
    var phase = before
    try phase.apply(.hold("by hand"), at: .test(1))
    try phase.apply(.release, at: .test(2))
    var expected = before
    expected.error = nil
    expected.changed = phase.changed
    #expect(phase == expected)
    try phase.apply(.hold("by hand"), at: .test(3))
    try phase.apply(.release, at: .test(200_000))
    #expect(phase.readiness(at: .test(200_000)) == .now)
    var failed = try self.phase(1, .claim, .reached, .refused("550 no"))
    try failed.apply(.hold("by hand"), at: .test(1))
    try failed.apply(.release, at: .test(1))
    #expect(failed.state == .failed && failed.error == "550 no")
  }

  @Test func `what was sent to some can be sent to the rest, and to nobody else`() throws {
    var phase = try phase(
      2, .claim, .reached,
      .recipients([
        0: RecipientResult(state: .offered), 1: RecipientResult(state: .refused, reply: "550"),
      ]), .dispatching, .accepted(receipt: "ok"), .copy(.filed))
    #expect(phase.state == .sent && phase.hasRefusals)
    try phase.apply(.retry, at: .test(1))
    #expect(phase.state == .queued && phase.open == [1] && phase.copy == .filed)
    var whole = try self.phase(1, .claim, .reached, offered, .dispatching, .accepted(receipt: ""))
    #expect(throws: QueueTransitionError.self) { try whole.apply(.retry, at: .test(1)) }
  }

  static let found = QueueEvent.foundSent("in Sent")
  static let allEvents: [QueueEvent] = [
    .claim, .reached, .continued, .recipients([0: RecipientResult(state: .offered)]),
    .recipients([1: RecipientResult(state: .refused, reply: "550")]),
    .recipients([0: RecipientResult(state: .offered), 2: RecipientResult(reply: "451")]),
    .dispatching, .accepted(receipt: "ok"), .refused("554"), .deferred("451"),
    .lost("gone", ownerDied: false), .lost("gone", ownerDied: true),
    .expired, .hold("by hand"), .restored("backup"), .release, .retry, found, .copy(.filed),
    .brokenOff([0: RecipientResult(reply: "451")], "gone"), .dealtWith("by hand"),
  ]
}
