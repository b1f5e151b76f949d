import MailTestKit
import Testing

/// EMAILID and X-GM-MSGID save downloads, and a server may give them wrong: what is not downloaded is never seen.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct WrongIdentityTests {
  private struct Case {
    let account = MailAccount(["INBOX", "Work", "Zoo"])
    let server: ModelServer
    let mirror: MirrorProgram

    init(_ dialect: Dialect) throws {
      server = try ModelServer(account, dialect)
      mirror = try MirrorProgram(AccountSettings(port: server.port, user: "u"))
    }

    func deliver(_ token: String, to mailbox: String, identity: UInt64, body: String = "text") {
      let text =
        "From: a@example.org\r\nMessage-ID: <\(token)@example.org>\r\nSubject: \(token)\r\n\r\n"
        + body + "\r\n"
      account.change(mailbox) {
        $0.deliver(SampleMessage(bytes: Array(text.utf8), date: 1_600_000_000), identity: identity)
      }
    }

    func expectMirrored(location: SourceLocation = #_sourceLocation) throws {
      let outcome = try mirror.pull()
      #expect(outcome.status == 0, "\(outcome.summary)", sourceLocation: location)
      try expectSame(mirror.tree(), account.state, location: location)
    }

    var headerFetches: Int {
      server.server.received(named: ["FETCH"]).count { $0.contains("[HEADER]") }
    }
  }

  @Test(arguments: ["EMAILID", "X-GM-MSGID"], [1, 4])
  func `different messages of one identity are all here`(name: String, connections: Int) throws {
    let one = try Case(name == "EMAILID" ? .modern : .gmail)
    try one.mirror.configure { $0.connections = connections }
    for mailbox in ["INBOX", "Work", "Zoo"] {
      for number in 0..<8 {
        // Some are equally long, some share their identity with one of the same mailbox.
        one.deliver(
          "\(mailbox.prefix(1))\(number)", to: mailbox, identity: UInt64(number / 2),
          body: String(repeating: "x", count: number % 3))
      }
    }
    try one.expectMirrored()
    one.deliver("late", to: "Zoo", identity: 1)
    try one.expectMirrored()
    one.server.forget()
    try one.expectMirrored()
    #expect(one.server.server.bodyFetches == [])
  }

  @Test func `the same header over another length is another message`() throws {
    let one = try Case(.modern)
    one.deliver("m", to: "INBOX", identity: 7, body: "one")
    one.deliver("m", to: "Work", identity: 7, body: "another")
    try one.expectMirrored()
  }

  @Test func `one wrong identity and no other is believed in the run`() throws {
    let one = try Case(.modern)
    try one.mirror.configure { $0.connections = 1 }
    one.deliver("m0", to: "INBOX", identity: 7)
    one.deliver("same", to: "INBOX", identity: 8, body: "one")
    one.deliver("w0", to: "Work", identity: 7)
    one.deliver("same", to: "Work", identity: 8, body: "two")
    let outcome = try one.mirror.pull()
    #expect(outcome.errorText.contains("the same identity"), "\(outcome.summary)")
    try expectSame(one.mirror.tree(), one.account.state)
  }

  @Test func `many links cost one look at their headers, and no body`() throws {
    let one = try Case(.modern)
    for number in 0..<150 { one.deliver("m\(number)", to: "INBOX", identity: UInt64(number)) }
    try one.expectMirrored()
    for number in 0..<150 { one.deliver("m\(number)", to: "Work", identity: UInt64(number)) }
    one.server.forget()
    try one.expectMirrored()
    #expect(one.server.server.bodyFetches == [])
    #expect(one.headerFetches <= 2, "newest first, then the rest")
  }
}
