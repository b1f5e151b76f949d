import Foundation
import Maildir
import Testing

@testable import Queue

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What is damaged, changed or comes from a backup is parked, and loses nothing.
@Suite struct OutboxDamageTests {
  let lab: QueueLab
  init() throws { lab = try QueueLab() }

  @Test func `a message that a backup brought back is parked until the user says go`() throws {
    let id = try lab.accept()
    let name = "new/1700000000.\(id).mirror"
    let bytes = try lab.bytes(name)
    try lab.write(bytes, to: "new/other")  // another inode, as rsync would make
    try lab.remove(name)
    try lab.move("new/other", name)
    #expect(try lab.entries().first?.state == .held)
    let outbox = try lab.outbox()
    let sender = try outbox.beginSending()
    #expect(try sender.candidates(at: .test(1), urgently: true).isEmpty)
    #expect(throws: QueueError.self) { try sender.note(.claim, for: id, at: .test(1)) }
    #expect(try sender.recover(at: .test(1)).count == 1)
    try outbox.release(id, at: .test(1))
    #expect(try lab.entries().first?.state == .queued)
    #expect(try sender.candidates(at: .test(1), urgently: false).count == 1)
  }

  @Test func `a copy of the whole account is parked`() throws {
    try lab.accept()
    let copy = lab.path + "/copy"
    try FileManager.default.copyItem(atPath: lab.account, toPath: copy)
    #expect(try OutboxReader.entries(account: copy).map(\.state) == [.held])
    #expect(try lab.entries().map(\.state) == [.queued])
  }

  @Test func `damage parks the message and loses nothing`() throws {
    let id = try lab.accept()
    let envelope = try lab.bytes("entries/\(id).envelope")
    for bytes in [[], Array(envelope.dropLast()), envelope + [10]] {
      try lab.write(bytes, to: "entries/\(id).envelope")
      let entry = try #require(try lab.entries().first)
      #expect(entry.state == .held && entry.file != nil && entry.error != nil)
      let sender = try lab.outbox().beginSending()
      try sender.recover(at: .test(1))
      try sender.clean(at: .test(99e6))
      #expect(try sender.candidates(at: .test(1), urgently: true).isEmpty)
      #expect(try lab.names("new").count == 1)
    }
    try lab.remove("entries/\(id).envelope")
    #expect(try lab.entries().first?.state == .held)
    try lab.write(envelope, to: "entries/\(id).envelope")
    try lab.write(Array("mirror-phase 1\n".utf8), to: "entries/\(id).phase")
    #expect(try lab.entries().first?.state == .held)
    try lab.outbox().discard(id, at: .test(1))
    #expect(try lab.names("entries").isEmpty && lab.names("new").isEmpty)
  }

  @Test func `bytes that were changed are noticed before they are sent`() throws {
    let id = try lab.accept()
    let path = lab.outboxPath + "/new/1700000000.\(id).mirror"
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.write(contentsOf: Data("SUBJECT".utf8))  // the same size
    let entry = try #require(try lab.entries().first)
    let reader = try lab.outbox().message(of: entry)
    var buffer = [UInt8](repeating: 0, count: 4096)
    while try reader.read(into: &buffer) > 0 {}
    #expect(!reader.isIntact)
    try file.seekToEnd()
    try file.write(contentsOf: Data("more".utf8))
    #expect(try lab.entries().first?.damage == .messageChanged)
    #expect(throws: QueueError.damaged(id, .messageChanged)) {
      try lab.outbox().release(id, at: .test(1))
    }
  }

  @Test func `records that a backup put back are old, though the message is the very same file`()
    throws
  {
    let id = try lab.accept()
    let old = try lab.bytes("entries/\(id).phase")
    let sender = try lab.outbox().beginSending()
    for event: QueueEvent in [
      .claim, .reached, .recipients([0: RecipientResult(state: .offered)]), .dispatching,
      .lost("gone", ownerDied: false),
    ] {
      _ = try sender.note(event, for: id, at: .test(1))
    }
    #expect(try lab.entries().first?.state == .unknown)
    // As rsync does: a new file in place of the newer one.
    try lab.write(old, to: "entries/copy")
    try lab.remove("entries/\(id).phase")
    try lab.move("entries/copy", "entries/\(id).phase")
    #expect(try lab.entries().first?.damage == .restored)
    #expect(try sender.candidates(at: .test(2), urgently: true).isEmpty)
    try sender.recover(at: .test(2))
    #expect(try lab.entries().first?.phase.state == .held)
    try lab.outbox().release(id, at: .test(3))
    #expect(try sender.candidates(at: .test(3), urgently: true).map(\.id) == [id])
  }

  @Test func `a message whose state is lost is parked until the user says retry`() throws {
    let id = try lab.accept()
    try lab.remove("entries/\(id).phase")
    #expect(try lab.entries().first?.state == .held)
    #expect(throws: QueueError.damaged(id, .phase("lost"))) {
      try lab.outbox().release(id, at: .test(1))
    }
    let sender = try lab.outbox().beginSending()
    try sender.recover(at: .test(1))
    #expect(try sender.candidates(at: .test(1), urgently: true).isEmpty)
    try lab.outbox().retry(id, at: .test(1))
    #expect(try sender.candidates(at: .test(1), urgently: true).map(\.id) == [id])
  }

  @Test func `all that waits can be parked at once`() throws {
    let ids = [try lab.accept(at: .test(0)), try lab.accept(at: .test(1))]
    let sender = try lab.outbox().beginSending()
    _ = try sender.note(.claim, for: ids[0], at: .test(1))
    try sender.recover(at: .test(2))
    try sender.holdAll(reason: "restored", at: .test(2))
    #expect(try lab.entries().map(\.state) == [.held, .held])
    #expect(try lab.entries().map(\.error) == ["restored", "restored"])
  }

  @Test func `one that cannot be read stands in no other's way`() throws {
    let bad = try lab.accept(at: .test(0))
    let good = try lab.accept(at: .test(1))
    // A directory in a message's place: to open it works, to read it does not.
    let name = "new/1700000000.\(bad).mirror"
    try lab.remove(name)
    try FileManager.default.createDirectory(
      atPath: lab.outboxPath + "/" + name, withIntermediateDirectories: false)
    let entries = try lab.entries()
    #expect(entries.map(\.id) == [bad, good] && entries.map(\.state) == [.held, .queued])
    let sender = try lab.outbox().beginSending()
    try sender.recover(at: .test(1))
    #expect(try sender.candidates(at: .test(1), urgently: true).map(\.id) == [good])
  }
}
