import Foundation
import Maildir
import Testing

@testable import Queue

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct OutboxTests {
  let lab: QueueLab
  init() throws { lab = try QueueLab() }

  @Test func `nothing queued is an empty list, and reading makes nothing`() throws {
    #expect(try lab.entries().isEmpty)
    #expect(try OutboxReader.entries(account: lab.path + "/nowhere").isEmpty)
    #expect(try Outbox.open(in: lab.tree) == nil)
    #expect(!FileManager.default.fileExists(atPath: lab.outboxPath))
  }

  @Test func `an accepted message is a Maildir message with its records elsewhere`() throws {
    let id = try lab.accept(to: ["bob@example.org", "carol \"x\"@example.org"])
    #expect(try lab.names("new") == ["1700000000.\(id).mirror"])
    #expect(try lab.names("cur").isEmpty && lab.names("tmp").isEmpty)
    #expect(try lab.names("entries") == ["\(id).envelope", "\(id).phase"])
    let entry = try #require(try lab.entries().first)
    #expect(entry.state == .queued)
    #expect(entry.damage == nil)
    #expect(entry.envelope?.messageID == "1@example.org")
    #expect(entry.queuedSeconds == 1_700_000_000)
    #expect(
      entry.recipientsJSON
        == #"[{"address":"bob@example.org","state":"queued","reply":null},"#
        + #"{"address":"carol \"x\"@example.org","state":"queued","reply":null}]"#)
  }

  @Test func `a mail reader may open, flag and rename what is queued`() throws {
    let id = try lab.accept()
    try lab.move("new/1700000000.\(id).mirror", "cur/1700000000.\(id).mirror:2,FS")
    let entry = try #require(try lab.entries().first)
    #expect(entry.damage == nil && entry.state == .queued)
    let reader = try lab.outbox().message(of: entry)
    var buffer = [UInt8](repeating: 0, count: 7)
    var text: [UInt8] = []
    while case let count = try reader.read(into: &buffer), count > 0 { text += buffer[..<count] }
    #expect(String(decoding: text, as: UTF8.self) == "Subject: Hi\n\nHello\n")
    #expect(reader.isIntact)
  }

  @Test func `what a mail reader deletes is no longer queued, and its records go`() throws {
    let id = try lab.accept()
    try lab.remove("new/1700000000.\(id).mirror")
    #expect(try lab.entries().isEmpty)
    try orphan(id)
    // It may be the moment between two of its names: an hour is none.
    try lab.outbox().beginSending().clean(at: .test(0))
    #expect(try lab.names("entries").count == 2)
    try lab.age("entries/\(id).envelope")
    try lab.outbox().beginSending().clean(at: .test(0))
    #expect(try lab.names("entries").isEmpty)
  }

  @Test func `a message of a mail reader's own in the outbox is let be`() throws {
    try lab.accept()
    try lab.write(Array("Subject: draft\n\n".utf8), to: "cur/1700000000.R1.host:2,S")
    #expect(try lab.entries().count == 1)
    try lab.outbox().beginSending().clean(at: .test(0))
    #expect(try lab.names("cur") == ["1700000000.R1.host:2,S"])
  }

  @Test func `the oldest is first, and prefixes find`() throws {
    let ids = try (0..<20).map { try lab.accept(at: .test(Double(20 - $0))) }
    #expect(try lab.entries().map(\.id) == ids.reversed())
    #expect(try lab.outbox().entry(matching: String(ids[3].text.prefix(10))).id == ids[3])
    #expect(throws: QueueError.noSuchEntry("")) { try lab.outbox().entry(matching: "") }
    #expect(throws: QueueError.noSuchEntry("0")) { try lab.outbox().entry(matching: "0") }
  }

  // MARK: Kills

  @Test func `a kill at any step of accepting leaves a whole entry or none`() throws {
    let id = try lab.accept()
    let name = "1700000000.\(id).mirror"
    // Backwards from the rename that counts: before it, the message is still in tmp.
    let dead = QueueLab.deadName()
    try orphan(id)
    try lab.move("new/\(name)", "tmp/\(dead)")
    #expect(try lab.entries().isEmpty)
    try lab.move("entries/\(id).envelope", "entries/\(QueueLab.deadName())")
    #expect(try lab.entries().isEmpty)
    try lab.outbox().beginSending().clean(at: .test(0))
    #expect(try lab.names("tmp").isEmpty && lab.names("entries") == ["\(id).phase"])
    try lab.age("entries/\(id).phase")
    try lab.outbox().beginSending().clean(at: .test(0))
    #expect(try lab.names("entries").isEmpty)
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
    try orphan(id)
    try lab.age("entries/\(id).envelope")
    try lab.outbox().beginSending().clean(at: .test(0))
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

  // MARK: Sending

  @Test func `only one sends, and the right ends with the value`() throws {
    try lab.accept()
    let outbox = try lab.outbox()
    do {
      let sender = try outbox.beginSending()
      #expect(throws: QueueError.senderBusy) { try lab.outbox().beginSending() }
      withExtendedLifetime(sender) {}
    }
    _ = try outbox.beginSending()
  }

  @Test func `a message goes its way on disk, step by step`() throws {
    let id = try lab.accept()
    let sender = try lab.outbox().beginSending()
    let path: [(QueueEvent, QueueState)] = [
      (.claim, .sending), (.reached, .sending),
      (.recipients([0: RecipientResult(state: .offered)]), .sending), (.dispatching, .sending),
      (.accepted(receipt: "ok"), .sent), (.copy(.filed), .sent),
    ]
    for (event, state) in path {
      _ = try sender.note(event, for: id, at: .test(1))
      #expect(try lab.entries().first?.state == state)
    }
    try sender.clean(at: .test(2))
    #expect(try lab.names("new").isEmpty)
    #expect(try lab.entries().map(\.state) == [.sent])
    try sender.clean(at: .test(31 * 86_400))
    #expect(try lab.entries().isEmpty)
    #expect(try lab.names("entries").isEmpty)
  }

  @Test func `a dead sender's message is repeated, or parked as unknown`() throws {
    let safe = try lab.accept(at: .test(0))
    let unknown = try lab.accept(at: .test(1))
    do {
      let sender = try lab.outbox().beginSending()
      for id in [safe, unknown] {
        for event: QueueEvent in [
          .claim, .reached, .recipients([0: RecipientResult(state: .offered)]),
        ] {
          _ = try sender.note(event, for: id, at: .test(1))
        }
      }
      _ = try sender.note(.dispatching, for: unknown, at: .test(1))
      #expect(throws: QueueError.self) { try lab.outbox().discard(safe, at: .test(1)) }
      #expect(throws: QueueError.self) { try lab.outbox().hold(safe, reason: "x", at: .test(1)) }
      withExtendedLifetime(sender) {}
    }
    let sender = try lab.outbox().beginSending()
    #expect(try sender.recover(at: .test(2)).count == 2)
    #expect(try lab.entries().map(\.state) == [.queued, .unknown])
    #expect(try sender.candidates(at: .test(2), urgently: true).map(\.id) == [safe])
    #expect(try sender.recover(at: .test(2)).isEmpty)
  }

  @Test func `what waits is sent when it is due, or when someone asks`() throws {
    let id = try lab.accept()
    let sender = try lab.outbox().beginSending()
    for event: QueueEvent in [.claim, .reached, .deferred("450")] {
      _ = try sender.note(event, for: id, at: .test(0))
    }
    #expect(try sender.candidates(at: .test(1), urgently: false).isEmpty)
    #expect(try sender.candidates(at: .test(1), urgently: true).count == 1)
    #expect(try sender.candidates(at: .test(30), urgently: false).count == 1)
    #expect(try lab.entries().first?.nextAttemptSeconds == 1_700_000_030)
  }

  @Test func `held by hand stays until it is released`() throws {
    let id = try lab.accept()
    let outbox = try lab.outbox()
    try outbox.hold(id, reason: "by hand", at: .test(0))
    let sender = try outbox.beginSending()
    #expect(try sender.candidates(at: .test(9e6), urgently: true).isEmpty)
    #expect(throws: QueueError.self) { try sender.note(.claim, for: id, at: .test(1)) }
    try outbox.release(id, at: .test(1))
    #expect(try sender.candidates(at: .test(1), urgently: false).map(\.id) == [id])
    try outbox.discard(id, at: .test(1))
    #expect(try lab.entries().isEmpty && lab.names("entries").isEmpty)
  }

  // MARK: Restores and damage

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

  @Test func `many accept, change and read at once, and nothing is torn`() async throws {
    let lab = lab
    let tree = lab.tree
    let account = lab.account
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for number in 0..<25 {
            let acceptance = try OutboxAcceptance(in: tree)
            try acceptance.write(Array(repeating: 65, count: number * 1000))
            let id = try acceptance.commit(
              sender: "a@b", recipients: ["c@d"], messageID: nil, subject: nil
            ).id
            let outbox = try #require(try Outbox.open(in: tree))
            try outbox.hold(id, reason: "x", at: .now())
            try outbox.release(id, at: .now())
            if number % 5 == 0 { try outbox.discard(id, at: .now()) }
          }
        }
      }
      group.addTask {
        for _ in 0..<50 {
          for entry in try OutboxReader.entries(account: account) {
            #expect(entry.damage == nil, "\(entry)")
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try lab.entries().count == 80)
    #expect(try lab.names("entries").filter { $0.hasSuffix(".envelope") }.count == 80)
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

  // MARK: Failing acceptance

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

  // MARK: Editing

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

  @Test func `what was sent is kept until its copy is filed, and while somebody was refused`()
    throws
  {
    let id = try lab.accept(to: ["a@x.org", "b@x.org"])
    let sender = try lab.outbox().beginSending()
    for event: QueueEvent in [
      .claim, .reached,
      .recipients([
        0: RecipientResult(state: .offered), 1: RecipientResult(state: .refused, reply: "550"),
      ]), .dispatching, .accepted(receipt: "ok"),
    ] {
      _ = try sender.note(event, for: id, at: .test(1))
    }
    try sender.clean(at: .test(90 * 86_400))
    #expect(try lab.entries().first?.file != nil)
    _ = try sender.note(.copy(.filed), for: id, at: .test(2))
    try sender.clean(at: .test(3))
    #expect(try lab.entries().first?.file != nil)
    try lab.outbox().retry(id, at: .test(4))
    #expect(try sender.candidates(at: .test(4), urgently: true).first?.phase.open == [1])
  }

  /// Makes the entry's owner a process that is no more.
  private func orphan(_ id: QueueID) throws {
    var envelope = try EnvelopeFile.read(lab.bytes("entries/\(id).envelope"))
    envelope.temporaryName = QueueLab.deadName()
    try lab.write(EnvelopeFile.bytes(envelope), to: "entries/\(id).envelope")
  }
}
