import Foundation
import MailCore
import Queue
import Testing
import Transport

@testable import Outbox

@Suite struct OutboxRunTests {
  @Test func `what was queued is sent, whole and in order, on one connection, and copied once`()
    throws
  {
    let send = try SendLab()
    let ids = try (1...5).map { try send.queue("Number \($0)") }
    let texts = try ids.map { try send.lab.text($0) }
    let summary = send.run()
    #expect(summary.exitStatus == 0 && summary.sentCount == 5 && summary.waitingCount == 0)
    #expect(send.server.connections == 1)
    #expect(send.server.accepted.map(\.text) == texts.map { $0.replacing("\n", with: "\r\n") })
    #expect(send.server.accepted[0].parameters.contains("ENVID=\(ids[0])"))
    #expect(send.mailboxes.sent.map { String(decoding: $0.bytes, as: UTF8.self) } == texts)
    #expect(try ids.map { try send.state($0) } == Array(repeating: .sent, count: 5))
    #expect(try send.entry(ids[0])?.file == nil)
    #expect(send.run().exitStatus == 0)
    #expect(send.server.accepted.count == 5 && send.mailboxes.appends == 5)
    #expect(send.server.connections == 1)
  }

  @Test func `offline is no attempt, and all stays queued`() throws {
    let send = try SendLab()
    let id = try send.queue()
    send.server.faults[.connect] = [.close]
    let summary = send.run()
    #expect(summary.exitStatus == 69 && summary.waitingCount == 1)
    #expect(try send.entry(id)?.phase.attempts == 0)
    #expect(send.run().sentCount == 1)
  }

  @Test func `a refused log-in leaves all queued and is not repeated`() throws {
    let send = try SendLab()
    let id = try send.queue()
    _ = try send.queue("second")
    send.server.faults[.auth] = [.reply("535 5.7.8 wrong")]
    #expect(send.run().exitStatus == 77)
    #expect(send.server.connections == 1)
    #expect(try send.entry(id)?.phase.attempts == 0)
  }

  @Test(arguments: [
    (FakeSMTPServer.Place.mail, "550 5.7.1 not you"), (.data, "554 5.6.0 no"),
    (.dot, "554 5.7.1 spam"),
  ])
  func `a 5yz is failed at once, and the next message goes on`(
    place: FakeSMTPServer.Place, words: String
  ) throws {
    let send = try SendLab()
    let first = try send.queue("first")
    let second = try send.queue("second")
    send.server.faults[place] = [.reply(words)]
    let summary = send.run()
    #expect(summary.exitStatus == 1)
    #expect(try send.state(first) == .failed && send.entry(first)?.error == words)
    #expect(try send.state(second) == .sent)
    #expect(summary.problems.contains { $0.problem.contains(words) })
    // Told until it is dealt with, and not tried again by itself.
    #expect(send.run().exitStatus == 1)
    #expect(send.server.accepted.count == 1)
    try send.lab.outbox().retry(first, at: send.now())
    #expect(send.run().exitStatus == 0)
    #expect(send.server.accepted.count == 2)
  }

  @Test(
    arguments: FakeSMTPServer.Place.allCases.filter { ![.connect, .reset, .body].contains($0) })
  func `a 4yz is tried again, at its time`(place: FakeSMTPServer.Place) throws {
    let send = try SendLab()
    let id = try send.queue()
    send.server.faults[place] = [.reply("451 4.3.0 later")]
    #expect(send.run(urgently: false).exitStatus != 0)
    #expect(try send.state(id) == .queued)
    let counts: Set<FakeSMTPServer.Place> = [.mail, .rcpt, .data, .dot]
    #expect(try send.entry(id)?.phase.attempts == (counts.contains(place) ? 1 : 0))
    if counts.contains(place) {
      #expect(send.run(urgently: false).sentCount == 0)
      send.minutes = 1
    }
    #expect(send.run(urgently: false).sentCount == 1)
    #expect(send.server.accepted.count == 1)
  }

  @Test func `four failed attempts are enough`() throws {
    let send = try SendLab()
    let id = try send.queue()
    send.server.faults[.dot] = Array(repeating: .reply("451 4.3.0 later"), count: 9)
    for minutes in [0, 1, 4, 13] as [Int64] {
      #expect(try send.state(id) == .queued)
      send.minutes = minutes
      send.run(urgently: false)
    }
    #expect(try send.state(id) == .failed)
    #expect(send.server.accepted.isEmpty)
  }

