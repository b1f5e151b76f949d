import MailTestKit
import Testing

/// A server that was met before is asked for its mailboxes together with the log-in; where that fails, never again.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct KnownServerTests {
  private func stage() throws -> (server: ModelServer, mirror: MirrorProgram) {
    var dialect = Dialect.modern
    dialect.greeting = "* OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN] Dovecot ready."
    let account = MailAccount(["INBOX"])
    account.deliver(SampleMessage(token: "one"), labelled: ["INBOX"])
    let server = try ModelServer(account, dialect)
    return (server, try MirrorProgram(AccountSettings(port: server.port, user: "u")))
  }

  /// What the state remembers; the second line is empty where the server is not asked ahead.
  private func remembered(_ mirror: MirrorProgram) throws -> [Substring] {
    let query = "SELECT server FROM account"
    let outcome = try runSuccessfully(["sqlite3", mirror.account + "/.mirror/state.db", query])
    return outcome.outputText.split(separator: "\n", omittingEmptySubsequences: false)
  }

  @Test func `a server that hangs up on what comes with the log-in is asked one by one`() throws {
    let (server, mirror) = try stage()
    #expect(try mirror.pull().ending == .exited(0))
    #expect(try remembered(mirror)[1].contains("QRESYNC"))
    server.forget()
    server.alter { command, replies in
      command.connection == 0 && command.name == "ENABLE" ? [.hangUp] : replies
    }
    let outcome = try mirror.pull()
    #expect(outcome.ending == .exited(0), "\(outcome.summary)")
    #expect(server.server.connections == 2)
    #expect(try remembered(mirror)[1].isEmpty)
    // It stays so, whatever else is new.
    server.alter(nil)
    server.account.deliver(SampleMessage(token: "two"), labelled: ["INBOX"])
    #expect(try mirror.pull().ending == .exited(0))
    #expect(try mirror.tree()["INBOX"].count == 2)
    #expect(try remembered(mirror)[1].isEmpty)
  }

  @Test func `a password that is refused is refused once`() throws {
    let (server, mirror) = try stage()
    #expect(try mirror.pull().ending == .exited(0))
    server.forget()
    server.alter { command, replies in
      command.name == "AUTHENTICATE"
        ? [.line("\(command.tag) NO [AUTHENTICATIONFAILED] no")] : replies
    }
    let outcome = try mirror.pull()
    #expect(outcome.ending == .exited(77), "\(outcome.summary)")
    #expect(server.server.connections == 1)
    #expect(server.server.received(named: ["AUTHENTICATE"]).count == 1)
  }
}
