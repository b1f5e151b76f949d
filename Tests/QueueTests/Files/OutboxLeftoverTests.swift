import Foundation
import Maildir
import Testing

@testable import Queue

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What dies while it accepts a message leaves a whole entry or none, and nothing else behind.
@Suite struct OutboxLeftoverTests {
  let lab: QueueLab
  init() throws { lab = try QueueLab() }

  @Test func `what a mail reader deletes is no longer queued, and its records go`() throws {
    let id = try lab.accept()
    try lab.remove("new/1700000000.\(id).mirror")
    #expect(try lab.entries().isEmpty)
    try lab.orphan(id)
    // It may be the moment between two of its names: an hour is none.
    try lab.clean()
    #expect(try lab.names("entries").count == 2)
    try lab.clean(hoursLater: 2)
    #expect(try lab.names("entries").isEmpty)
  }

  @Test func `records that a restore has just brought are kept, whatever date it gave them`() throws
  {
    let id = try lab.accept()
    try lab.orphan(id)
    try lab.move("new/1700000000.\(id).mirror", "elsewhere")
    for suffix in ["envelope", "phase"] { try lab.age("entries/\(id).\(suffix)") }
    try lab.clean()
    #expect(try lab.names("entries").count == 2)
    try lab.move("elsewhere", "new/1700000000.\(id).mirror")
    #expect(try lab.entries().map(\.id) == [id])
  }

  @Test func `a kill at any step of accepting leaves a whole entry or none, and nothing behind`()
    throws
  {
    // Backwards from the rename that counts: before it the message is in tmp, and before that the records come one by
    // one, the envelope first.
    for records in [2, 1, 0] {
      let id = try lab.accept()
      let dead = try lab.orphan(id)
      try lab.move("new/1700000000.\(id).mirror", "tmp/\(dead)")
      if records < 2 { try lab.move("entries/\(id).phase", "entries/\(QueueLab.deadName())") }
      if records < 1 { try lab.move("entries/\(id).envelope", "entries/\(QueueLab.deadName())") }
      #expect(try lab.entries().isEmpty)
      try lab.outbox().beginSending().clean(at: .test(0))
      #expect(try lab.names("tmp").isEmpty && lab.names("entries").isEmpty, "\(records)")
    }
  }

  @Test func `a phase of nobody's goes after an hour`() throws {
    let id = try lab.accept()
    try lab.remove("new/1700000000.\(id).mirror")
    try lab.remove("entries/\(id).envelope")
    try lab.outbox().beginSending().clean(at: .test(0))
    #expect(try lab.names("entries") == ["\(id).phase"])
    try lab.clean(hoursLater: 2)
    #expect(try lab.names("entries").isEmpty)
  }

  @Test func `records of one leftover take none of another's along`() throws {
    let (lost, kept) = (try lab.accept(at: .test(0)), try lab.accept(at: .test(1)))
    let dead = try lab.orphan(lost)
    try lab.orphan(kept)
    try lab.move("new/1700000000.\(lost).mirror", "tmp/\(dead)")
    // Between two of its names, given by a mail reader.
    try lab.move("new/1700000001.\(kept).mirror", "elsewhere")
    try lab.outbox().beginSending().clean(at: .test(0))
    #expect(try lab.names("entries") == ["\(kept).envelope", "\(kept).phase"])
    try lab.move("elsewhere", "cur/1700000001.\(kept).mirror:2,S")
    #expect(try lab.entries().map(\.id) == [kept] && lab.entries().first?.damage == nil)
  }

  @Test func `a message that came to be after all keeps its records`() throws {
    // As a file system without a whole rename may show it after a power cut: under both names.
    let id = try lab.accept()
    let dead = try lab.orphan(id)
    try lab.write(lab.bytes("new/1700000000.\(id).mirror"), to: "tmp/\(dead)")
    try lab.outbox().beginSending().clean(at: .test(0))
    #expect(try lab.names("tmp").isEmpty && lab.entries().map(\.state) == [.queued])
  }

  @Test func `a file that somebody holds is not cleaned away, whatever its name says`() throws {
    // As seen from another container: no such process, but its lock.
    let name = "tmp/" + QueueLab.deadName()
    try lab.accept()
    try lab.write([65], to: name)
    let held = open(lab.outboxPath + "/" + name, O_RDONLY)
    try #require(held >= 0 && flock(held, LOCK_EX) == 0)
    try lab.outbox().beginSending().clean(at: .test(0))
    #expect(try lab.names("tmp").count == 1)
    close(held)
    try lab.outbox().beginSending().clean(at: .test(0))
    #expect(try lab.names("tmp").isEmpty)
  }

  @Test func `a message that appears after all is never unlinked with its records`() throws {
    let id = try lab.accept()
    try lab.orphan(id)
    try lab.clean(hoursLater: 2)
    #expect(try lab.entries().map(\.id) == [id] && lab.names("new").count == 1)
    try lab.outbox().removeRecords(id)
    #expect(try lab.names("new").count == 1 && lab.entries().first?.state == .held)
  }

  @Test func `what a living sendmail writes is not cleaned away`() throws {
    let acceptance = try OutboxAcceptance(in: lab.tree)
    try acceptance.write(Array("x\n".utf8))
    let id = try lab.accept()
    try lab.move("new/1700000000.\(id).mirror", "tmp/\(id)")  // as between the two renames
    try lab.outbox().beginSending().clean(at: .test(0))
    #expect(try lab.names("tmp").count == 2)
    #expect(try lab.names("entries") == ["\(id).envelope", "\(id).phase"])
    try lab.move("tmp/\(id)", "new/1700000000.\(id).mirror")
    #expect(try lab.entries().first?.damage == nil)
  }

  @Test func `an abandoned message leaves nothing`() throws {
    do {
      let acceptance = try OutboxAcceptance(in: lab.tree)
      try acceptance.write(Array("x\n".utf8))
    }
    #expect(try lab.names("tmp").isEmpty && lab.names("new").isEmpty)
  }

  @Test func `what could not be made durable is withdrawn, unless a push has it in hand`() throws {
    for isTaken in [false, true] {
      let acceptance = try OutboxAcceptance(in: lab.tree)
      try acceptance.write(Array("Subject: x\n\nx\n".utf8))
      let (id, tree) = (acceptance.id, lab.tree)
      acceptance.failsSync = {
        if isTaken, let sender = try? Outbox.open(in: tree)?.beginSending() {
          _ = try? sender.note(.claim, for: id, at: .test(1))
        }
        return .system(call: "fsync", path: "x", code: EIO)
      }
      func commit() throws {
        _ = try acceptance.commit(
          sender: "a@b", recipients: ["c@d"], messageID: nil, subject: nil, at: .test(0))
      }
      if isTaken {
        try commit()
        #expect(try lab.entries().map(\.id) == [id])
      } else {
        #expect(throws: MaildirError.self) { try commit() }
        #expect(try lab.entries().isEmpty && lab.names("entries").isEmpty)
        #expect(try lab.names("new").isEmpty && lab.names("tmp").isEmpty)
      }
    }
  }
}
