import Testing

@testable import Queue

/// What came back after it was sent and its bytes were unlinked.
@Suite struct OutboxBounceTests {
  let lab: QueueLab
  init() throws { lab = try QueueLab() }

  private func note(_ id: QueueID, _ events: QueueEvent...) throws {
    let sender = try lab.outbox().beginSending()
    for event in events { _ = try sender.note(event, for: id, at: .test(1)) }
  }

  /// Sent to its one recipient; by a `sendmail` that is no more.
  private func sent() throws -> QueueID {
    let id = try lab.accept()
    try lab.orphan(id)
    try note(
      id, .claim, .reached, .recipients([0: RecipientResult(state: .offered)]), .dispatching,
      .accepted(receipt: "ok"))
    return id
  }

  @Test func `it is told until it is discarded, however old it is`() throws {
    let id = try sent()
    try note(id, .copy(.filed))
    try lab.clean()
    #expect(try lab.names("new").isEmpty)
    #expect(try lab.outbox().bounced(id, report: "r1", [0: "no such user"], at: .test(2)))
    for _ in 0..<2 {
      let entry = try #require(try lab.entries().first)
      #expect(entry.state == .failed && entry.file == nil && entry.damage == nil)
      #expect(entry.error == "bounced: no such user")
      try lab.clean(hoursLater: 48, at: .test(400 * 86_400))
    }
    let outbox = try lab.outbox()
    #expect(throws: QueueError.inSentOnly(id)) { try outbox.retry(id, at: .test(3)) }
    #expect(throws: QueueError.inSentOnly(id)) { try outbox.beginEdit(id, at: .test(3)) }
    // Else it would be no entry any more.
    #expect(throws: QueueError.inSentOnly(id)) {
      try outbox.hold(id, reason: HoldReason.byHand, at: .test(3))
    }
    let words = QueueError.inSentOnly(id).explanation
    #expect(words.problem.contains("was sent") && words.remedy?.contains("Sent") == true)
    #expect(try lab.entries().map(\.state) == [.failed])
    #expect(try outbox.discard(id, at: .test(4)) == .removed)
    #expect(try lab.entries().isEmpty && lab.names("entries").isEmpty)
  }

  @Test func `a report is news once`() throws {
    let id = try sent()
    let outbox = try lab.outbox()
    #expect(try outbox.bounced(id, report: "r1", [0: "full"], at: .test(2)))
    #expect(try !outbox.bounced(id, report: "r1", [0: "full"], at: .test(3)))
    #expect(try !outbox.bounced(id, report: "r2", [0: "full"], at: .test(3)))
    #expect(try lab.entries().first?.phase.bounces == ["r1", "r2"])
  }

  @Test func `what came back is sent again at the user's word for it alone`() throws {
    let refused = try lab.accept()
    try note(refused, .claim, .reached, .refused("550 no"))
    #expect(try lab.entries().first?.isSafeToRetry == true)
    try lab.outbox().discard(refused, at: .test(1))
    let id = try sent()
    #expect(try lab.entries().first?.isSafeToRetry == false)
    _ = try lab.outbox().bounced(id, report: "r1", [0: "full"], at: .test(2))
    #expect(try lab.entries().first?.isSafeToRetry == false)
    try lab.outbox().retry(id, at: .test(3))
    #expect(try lab.entries().map(\.state) == [.queued])
    #expect(try lab.entries().first?.isSafeToRetry == false)
  }
}
