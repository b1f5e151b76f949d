import Testing

@testable import Queue

/// What was sent to some: told until it is dealt with, and kept until its copy is filed.
@Suite struct OutboxDiscardTests {
  let lab: QueueLab
  init() throws { lab = try QueueLab() }

  /// Sent to a, refused by b.
  private func partlySent(_ sender: OutboxSender) throws -> QueueID {
    let id = try lab.accept(to: ["a@x.org", "b@x.org"])
    for event: QueueEvent in [
      .claim, .reached,
      .recipients([
        0: RecipientResult(state: .offered), 1: RecipientResult(state: .refused, reply: "550"),
      ]), .dispatching, .accepted(receipt: "ok"),
    ] {
      _ = try sender.note(event, for: id, at: .test(1))
    }
    return id
  }

  @Test func `a refusal is kept until it is dealt with, however old it is`() throws {
    let unsent = try lab.accept()
    #expect(try lab.outbox().discard(unsent, at: .test(0)) == .removed)
    let sender = try lab.outbox().beginSending()
    let id = try partlySent(sender)
    _ = try sender.note(.copy(.filed), for: id, at: .test(2))
    try sender.clean(at: .test(400 * 86_400))
    let entry = try #require(try lab.entries().first)
    #expect(entry.phase.hasRefusals && entry.file != nil)
    #expect(try lab.outbox().discard(id, at: .test(400 * 86_400)) == .removed)
    #expect(try lab.entries().isEmpty && lab.names("entries").isEmpty && lab.names("new").isEmpty)
  }

  @Test(arguments: [SentCopy.undecided, .appending])
  func `what went out is kept until its copy is filed, whatever is discarded`(copy: SentCopy) throws
  {
    try lab.accept(at: .test(99))
    let sender = try lab.outbox().beginSending()
    let id = try partlySent(sender)
    if copy == .appending { _ = try sender.note(.copy(.appending), for: id, at: .test(2)) }
    for _ in 0..<2 {
      #expect(try lab.outbox().discard(id, at: .test(3)) == .keptForCopy)
      let entry = try #require(try lab.entries().first { $0.id == id })
      #expect(entry.state == .sent && entry.file != nil && entry.phase.copy == copy)
      #expect(!entry.phase.hasRefusals)
    }
    try sender.clean(at: .test(90 * 86_400))
    #expect(try lab.entries().first { $0.id == id }?.file != nil)
    _ = try sender.note(.copy(.filed), for: id, at: .test(4))
    try sender.clean(at: .test(5))
    #expect(try lab.entries().first { $0.id == id }?.file == nil)
    try sender.clean(at: .test(31 * 86_400))
    #expect(try lab.entries().allSatisfy { $0.id != id })
  }

  @Test func `who still waited for it is given up with the rest`() throws {
    let id = try lab.accept(to: ["a@x.org", "b@x.org"])
    let outbox = try lab.outbox()
    let sender = try outbox.beginSending()
    for event: QueueEvent in [
      .claim, .reached,
      .recipients([0: RecipientResult(state: .offered), 1: RecipientResult(reply: "451")]),
      .dispatching, .accepted(receipt: "ok"),
    ] {
      _ = try sender.note(event, for: id, at: .test(1))
    }
    #expect(try outbox.discard(id, at: .test(2)) == .keptForCopy)
    #expect(try sender.candidates(at: .test(3), urgently: true).isEmpty)
    #expect(try lab.entries().first?.phase.recipients.map(\.state) == [.sent, .failed])
  }

  @Test func `what nobody has is removed`() throws {
    let id = try lab.accept()
    let outbox = try lab.outbox()
    let sender = try outbox.beginSending()
    for event: QueueEvent in [
      .claim, .reached, .recipients([0: RecipientResult(state: .offered)]), .dispatching,
      .lost("gone", ownerDied: false),
    ] {
      _ = try sender.note(event, for: id, at: .test(1))
    }
    #expect(try outbox.discard(id, at: .test(2)) == .removed)
    #expect(try lab.entries().isEmpty)
  }
}
