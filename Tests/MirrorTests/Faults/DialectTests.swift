import MailTestKit
import Testing

/// Providers that nobody can start on a test machine, spoken by the model server.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct DialectTests {
  private func mirror(_ server: ModelServer, sync: String = "") throws -> MirrorProgram {
    var settings = AccountSettings(port: server.port, user: "u")
    settings.sync = sync
    return try MirrorProgram(settings)
  }

  @Test(arguments: ["exchange", "iCloud", "yahoo", "bare", "condstore"])
  func `a provider's account is mirrored and kept`(name: String) throws {
    let dialect: Dialect =
      switch name {
      case "exchange": .exchange
      case "iCloud": .iCloud
      case "yahoo": .yahoo
      case "bare": .bare
      default: .condstore
      }
    let account = MailAccount(["INBOX", "Sent", "Folder"])
    for number in 0..<40 {
      account.change(number % 4 == 0 ? "Folder" : "INBOX") {
        $0.deliver(
          SampleMessage(token: "m\(number)", flags: number % 2 == 0 ? ["\\Seen"] : ["$Junk"]))
      }
    }
    let server = try ModelServer(account, dialect)
    let mirror = try mirror(server)
    func check(_ status: Int32 = 0) throws {
      server.forget()
      let outcome = try mirror.pull()
      #expect(outcome.ending == .exited(status), "\(outcome.summary)")
      try expectSame(mirror.tree(), account.state)
      #expect(server.server.changingCommands == [])
    }
    try check()
    try check()
    #expect(server.server.bodyFetches == [])
    account.change("INBOX") {
      $0.deliver(SampleMessage(token: "late"))
      $0.expunge(2)
      $0.expunge(5)
      $0.setFlags(3, ["\\Seen", "\\Flagged", "topic"])
    }
    // A deletion there needs two looks.
    if name == "yahoo" { _ = try mirror.pull() }
    try check()
    try check()
  }

  @Test func `iCloud's malformed VANISHED is not believed`() throws {
    let account = MailAccount()
    for number in 0..<10 {
      account.change("INBOX") { $0.deliver(SampleMessage(token: "m\(number)")) }
    }
    let server = try ModelServer(account, .iCloud)
    let mirror = try mirror(server)
    #expect(try mirror.pull().status == 0)
    account.change("INBOX") { $0.expunge(4) }
    server.alter { command, replies in
      replies.map { $0.text.contains("VANISHED") ? .line("* VANISHED (EARLIER) 1:10,") : $0 }
    }
    #expect(try mirror.pull().status == 0)
    try expectSame(mirror.tree(), account.state)
  }

  /// INBOX, a label, All Mail and Important over the same messages.
  private func gmail() -> MailAccount {
    let account = MailAccount(["INBOX", "Work"])
    account.add("[Gmail]", attributes: ["\\HasChildren", "\\Noselect"])
    account.add("[Gmail]/All Mail", attributes: ["\\All", "\\HasNoChildren"])
    account.add("[Gmail]/Important", attributes: ["\\Important", "\\HasNoChildren"])
    account.add("[Gmail]/Sent Mail", attributes: ["\\Sent", "\\HasNoChildren"])
    account.add("[Gmail]/Trash", attributes: ["\\Trash", "\\HasNoChildren"])
    for number in 0..<12 {
      let message = SampleMessage(
        token: "g\(number)", date: 1_650_000_000 + Int64(number), flags: ["\\Seen"])
      let identity = 1_700_000_000_000 + UInt64(number)
      var labels = ["\\Inbox"]
      if number % 3 == 0 { labels.append("Work") }
      if number % 4 == 0 { labels.append("Muy Hidden") }
      account.change("INBOX") {
        $0.deliver(message, identity: identity, labels: labels.filter { $0 != "\\Inbox" })
      }
      if number % 3 == 0 {
        account.change("Work") {
          $0.deliver(message, identity: identity, labels: labels.filter { $0 != "Work" })
        }
      }
      account.change("[Gmail]/All Mail") { $0.deliver(message, identity: identity, labels: labels) }
      account.change("[Gmail]/Important") {
        $0.deliver(message, identity: identity, labels: labels)
      }
    }
    return account
  }

  @Test func `gmail's messages are downloaded once, with labels as keywords`() throws {
    let account = gmail()
    let server = try ModelServer(account, .gmail)
    let mirror = try mirror(server)
    let outcome = try mirror.pull()
    #expect(outcome.status == 0, "\(outcome.summary)")
    let tree = try mirror.tree()
    #expect(tree["INBOX"].count == 12 && tree["Work"].count == 4)
    #expect(
      !tree.folders.contains("[Gmail]/All Mail") && !tree.folders.contains("[Gmail]/Important"))
    for message in tree.messages {
      let number = (0..<12).first { contains(message.raw, Array("<g\($0)@".utf8)) } ?? -1
      let labels: Set = number % 4 == 0 ? ["\\Important", "Muy Hidden"] : ["\\Important"]
      #expect(message.keywords() == labels, "\(message.path)")
      #expect(message.flags == "S")
    }
    // Twelve messages; the four in Work are already here by then, or the other way round.
    let asked = server.server.bodyFetches.joined(separator: "\n")
    #expect(downloaded(asked, in: account) == 12, "\(asked)")
    let linked = Dictionary(grouping: tree.messages, by: \.inode).values.count { $0.count > 1 }
    #expect(linked == 4, "equal files are one file")
    server.forget()
    #expect(try mirror.pull().status == 0)
    #expect(server.server.bodyFetches == [])
  }

  /// How many messages the UID FETCH commands asked for.
  private func downloaded(_ commands: String, in account: MailAccount) -> Int {
    commands.split(separator: "\n").reduce(0) { total, line in
      let set = line.split(separator: " ").first {
        $0.allSatisfy { $0.isNumber || $0 == "," || $0 == ":" } && $0.first?.isNumber == true
      }
      return total
        + (set ?? "").split(separator: ",").reduce(0) { sum, part in
          let ends = part.split(separator: ":").compactMap { Int($0) }
          return sum + (ends.count == 2 ? abs(ends[1] - ends[0]) + 1 : 1)
        }
    }
  }

  @Test func `a message that gains a gmail label is linked, not downloaded`() throws {
    let account = gmail()
    let server = try ModelServer(account, .gmail)
    let mirror = try mirror(server)
    #expect(try mirror.pull().status == 0)
    let message = try #require(account["INBOX"]?.messages.first { $0.uid == 2 })
    account.change("Work") {
      $0.deliver(
        SampleMessage(bytes: message.bytes, date: message.date, flags: ["\\Seen"]),
        identity: message.identity)
    }
    server.forget()
    #expect(try mirror.pull().status == 0)
    #expect(server.server.bodyFetches == [])
    #expect(try mirror.tree()["Work"].count == 5)
  }

  @Test func `EMAILID downloads once too`() throws {
    let account = MailAccount(["INBOX", "Copies"])
    for number in 0..<6 {
      let message = SampleMessage(token: "e\(number)", date: 1_650_000_000)
      account.change("INBOX") { $0.deliver(message, identity: UInt64(number)) }
      account.change("Copies") { $0.deliver(message, identity: UInt64(number)) }
    }
    let server = try ModelServer(account, .modern)
    let mirror = try mirror(server)
    #expect(try mirror.pull().status == 0)
    try expectSame(mirror.tree(), account.state)
    #expect(downloaded(server.server.bodyFetches.joined(separator: "\n"), in: account) == 6)
  }

  @Test func `the newest of INBOX come first`() throws {
    let account = MailAccount(["Big", "INBOX"])
    for number in 0..<200 {
      account.change("INBOX") { $0.deliver(SampleMessage(token: "i\(number)")) }
      account.change("Big") { $0.deliver(SampleMessage(token: "b\(number)")) }
    }
    let server = try ModelServer(account, .modern)
    let mirror = try mirror(server)
    try mirror.configure { $0.connections = 1 }
    #expect(try mirror.pull().status == 0)
    let first = try #require(server.server.bodyFetches.first)
    #expect(first.contains("171:200") || first.contains("200"), "\(first)")
    try expectSame(mirror.tree(), account.state)
  }

  @Test func `a server that throttles is obeyed`() throws {
    let account = MailAccount()
    for number in 0..<10 {
      account.change("INBOX") { $0.deliver(SampleMessage(token: "m\(number)")) }
    }
    let server = try ModelServer(account, .exchange)
    let mirror = try mirror(server)
    let turn = Locked(0)
    server.alter { command, replies in
      guard command.name == "UID FETCH", command.text.contains("[]"),
        turn.change({ count -> Int in
          count += 1
          return count
        }) == 1
      else { return replies }
      return [
        .line("\(command.tag) BAD Request is throttled. Suggested Backoff Time: 300 milliseconds")
      ]
    }
    let outcome = try mirror.pull()
    #expect([0, 1].contains(outcome.status ?? -1), "\(outcome.summary)")
    server.alter(nil)
    #expect(try mirror.pull().status == 0)
    try expectSame(mirror.tree(), account.state)
  }

  @Test func `a mailbox renamed with MAILBOXID is renamed here`() throws {
    let account = MailAccount(["INBOX", "Old"])
    for number in 0..<5 { account.change("Old") { $0.deliver(SampleMessage(token: "o\(number)")) } }
    let server = try ModelServer(account, .modern)
    let mirror = try mirror(server)
    #expect(try mirror.pull().status == 0)
    account.change("Old") {
      $0.name = "Newer/Place"
      $0.uidValidity += 7  // some servers do
    }
    server.forget()
    #expect(try mirror.pull().status == 0)
    #expect(server.server.bodyFetches == [])
    try expectSame(mirror.tree(), account.state)
  }
}
