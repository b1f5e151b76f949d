import MailTestKit
import Testing

/// One connection opens the next mailbox while the last messages of this one are under way. What turns out to be missing
/// then is asked for in its own mailbox.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct NextMailboxTests {
  /// Without identities, which are asked for before messages are.
  private static let quick: Dialect = {
    var dialect = Dialect.modern
    dialect.capabilities.remove("OBJECTID")
    dialect.greeting = "* OK Dovecot ready."
    return dialect
  }()

  private let names = ["INBOX", "a", "b", "c", "d", "e", "f"]

  private func stage(_ dialect: Dialect = quick) throws -> (
    MailAccount, ModelServer, MirrorProgram
  ) {
    let account = MailAccount(names)
    for (place, name) in names.enumerated() where name != "d" {
      account.change(name) { box in
        // More than a first visit brings, and the same UIDs everywhere.
        for number in 0..<(25 + place) { box.deliver(SampleMessage(token: "\(name)\(number)")) }
      }
    }
    let server = try ModelServer(account, dialect)
    var settings = AccountSettings(port: server.port, user: "u")
    settings.connections = 1
    return (account, server, try MirrorProgram(settings))
  }

  private func expectWhole(_ account: MailAccount, _ server: ModelServer, _ mirror: MirrorProgram)
    throws
  {
    server.alter(nil)
    let outcome = try mirror.pull()
    #expect(outcome.status == 0, "\(outcome.summary)")
    let oracle = MaildirOracle()
    #expect(try oracle.differences(mirror.tree(), account.state) == [])
    server.forget()
    #expect(try mirror.pull().status == 0)
    #expect(server.server.bodyFetches == [])
  }

  @Test(arguments: [quick, .bare, .modern])
  func `every mailbox comes whole`(dialect: Dialect) throws {
    let (account, server, mirror) = try stage(dialect)
    let outcome = try mirror.pull()
    #expect(outcome.status == 0, "\(outcome.summary)")
    // Each is looked into, and opened for its newest messages and for the rest: nothing is asked for again.
    #expect(server.received.count { $0.contains("EXAMINE") } <= 3 * names.count)
    #expect(
      server.server.bodyFetches.count == 2 * (names.count - 1) - 1, "\(server.server.bodyFetches)")
    try expectWhole(account, server, mirror)
  }

  /// So the commands of many fit one flight.
  @Test func `after the INBOX all new mailboxes are looked into before messages are fetched`()
    throws
  {
    let (account, server, mirror) = try stage()
    _ = try mirror.pull()
    let names = ["EXAMINE", "UID SEARCH", "UID FETCH"]
    let order = server.received.compactMap { line in names.first { line.contains($0) } }
    let look = ["EXAMINE", "UID SEARCH"]
    let all = Array(repeatElement(look, count: self.names.count - 1).joined())
    #expect(order.prefix(3 + all.count) == (look + ["UID FETCH"] + all)[...], "\(order)")
    try expectWhole(account, server, mirror)
  }

  @Test(arguments: ["b", "c"])
  func `what a server leaves out is looked for in its own mailbox`(name: String) throws {
    let (account, server, mirror) = try stage()
    server.alter { command, replies in
      guard command.name == "UID FETCH", command.mailbox == name else { return replies }
      return replies.filter { !$0.text.contains("UID 4 ") && !$0.text.contains("UID 24 ") }
    }
    let outcome = try mirror.pull()
    #expect(outcome.status == 1, "\(outcome.summary)")
    for uid in [4, 24] {
      #expect(outcome.errorText.contains("personal/\(name), UID \(uid)"), "\(outcome.summary)")
    }
    #expect(try mirror.tree().messages.count == account.state.values.map(\.count).reduce(0, +) - 2)
    try expectWhole(account, server, mirror)
  }

  @Test func `a refused mailbox, and refused messages, are told of by their names`() throws {
    let (account, server, mirror) = try stage()
    server.alter { command, replies in
      if command.name == "EXAMINE", command.text.contains("b") {
        return [.line("\(command.tag) NO [SERVERBUG] not now")]
      }
      if command.name == "UID FETCH", command.mailbox == "c", command.text.contains("BODY") {
        return [.line("\(command.tag) NO [SERVERBUG] not these")]
      }
      return replies
    }
    let outcome = try mirror.pull()
    #expect(outcome.status == 1, "\(outcome.summary)")
    #expect(outcome.errorText.contains("personal/b"), "\(outcome.summary)")
    #expect(outcome.errorText.contains("personal/c"), "\(outcome.summary)")
    let tree = try mirror.tree()
    for name in ["INBOX", "a", "e", "f"] {
      #expect(tree[name].count == 25 + (names.firstIndex(of: name) ?? 0), "\(name)")
    }
    #expect(tree["b"].isEmpty && tree["c"].isEmpty)
    try expectWhole(account, server, mirror)
  }

  /// Over which one it was lost shows only once nothing is asked for ahead any more.
  @Test(arguments: ["a", "c", "f"])
  func `a mailbox on which the server hangs up is left out alone`(bad: String) throws {
    let (account, server, mirror) = try stage()
    server.alter { command, replies in
      command.name == "EXAMINE" && command.text.contains("\"\(bad)\"") ? [.hangUp] : replies
    }
    let outcome = try mirror.pull()
    #expect(outcome.status == 1, "\(outcome.summary)")
    #expect(outcome.errorText.contains("personal/\(bad)"), "\(outcome.summary)")
    for (place, name) in names.enumerated() where name != bad && name != "d" {
      #expect(!outcome.errorText.contains("personal/\(name)"), "\(outcome.summary)")
      #expect(try mirror.tree()[name].count == 25 + place)
    }
    try expectWhole(account, server, mirror)
  }

  /// The mailbox that was opened in passing, and the one that was left for it, both come with the next connection.
  @Test(arguments: 1...17)
  func `a line that breaks there loses nothing`(count: Int) throws {
    let (account, server, mirror) = try stage()
    let left = Locked(count)
    server.alter { command, replies in
      guard command.name == "EXAMINE" else { return replies }
      left.value -= 1
      return left.value == 0 ? [.hangUp] : replies
    }
    let outcome = try mirror.pull()
    #expect(outcome.status == 0, "\(outcome.summary)")
    try expectWhole(account, server, mirror)
  }
}
