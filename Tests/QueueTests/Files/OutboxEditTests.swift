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

  @Test func `what was held by hand is held once it is edited`() throws {
    let id = try lab.accept()
    let outbox = try lab.outbox()
    try outbox.hold(id, reason: HoldReason.byHand, at: .test(0))
    let seen = try outbox.beginEdit(id, at: .test(1))
    #expect(!seen.mayHaveBeenSent)
    let new = try lab.accept(held: HoldReason.edited)
    let left = try outbox.finishEdit(seen, replacement: new, at: .test(2))
    #expect(left.state == .held && left.error == HoldReason.byHand)
    #expect(try lab.entries() == [left])
    let sender = try outbox.beginSending()
    #expect(try sender.candidates(at: .test(3), urgently: true).isEmpty)
    try outbox.release(new, at: .test(4))
    #expect(try sender.candidates(at: .test(4), urgently: true).map(\.id) == [new])
  }

  @Test(arguments: [true, false])
  func `what a restore brought may have been sent, and waits for the user once it is edited`(
    isNoted: Bool
  ) throws {
    let id = try lab.accept()
    let outbox = try lab.outbox()
    if isNoted {
      try outbox.beginSending().holdAll(reason: "the tree was restored", at: .test(0))
    } else {
      // As a copying program does it: another file of the same bytes.
      let name = "new/1700000000.\(id).mirror"
      try lab.write(lab.bytes(name), to: "tmp/copy")
      try lab.remove(name)
      try lab.move("tmp/copy", name)
    }
    let seen = try outbox.beginEdit(id, at: .test(1))
    #expect(seen.mayHaveBeenSent)
    let new = try lab.accept(held: HoldReason.edited)
    let left = try outbox.finishEdit(seen, replacement: new, at: .test(2))
    #expect(left.state == .held && left.error == HoldReason.mayHaveGone)
    // However often it is edited.
    let again = try outbox.beginEdit(new, at: .test(3))
    #expect(again.mayHaveBeenSent && again.holdAfterEdit == HoldReason.mayHaveGone)
  }

  @Test func `what an editor left behind, and what was changed, goes once it is edited`() throws {
    let id = try lab.accept()
    let outbox = try lab.outbox()
    _ = try outbox.beginEdit(id, at: .test(1))
    #expect(try outbox.beginEdit(id, at: .test(2)).holdAfterEdit == nil)
    let changed = try lab.accept()
    let path = lab.outboxPath + "/new/1700000000.\(changed).mirror"
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.seekToEnd()
    try file.write(contentsOf: Data("more".utf8))
    let seen = try outbox.beginEdit(changed, at: .test(3))
    #expect(seen.damage == .messageChanged && seen.holdAfterEdit == nil && !seen.mayHaveBeenSent)
  }

  @Test func `an edit keeps the only copy of what some have got`() throws {
    let id = try lab.accept(to: ["a@x.org", "b@x.org"])
    let outbox = try lab.outbox()
    let sender = try outbox.beginSending()
    for event: QueueEvent in [
      .claim, .reached,
      .recipients([
        0: RecipientResult(state: .offered), 1: RecipientResult(state: .refused, reply: "550"),
      ]), .dispatching, .accepted(receipt: "ok"),
    ] {
      _ = try sender.note(event, for: id, at: .test(1))
    }
    let seen = try outbox.beginEdit(id, at: .test(2))
    let new = try lab.accept(to: ["b@x.org"], held: HoldReason.edited)
    try outbox.finishEdit(seen, replacement: new, at: .test(3))
    let old = try #require(try lab.entries().first { $0.id == id })
    #expect(old.state == .sent && old.file != nil && !old.phase.hasRefusals)
    #expect(try sender.candidates(at: .test(3), urgently: true).map(\.id) == [new])
    _ = try sender.note(.copy(.filed), for: id, at: .test(4))
    try sender.clean(at: .test(5))
    #expect(try lab.entries().first { $0.id == id }?.file == nil)
  }
}
