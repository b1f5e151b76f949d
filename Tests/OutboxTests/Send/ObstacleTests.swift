import Foundation
import MailCore
import Queue
import SMTPWire
import Testing

@testable import Outbox

/// What stands in a message's way, and must stand in no other's.
@Suite struct ObstacleTests {
  private func path(_ send: SendLab, _ id: QueueID) throws -> String {
    let new = send.lab.queued()
    let names = try FileManager.default.contentsOfDirectory(atPath: new)
    return new + (try #require(names.first { $0.contains(id.text) }))
  }

  @Test func `a message that cannot be read is parked, and the next one goes on`() throws {
    let send = try SendLab()
    let bad = try send.queue("bad")
    let good = try send.queue("good")
    let file = try path(send, bad)
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
    let summary = send.run()
    #expect(summary.exitStatus == 1 && summary.sentCount == 1)
    #expect(try send.state(bad) == .held && send.state(good) == .sent)
    #expect(try send.lab.entries().count == 2)
  }

  @Test func `a message changed under the sender is parked, and the next one goes on`() throws {
    let send = try SendLab()
    let bad = try send.queue("abc")
    let good = try send.queue("good")
    let handle = try #require(FileHandle(forWritingAtPath: try path(send, bad)))
    try handle.write(contentsOf: Data("Z".utf8))
    try handle.close()
    #expect(send.run().exitStatus == 1)
    #expect(try send.state(bad) == .held && send.state(good) == .sent)
    #expect(send.server.accepted.count == 1)
  }

  @Test func `no room to convert a message leaves it queued, and the next one goes on`() throws {
    let send = try SendLab()
    send.server.extensions = ["AUTH PLAIN"]
    send.temporaryDirectory = send.lab.root + "/nowhere"
    let large = try send.lab.accept(
      "Subject: x\n\n" + String(repeating: "Grüße und mehr davon\n", count: 500_000)
    ).id
    let good = try send.queue("good")
    let summary = send.run()
    #expect(summary.exitStatus == 1)
    #expect(try send.state(large) == .queued && send.entry(large)?.phase.attempts == 0)
    #expect(try send.state(good) == .sent)
    send.temporaryDirectory = NSTemporaryDirectory()
    #expect(send.run().exitStatus == 0)
    #expect(send.server.accepted.count == 2)
  }

  @Test func `a connection that timed out between two messages costs neither an attempt`() throws {
    for isClosing in [false, true] {
      let send = try SendLab()
      let ids = [try send.queue("one"), try send.queue("two"), try send.queue("three")]
      if isClosing {
        send.server.timesOutBefore = [1: 1]
      } else {
        send.server.faults[.mail] = [nil, .reply("421 4.4.2 idle for too long")]
      }
      #expect(send.run().exitStatus == 0)
      #expect(try ids.map { try send.state($0) } == [.sent, .sent, .sent])
      #expect(send.server.accepted.count == 3 && send.server.connections == 2)
    }
  }

  @Test func `a server that hangs up at every MAIL is asked once more, and no oftener`() throws {
    let send = try SendLab()
    let id = try send.queue("one")
    let second = try send.queue("two")
    send.server.timesOutBefore = [1: 1, 2: 0, 3: 0]
    #expect(send.run(urgently: false).exitStatus == 1)
    #expect(try send.state(id) == .sent && send.state(second) == .queued)
    #expect(try send.entry(second)?.phase.attempts == 1)
    #expect(send.server.connections == 2)
  }

  @Test func `explicit pushes before its time use up no attempt`() throws {
    let send = try SendLab()
    let id = try send.queue()
    send.server.faults[.dot] = Array(repeating: .reply("451 4.3.0 later"), count: 20)
    for _ in 0..<20 { send.run(urgently: true) }
    #expect(try send.state(id) == .queued && send.entry(id)?.phase.attempts == 1)
    send.run(urgently: true)
    #expect(send.server.accepted.count == 1)
  }

  @Test func `where deferred recipients fill the transactions, the others still get their turn`()
    throws
  {
    let send = try SendLab()
    let all = (1...9).map { "r\($0)@x.org" }
    let id = try send.lab.accept("Subject: x\n\nx\n", all).id
    send.server.recipientLimit = 2
    send.server.extensions.append("LIMITS RCPTMAX=2")
    send.server.recipientReplies = Dictionary(
      uniqueKeysWithValues: all.prefix(4).map { ($0, "451 4.2.0 later") })
    send.run(urgently: false)
    #expect(send.server.accepted.flatMap(\.recipients).sorted() == Array(all.dropFirst(4)))
    #expect(try send.entry(id)?.phase.open.count == 4)
    #expect(try send.entry(id)?.phase.attempts == 1)
    send.server.recipientReplies = [:]
    send.minutes = 1
    #expect(send.run(urgently: false).exitStatus == 0)
    #expect(send.server.accepted.flatMap(\.recipients).sorted() == all)
    #expect(Set(send.server.accepted.flatMap(\.recipients)).count == 9)
  }

  @Test func `those who were not offered it go on behind an unknown outcome`() throws {
    let send = try SendLab()
    let id = try send.queue("x", to: "a@x.org", "b@x.org")
    send.server.recipientReplies = ["b@x.org": "451 4.2.0 later"]
    send.server.faults[.dot] = [.close]
    let summary = send.run(urgently: false)
    #expect(
      summary.problems.contains { $0.problem.contains("may have been sent or not to a@x.org") })
    send.server.recipientReplies = [:]
    send.minutes = 1
    send.run(urgently: false)
    #expect(send.server.accepted.map(\.recipients) == [["b@x.org"]])
    #expect(try send.state(id) == .unknown)
  }