  @Test(arguments: FakeSMTPServer.Place.allCases.filter { ![.connect, .reset, .dot].contains($0) })
  func `a connection lost before the dot sends nothing, and the message later once`(
    place: FakeSMTPServer.Place
  ) throws {
    let send = try SendLab()
    let id = try send.queue()
    let second = try send.queue("second")
    send.server.faults[place] = [.close]
    send.run()
    #expect(try send.state(id) == .queued)
    send.minutes = 1
    #expect(send.run().exitStatus == 0)
    #expect(send.server.accepted.count == 2)
    #expect(try send.state(second) == .sent)
  }

  @Test(arguments: [true, false])
  func `a connection lost behind the dot is unknown, parked, and never sent again by itself`(
    arrived: Bool
  ) throws {
    let send = try SendLab()
    let id = try send.queue()
    let second = try send.queue("second")
    send.server.faults[.dot] = [arrived ? .closeAfterAccepting : .close]
    let summary = send.run()
    #expect(summary.exitStatus == 1 && summary.sentCount == 1)
    #expect(try send.state(id) == .unknown && send.state(second) == .sent)
    for minutes in [1, 60, 3000] as [Int64] {
      send.minutes = minutes
      #expect(send.run().exitStatus == 1)
    }
    #expect(send.server.accepted.count == (arrived ? 2 : 1))
    if arrived {
      let messageID = try #require(try send.entry(id)?.envelope?.messageID)
      send.mailboxes.proven = [messageID]
      #expect(send.run().exitStatus == 0)
      #expect(try send.state(id) == .sent)
    } else {
      try send.lab.outbox().retry(id, at: send.now())
      #expect(send.run().exitStatus == 0)
    }
    #expect(send.server.accepted.count == 2)
    #expect(send.mailboxes.sent.count == 2)
  }

  @Test func `the phase is on disk before the dot leaves`() throws {
    let send = try SendLab()
    let id = try send.queue()
    send.server.atDot = {
      let entry = try? send.entry(id)
      #expect(entry?.phase.step == .endOfData)
    }
    send.run()
    #expect(send.server.accepted.count == 1)
  }

  @Test func `each recipient has its own answer`() throws {
    let send = try SendLab()
    let id = try send.queue("x", to: "a@x.org", "b@x.org", "c@x.org")
    send.server.recipientReplies = ["b@x.org": "550 5.1.1 nobody", "c@x.org": "451 4.2.0 later"]
    var summary = send.run()
    #expect(summary.exitStatus == 1)
    #expect(send.server.accepted.map(\.recipients) == [["a@x.org"]])
    #expect(try send.state(id) == .queued)
    send.server.recipientReplies["c@x.org"] = nil
    send.minutes = 1
    summary = send.run()
    #expect(send.server.accepted.map(\.recipients) == [["a@x.org"], ["c@x.org"]])
    #expect(try send.state(id) == .sent)
    #expect(summary.exitStatus == 1)
    #expect(summary.problems.contains { $0.problem.contains("b@x.org (550 5.1.1 nobody)") })
    #expect(send.mailboxes.appends == 1)
    try send.lab.outbox().discard(id, at: send.now())
    #expect(send.run().exitStatus == 0)
  }

