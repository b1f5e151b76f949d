import MailCore
import Queue
import Testing

@testable import Outbox

/// A message that went out, and came back from everybody.
@Suite struct CameBackTests {
  private func bounce(_ send: SendLab, _ id: QueueID) throws {
    #expect(
      try send.lab.outbox().bounced(id, report: "r", [0: "no such user"], at: send.now()))
  }

  @Test func `it is told with every push, and nothing is promised that cannot be done`() throws {
    let send = try SendLab()
    let id = try send.queue("lost")
    #expect(send.run().exitStatus == 0)
    try bounce(send, id)
    for _ in 0..<2 {
      #expect(send.run().exitStatus == 1)
      let concern = try #require(try send.entry(id)?.concern)
      #expect(
        concern.problem == "“lost” came back from bob@example.net (bounced: no such user).")
      let remedy = try #require(concern.remedy)
      #expect(remedy.contains("lies in Sent") && remedy.contains("outbox discard \(id)"))
      #expect(!remedy.contains("retry") && !remedy.contains("edit"))
    }
    #expect(send.mailboxes.sent.count == 1)
  }

  @Test func `where some have it, nothing is promised either once its bytes are gone`() throws {
    let send = try SendLab()
    let id = try send.queue("lost", to: "bob@example.net", "eve@example.net")
    send.run()
    try bounce(send, id)
    let concern = try #require(try send.entry(id)?.concern)
    #expect(concern.problem.contains("but not to bob@example.net"))
    #expect(concern.remedy?.contains("retry") == false)
  }

  @Test func `its copy is filed all the same, and until then it can be sent again`() throws {
    let send = try SendLab()
    let id = try send.queue("lost")
    let messageID = try #require(try send.entry(id)?.envelope?.messageID)
    send.mailboxes.refused = [messageID]
    send.run()
    #expect(send.mailboxes.sent.isEmpty)
    try bounce(send, id)
    #expect(try send.entry(id)?.concern?.remedy?.contains("retry") == true)
    send.mailboxes.refused = []
    send.run()
    #expect(send.mailboxes.sent.map(\.id) == [messageID])
    #expect(try send.entry(id)?.phase.copy == .filed)
    #expect(try send.state(id) == .failed)
  }

  @Test func `a provider's copy of it is awaited no longer than that of others`() throws {
    let send = try SendLab()
    let id = try send.queue()
    let messageID = try #require(try send.entry(id)?.envelope?.messageID)
    func stand() throws -> SentCopyStand? {
      try SentCopyStand.all(
        account: send.lab.root + "/" + send.lab.accounts[0].name, rule: .provider, at: send.now()
      )[messageID]
    }
    send.run()
    try bounce(send, id)
    #expect(try stand() == .isComing)
    send.minutes = SentCopyStand.providersTime / 60 + 1
    #expect(try stand() == .mayBeRenamed)
  }
}