  @Test func `who was refused can be tried again, and only they`() throws {
    let send = try SendLab()
    let id = try send.queue("x", to: "a@x.org", "b@x.org")
    send.server.recipientReplies = ["b@x.org": "550 5.2.2 full"]
    #expect(send.run().exitStatus == 1)
    send.server.recipientReplies = [:]
    try send.lab.outbox().retry(id, at: send.now())
    #expect(send.run().exitStatus == 0)
    #expect(send.server.accepted.map(\.recipients) == [["a@x.org"], ["b@x.org"]])
    #expect(send.mailboxes.appends == 1)
  }

  @Test func `what a killed editor left is told`() throws {
    let send = try SendLab()
    let id = try send.queue()
    _ = try send.lab.outbox().beginEdit(id, at: send.now())
    let summary = send.run()
    #expect(summary.exitStatus == 1)
    #expect(summary.problems.contains { $0.remedy?.contains("release \(id)") == true })
    try send.lab.outbox().release(id, at: send.now())
    try send.lab.outbox().hold(id, reason: HoldReason.byHand, at: send.now())
    #expect(send.run().exitStatus == 0)
  }

  @Test func `an interrupt as the end is about to leave keeps it back`() throws {
    let send = try SendLab()
    let id = try send.queue()
    send.server.atDot = { Issue.record("the end left") }
    send.server.atData = { send.interrupt.trigger() }
    #expect(send.run().exitStatus == 130)
    #expect(try send.state(id) == .queued && send.entry(id)?.phase.attempts == 0)
    send.server.atDot = {}
    send.server.atData = {}
    send.forgetInterrupt()
    #expect(send.run().exitStatus == 0 && send.server.accepted.count == 1)
  }

  @Test func `a refused message behind one without recipients meets a clean session`() throws {
    let send = try SendLab()
    send.server.extensions = ["PIPELINING", "8BITMIME", "SIZE 1000", "AUTH PLAIN"]
    send.server.recipientReplies = ["nobody@x.org": "550 5.1.1 nobody"]
    let none = try send.queue("none", to: "nobody@x.org")
    let large = try send.lab.accept(
      "Subject: large\n\n" + String(repeating: "0123456789\n", count: 200)
    ).id
    let good = try send.queue("good")
    send.run()
    #expect(try [none, large, good].map { try send.state($0) } == [.failed, .failed, .sent])
    #expect(send.server.connections == 1)
  }
}
