import Foundation
import Queue
import Testing

@testable import Outbox

/// Who was refused, and what is left for the others to keep.
@Suite struct RefusalTests {
  /// Sent to a, refused by b.
  private func partlySent(_ send: SendLab) throws -> QueueID {
    let id = try send.queue("x", to: "a@x.org", "b@x.org")
    send.server.recipientReplies = ["b@x.org": "550 5.1.1 nobody"]
    #expect(send.run().exitStatus == 1)
    return id
  }

  @Test func `a refusal is told until it is dealt with, however long that takes`() throws {
    let send = try SendLab()
    let id = try partlySent(send)
    for days in [29, 31, 400] as [Int64] {
      send.minutes = days * 24 * 60
      let summary = send.run()
      #expect(summary.exitStatus == 1)
      #expect(summary.problems.contains { $0.problem.contains("b@x.org (550 5.1.1 nobody)") })
    }
    try send.lab.outbox().discard(id, at: send.now())
    #expect(send.run().exitStatus == 0)
    #expect(try send.lab.entries().isEmpty)
    #expect(send.mailboxes.appends == 1)
  }

  @Test func `a discarded message that some have got is filed before its bytes go`() throws {
    let send = try SendLab()
    let id = try send.queue("x", to: "a@x.org", "b@x.org")
    let messageID = try #require(try send.entry(id)?.envelope?.messageID)
    send.server.recipientReplies = ["b@x.org": "550 5.1.1 nobody"]
    send.mailboxes.refused = [messageID]
    #expect(send.run().exitStatus == 1)
    #expect(try send.lab.outbox().discard(id, at: send.now()) == .keptForCopy)
    let summary = send.run()
    #expect(!summary.problems.contains { $0.problem.contains("b@x.org") })
    #expect(try send.entry(id)?.file != nil)
    send.mailboxes.refused = []
    #expect(send.run().exitStatus == 0)
    #expect(send.mailboxes.sent.map(\.id) == [messageID])
    #expect(try send.entry(id)?.file == nil && send.server.accepted.count == 1)
  }

  @Test(arguments: [["tmp"], ["cur"], ["tmp", "cur"]])
  func `a queue without its empty directories goes out`(missing: [String]) throws {
    let send = try SendLab()
    let id = try send.queue()
    for name in missing {
      try FileManager.default.removeItem(atPath: send.lab.outboxPath + name)
    }
    let summary = send.run()
    #expect(summary.exitStatus == 0 && summary.sentCount == 1)
    #expect(try send.state(id) == .sent)
  }

  @Test func `a server that hangs up behind a deferral uses up an attempt`() throws {
    let send = try SendLab()
    let id = try send.queue("x", to: "a@x.org", "b@x.org")
    send.server.recipientReplies = ["a@x.org": "451 4.2.0 later"]
    send.server.faults[.rcpt] = [.close, .reply("421 4.3.2 going down")]
    for attempt in 1...2 {
      #expect(send.run(urgently: false).exitStatus == 1)
      #expect(try send.entry(id)?.phase.attempts == attempt)
      #expect(send.run(urgently: false).sentCount == 0 && send.server.connections == attempt)
      send.minutes += 10
    }
    send.server.recipientReplies = [:]
    #expect(send.run(urgently: false).exitStatus == 0)
    #expect(send.server.accepted.map(\.recipients) == [["a@x.org", "b@x.org"]])
  }

  @Test func `a message deleted with its records while it is in hand stands in no other's way`()
    throws
  {
    let send = try SendLab()
    let gone = try send.queue("gone")
    let good = try send.queue("good")
    let outbox = send.lab.outboxPath
    send.server.atData = {
      for part in ["new", "entries"] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: outbox + part)) ?? []
        for name in names where name.contains(gone.text) {
          try? FileManager.default.removeItem(atPath: outbox + part + "/" + name)
        }
      }
    }
    let summary = send.run()
    #expect(summary.exitStatus == 0 && summary.sentCount == 1, "\(summary.problems)")
    #expect(try send.state(good) == .sent && send.entry(gone) == nil)
    #expect(send.server.accepted.map(\.text).allSatisfy { $0.contains("good") })
  }

  @Test func `a server that takes one message in a session gets it in seven bits`() throws {
    let send = try SendLab()
    send.server.extensions = ["AUTH PLAIN", "LIMITS MAILMAX=1"]
    _ = try send.lab.accept("Subject: x\n\nGrüße\n")
    _ = try send.lab.accept("Subject: y\n\nGrüße\n")
    #expect(send.run().exitStatus == 0)
    #expect(send.server.accepted.count == 2 && send.server.connections == 2)
  }

  @Test func `nobody is promised what only a push does`() throws {
    let send = try SendLab()
    _ = try send.queue()
    send.server.faults[.dot] = [.reply("451 4.3.0 later")]
    let summary = send.run()
    #expect(summary.problems.contains { $0.remedy == "The next push tries it again." })
  }
}
