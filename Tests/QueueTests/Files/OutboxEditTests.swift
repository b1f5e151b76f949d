import Foundation
import Maildir
import Testing

@testable import Queue

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A queued message and the editor that has it open.
@Suite struct OutboxEditTests {
  let lab: QueueLab
  init() throws { lab = try QueueLab() }

  @Test
  func `an edit takes the message out of every push's hands, and puts the new one in its place`()
    throws
  {
    let id = try lab.accept()
    let outbox = try lab.outbox()
    let seen = try outbox.beginEdit(id, at: .test(1))
    let sender = try outbox.beginSending()
    #expect(try sender.candidates(at: .test(1), urgently: true).isEmpty)
    let new = try lab.accept(held: HoldReason.edited)
    #expect(try sender.candidates(at: .test(1), urgently: true).isEmpty)
    try outbox.finishEdit(seen, replacement: new, at: .test(2))
    #expect(try sender.candidates(at: .test(2), urgently: true).map(\.id) == [new])
    #expect(try lab.entries().map(\.id) == [new])
  }

  @Test func `an edit that was overtaken changes nothing`() throws {
    let id = try lab.accept()
    let outbox = try lab.outbox()
    let seen = try outbox.beginEdit(id, at: .test(1))
    try outbox.release(id, at: .test(2))
    let sender = try outbox.beginSending()
    for event: QueueEvent in [.claim, .reached, .recipients([0: RecipientResult(state: .offered)])]
    {
      _ = try sender.note(event, for: id, at: .test(3))
    }
    let new = try lab.accept(held: HoldReason.edited)
    #expect(throws: QueueError.changedMeanwhile(id)) {
      try outbox.finishEdit(seen, replacement: new, at: .test(4))
    }
    #expect(throws: QueueError.self) { try outbox.beginEdit(id, at: .test(4)) }
    #expect(
      try lab.entries().map(\.state).sorted { $0.rawValue < $1.rawValue } == [.held, .sending])
    _ = try sender.note(.dispatching, for: id, at: .test(5))
    _ = try sender.note(.accepted(receipt: "ok"), for: id, at: .test(5))
    #expect(throws: QueueError.self) { try outbox.beginEdit(id, at: .test(6)) }
  }

  @Test func `an edit that changes nothing leaves it as it was`() throws {
    let id = try lab.accept()
    let outbox = try lab.outbox()
    let seen = try outbox.beginEdit(id, at: .test(1))
    try outbox.cancelEdit(seen, at: .test(2))
    #expect(try lab.entries().first?.state == .queued)
    try outbox.hold(id, reason: HoldReason.byHand, at: .test(3))
    try outbox.cancelEdit(outbox.beginEdit(id, at: .test(4)), at: .test(5))
    #expect(try lab.entries().first?.state == .held)
  }
}