  @Test func `recipients that a transaction has no room for follow in the next`() throws {
    let send = try SendLab()
    let id = try send.queue("x", to: "a@x.org", "b@x.org", "c@x.org", "d@x.org", "e@x.org")
    send.server.recipientLimit = 2
    #expect(send.run().exitStatus == 0)
    #expect(
      send.server.accepted.flatMap(\.recipients) == ["a", "b", "c", "d", "e"].map { $0 + "@x.org" })
    #expect(send.server.accepted.count == 3)
    #expect(try send.state(id) == .sent)
  }

  @Test func `a message larger than the server takes fails without a byte of it`() throws {
    let send = try SendLab()
    send.server.extensions = ["SIZE 1000", "AUTH PLAIN"]
    let id = try send.lab.accept(
      "Subject: x\n\n" + String(repeating: "0123456789\n", count: 200)
    ).id
    #expect(send.run().exitStatus == 1)
    #expect(try send.state(id) == .failed)
    #expect(!send.server.commands.contains { $0.hasPrefix("MAIL") })
  }

  @Test func `a server without 8BITMIME gets seven bits`() throws {
    let send = try SendLab()
    send.server.extensions = ["AUTH PLAIN"]
    let id = try send.lab.accept("Subject: x\n\nGrüße, und sonst nur ASCII\n").id
    #expect(send.run().exitStatus == 0)
    #expect(try send.state(id) == .sent)
    #expect(send.server.accepted[0].bytes.allSatisfy { $0 < 0x80 })
    #expect(
      send.server.accepted[0].text.hasSuffix("\r\n\r\nGr=C3=BC=C3=9Fe, und sonst nur ASCII\r\n"))
  }

  @Test func `an interrupt before the dot uses up no attempt`() throws {
    let send = try SendLab()
    let id = try send.queue()
    _ = try send.queue("second")
    send.server.faults[.rcpt] = [.interrupt(send.interrupt)]
    #expect(send.run().exitStatus == 130)
    #expect(try send.state(id) == .queued && send.entry(id)?.phase.attempts == 0)
    send.forgetInterrupt()
    #expect(send.run().sentCount == 2)
    #expect(send.server.accepted.count == 2)
  }

  @Test func `a message that was changed after it was accepted is parked`() throws {
    let send = try SendLab()
    let id = try send.queue("abc")
    let directory = send.lab.queued()
    let name = try FileManager.default.contentsOfDirectory(atPath: directory)[0]
    let handle = try #require(FileHandle(forWritingAtPath: directory + name))
    try handle.write(contentsOf: Data("Z".utf8))
    try handle.close()
    send.run()
    #expect(try send.state(id) == .held)
    #expect(send.server.accepted.isEmpty)
  }

  @Test func `a copy that may have arrived is looked for before another`() throws {
    let send = try SendLab()
    _ = try send.queue()
    send.mailboxes.appendFails = true
    #expect(send.run().exitStatus == 1)
    send.mailboxes.appendFails = false
    #expect(send.run().exitStatus == 0)
    #expect(send.mailboxes.appends == 1 && send.mailboxes.sent.count == 1)
  }

  @Test func `the provider's copy stays the only one`() throws {
    let send = try SendLab()
    send.lab.accounts[0].smtp?.sentCopy = .server
    let id = try send.queue()
    #expect(send.run().exitStatus == 0)
    #expect(send.mailboxes.appends == 0)
    #expect(try send.entry(id)?.file == nil)
  }

  @Test func `a dead sender's steps before the dot are safe to repeat, behind it unknown`() throws {
    for step in [SendingStep.claimed, .recipients, .body, .endOfData] {
      let send = try SendLab()
      let id = try send.queue()
      do {
        let sender = try send.lab.outbox().beginSending()
        _ = try sender.note(.claim, for: id, at: send.now())
        if step != .claimed { _ = try sender.note(.reached, for: id, at: send.now()) }
        if step == .body || step == .endOfData {
          _ = try sender.note(
            .recipients([0: RecipientResult(state: .offered)]), for: id, at: send.now())
        }
        if step == .endOfData { _ = try sender.note(.dispatching, for: id, at: send.now()) }
      }
      send.run()
      #expect(try send.state(id) == (step == .endOfData ? .unknown : .sent))
      #expect(send.server.accepted.count == (step == .endOfData ? 0 : 1))
    }
  }

  @Test func `two senders at once: one sends, the other says so`() throws {
    let send = try SendLab()
    _ = try send.queue()
    let sender = try send.lab.outbox().beginSending()
    #expect(send.run().exitStatus == 75)
    withExtendedLifetime(sender) {}
    #expect(send.server.accepted.isEmpty)
  }

  @Test func `a copy of the tree, or a restored backup, sends nothing until it is released`() throws
  {
    let send = try SendLab()
    let id = try send.queue()
    let account = send.lab.root + "/work"
    try FileManager.default.copyItem(atPath: account, toPath: account + "-copy")
    try FileManager.default.removeItem(atPath: account)
    try FileManager.default.moveItem(atPath: account + "-copy", toPath: account)
    for _ in 0..<2 {
      let summary = send.run()
      #expect(summary.exitStatus == 1)
      #expect(summary.problems.contains { $0.problem.contains("backup") })
    }
    #expect(try send.state(id) == .held && send.server.accepted.isEmpty)
    try send.lab.outbox().release(id, at: send.now())
    #expect(send.run().exitStatus == 0)
    #expect(send.server.accepted.count == 1)
  }
}
