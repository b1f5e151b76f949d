import Foundation
import MailTestKit
import Testing

/// A server takes a message, cannot deliver it, and says so in another one.
@Suite(.enabled(if: SendScenario.isPossible)) struct BounceTests {
  /// Nobody listens where mail for x.org goes, and what cannot be delivered goes back at once.
  private static let server = Result {
    try PostfixServer(
      settings: """
        transport_maps = inline:{nobody@x.org=lmtp:[127.0.0.1]:1}
        maximal_queue_lifetime = 0
        bounce_queue_lifetime = 0

        """)
  }

  private func desk() throws -> SentDesk { try SentDesk(server: Self.server.get()) }

  private func status(_ desk: SentDesk) throws -> Outcome { try desk.send.mirror.run(["status"]) }

  /// With the index, which finds the reports.
  private func pull(_ desk: SentDesk) throws -> Outcome { try desk.send.mirror.run(["pull"]) }

  @Test func `a bounce shows with the next pull, until it is dealt with`() throws {
    let desk = try desk()
    try desk.queue(desk.message("lost", to: "\(desk.bob)@example.org, nobody@x.org"))
    #expect(try desk.send.push().status == 0)
    #expect(try status(desk).status == 0)
    #expect(try desk.send.server.arrived(for: desk.send.user, atLeast: 1).count == 1)

    let pulled = try pull(desk)
    #expect(pulled.status == 0, "\(pulled.summary)")
    #expect(pulled.errorText.contains("“lost” came back from nobody@x.org"), "\(pulled.summary)")
    let entry = try #require(try desk.send.outbox().first)
    #expect(entry["state"] as? String == "sent")
    for _ in 0..<2 {
      let status = try status(desk)
      #expect(status.status == 1, "\(status.summary)")
      #expect(status.outputText.contains("nobody@x.org (bounced: "), "\(status.outputText)")
      #expect(try desk.send.push().status == 1)
      let again = try pull(desk)
      #expect(again.status == 0 && !again.errorText.contains("came back"), "\(again.summary)")
    }
    #expect(try desk.send.server.arrived(for: desk.bob, atLeast: 1).count == 1)

    let id = try #require(entry["id"] as? String)
    #expect(try desk.send.mirror.run(["outbox", "discard", id]).status == 0)
    #expect(try pull(desk).errorText.contains("came back") == false)
    #expect(try status(desk).status == 0)
    #expect(try desk.send.push().status == 0)
    #expect(try desk.remote().count == 1, "the copy in Sent stays")
  }

  @Test func `what came back from everybody, and lies in Sent alone, shows until it is discarded`()
    throws
  {
    let desk = try desk()
    try desk.queue(desk.message("lost", to: "nobody@x.org"))
    #expect(try desk.send.push().status == 0)
    #expect(try desk.remote().count == 1)
    #expect(try desk.send.server.arrived(for: desk.send.user, atLeast: 1).count == 1)

    let pulled = try pull(desk)
    #expect(pulled.errorText.contains("“lost” came back from nobody@x.org"), "\(pulled.summary)")
    #expect(pulled.errorText.contains("lies in Sent") && !pulled.errorText.contains("retry"))
    let status = try status(desk)
    #expect(status.status == 1, "\(status.summary)")
    let pushed = try desk.send.push()
    #expect(pushed.status == 1 && pushed.errorText.contains("came back"), "\(pushed.summary)")
    #expect(!pushed.errorText.contains("was not sent"), "\(pushed.summary)")
    let entry = try #require(try desk.send.outbox().first)
    #expect(entry["state"] as? String == "failed")

    let id = try #require(entry["id"] as? String)
    for command in [["retry", id], ["edit", id], ["hold", id]] {
      let refused = try desk.send.mirror.run(["outbox"] + command)
      #expect(refused.status == 1, "\(refused.summary)")
      #expect(refused.errorText.contains("Its copy lies in Sent"), "\(refused.summary)")
    }
    #expect(try desk.send.mirror.run(["outbox", "retry", "--all"]).status == 0)
    #expect(try desk.state() == "failed")
    #expect(try desk.send.mirror.run(["outbox", "discard", id]).status == 0)
    #expect(try self.status(desk).status == 0)
    #expect(try desk.send.push().status == 0)
    #expect(try pull(desk).errorText.contains("came back") == false)
    #expect(try desk.remote().count == 1, "the copy in Sent stays")
  }

  @Test func `somebody else's bounce is mail like any other`() throws {
    let desk = try desk()
    try desk.queue(desk.message("arrives"))
    #expect(try desk.send.push().status == 0)
    let report = """
      From: MAILER-DAEMON@x.org
      Subject: Undelivered Mail Returned to Sender
      Message-ID: <report@x.org>
      Date: \(Date().formatted(.iso8601))
      MIME-Version: 1.0
      Content-Type: multipart/report; report-type=delivery-status; boundary=b

      --b
      Content-Type: message/delivery-status

      Reporting-MTA: dns; x.org
      Original-Envelope-Id: another

      Final-Recipient: rfc822; \(desk.bob)@example.org
      Action: failed
      Status: 5.1.1

      --b
      Content-Type: text/rfc822-headers

      Message-ID: <of.somebody.else@x.org>

      --b--

      """
    try desk.append(report, to: "INBOX", date: .now)
    #expect(try pull(desk).errorText.contains("came back") == false)
    #expect(try status(desk).status == 0)
  }
}
