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

  @Test func `a message of a mail reader's own in the outbox is let be`() throws {
    try lab.accept()
    try lab.write(Array("Subject: draft\n\n".utf8), to: "cur/1700000000.R1.host:2,S")
    #expect(try lab.entries().count == 1)
    try lab.outbox().beginSending().clean(at: .test(0))
    #expect(try lab.names("cur") == ["1700000000.R1.host:2,S"])
  }

  @Test func `the oldest is first`() throws {
    let ids = try (0..<20).map { try lab.accept(at: .test(Double(20 - $0))) }
    #expect(try lab.entries().map(\.id) == ids.reversed())
  }

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

  @Test func `steps that follow one another can be noted at once, all or none`() throws {
    let id = try lab.accept()
    let sender = try lab.outbox().beginSending()
    #expect(throws: QueueError.self) {
      try sender.note([.claim, .dispatching], for: id, at: .test(1))
    }
    #expect(try lab.entries().first?.state == .queued)
    let entry = try sender.note([.claim, .reached], for: id, at: .test(1))
    #expect(entry.phase.step == .recipients && entry.phase.attempts == 1)
    _ = try sender.note(
      [.recipients([0: RecipientResult(state: .offered)]), .dispatching], for: id, at: .test(1))
    let phase = try #require(try lab.entries().first?.phase)
    #expect(phase.step == .endOfData && phase.handedOver == 1)
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
}
