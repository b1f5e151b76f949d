import MailTestKit
import Testing

/// `window = "5GB"`: what is newest comes first all the same, and what is outside does not come.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct SizeWindowTests {
  private static let day: Int64 = 86_400
  private static let now: Int64 = 1_700_000_000
  /// Makes a message of nearly a thousand bytes.
  private static let text = String(repeating: "x", count: 780)

  /// INBOX and others with a message a day each, oldest first.
  private func account(_ counts: (name: String, messages: Int)...) -> MailAccount {
    let account = MailAccount(counts.map(\.name))
    for (name, messages) in counts {
      account.change(name) { box in
        for number in 0..<messages {
          box.deliver(
            SampleMessage(
              token: "\(name)-\(number).", body: Self.text,
              date: Self.now - Int64(messages - number) * Self.day))
        }
      }
    }
    return account
  }

  private func mirror(_ server: ModelServer, _ window: String) throws -> MirrorProgram {
    var settings = AccountSettings(port: server.port, user: "u")
    settings.sync = "window = \"\(window)\""
    return try MirrorProgram(settings)
  }

  @Test func `the INBOX's newest come before any other mailbox is even listed`() throws {
    let account = account(("INBOX", 50), ("A", 40), ("B", 40), ("C", 40), ("D", 40))
    let server = try ModelServer(account, .modern)
    let seen = Locked<[ModelCommand]>([])
    server.alter { command, replies in
      seen.change { $0.append(command) }
      // A slow mailbox keeps its connection busy, so that the others have to take the rest.
      return command.name == "UID FETCH" ? [.pause(0.15)] + replies : replies
    }
    let mirror = try mirror(server, "5GB")
    let outcome = try mirror.pull()
    #expect(outcome.status == 0, "\(outcome.summary)")
    let commands = seen.value.filter { $0.mailbox != nil }
    let body = try #require(
      commands.firstIndex { $0.name == "UID FETCH" && $0.text.contains("BODY.PEEK[]") })
    #expect(commands[body].mailbox == "INBOX")
    let other = try #require(commands.firstIndex { $0.mailbox != "INBOX" })
    #expect(body < other, "the INBOX's newest first")
    // Sizes of the others: over several connections, before any of their messages.
    let sizes = commands.filter {
      $0.name == "UID FETCH" && $0.mailbox != "INBOX" && !$0.text.contains("BODY")
    }
    #expect(Set(sizes.map(\.mailbox)).count == 4)
    #expect(Set(sizes.map(\.connection)).count >= 3, "\(sizes.map(\.connection))")
    #expect(MaildirOracle().differences(try mirror.tree(), account.state) == [])
    server.forget()
    #expect(try mirror.pull().status == 0)
    #expect(server.server.bodyFetches == [])
  }

  @Test func `a window that not even the newest mail fits keeps to the rule`() throws {
    let account = account(("INBOX", 40), ("Work", 40))
    let server = try ModelServer(account, .modern)
    // Ten messages of the account: five days of both mailboxes.
    let mirror = try mirror(server, "10kB")
    #expect(try mirror.pull().status == 0)
    let tree = try mirror.tree()
    #expect((4...6).contains(tree["INBOX"].count), "\(tree["INBOX"].count)")
    #expect(tree["INBOX"].count == tree["Work"].count)
    #expect(tree.message(with: "INBOX-39.") != nil && tree.message(with: "Work-39.") != nil)
    #expect(server.server.bodyFetches.count < 20, "what is outside was not fetched")
    server.forget()
    #expect(try mirror.pull().status == 0)
    #expect(server.server.bodyFetches == [])
    #expect(try mirror.tree().messages.count == tree.messages.count)
  }

  @Test func `new mail comes first and pushes old mail out`() throws {
    let account = account(("INBOX", 30), ("Work", 30))
    let server = try ModelServer(account, .modern)
    let mirror = try mirror(server, "20kB")
    #expect(try mirror.pull().status == 0)
    let before = try mirror.tree().messages.count
    account.change("INBOX") { box in
      for number in 0..<4 {
        box.deliver(
          SampleMessage(
            token: "fresh-\(number).", body: Self.text, date: Self.now + Int64(number) * Self.day))
      }
    }
    #expect(try mirror.pull().status == 0)
    let tree = try mirror.tree()
    for number in 0..<4 { #expect(tree.message(with: "fresh-\(number).") != nil) }
    #expect(tree.message(with: "INBOX-29.") != nil && tree.message(with: "Work-29.") != nil)
    #expect(tree.messages.count <= before + 2, "\(before), then \(tree.messages.count)")
    // Twice the room brings back what is inside now, and nothing twice.
    try mirror.configure { $0.sync = "window = \"all\"" }
    #expect(try mirror.pull().status == 0)
    #expect(MaildirOracle().differences(try mirror.tree(), account.state) == [])
  }

  @Test func `a mailbox that cannot be listed stops no other`() throws {
    let account = account(("INBOX", 10), ("Work", 10), ("Bad", 10))
    let server = try ModelServer(account, .modern)
    server.alter { command, replies in
      guard command.name == "EXAMINE", command.text.contains("Bad") else { return replies }
      return [.line("\(command.tag) NO not today")]
    }
    let mirror = try mirror(server, "5GB")
    #expect(try mirror.pull().status == 1)
    let tree = try mirror.tree()
    #expect(tree["INBOX"].count == 10 && tree["Work"].count == 10)
    server.alter(nil)
    #expect(try mirror.pull().status == 0)
    #expect(MaildirOracle().differences(try mirror.tree(), account.state) == [])
  }

  @Test func `sizes that were asked for twice count once`() throws {
    let account = account(("INBOX", 5), ("Work", 60))
    let server = try ModelServer(account, .modern)
    // All of it fits, and twice the half of it would not.
    let mirror = try mirror(server, "90kB")
    #expect(try mirror.pull().status == 0)
    account.change("Work") { box in
      for number in 0..<10 {
        box.deliver(
          SampleMessage(
            token: "late-\(number).", body: Self.text, date: Self.now + Int64(number)))
      }
    }
    let cuts = Locked(0)
    server.alter { command, replies in
      guard command.name == "UID FETCH", command.mailbox == "Work", !command.text.contains("BODY"),
        command.text.contains("RFC822.SIZE")
      else { return replies }
      let isFirst = cuts.change { cuts in
        cuts += 1
        return cuts == 1
      }
      return isFirst ? [.reset] : replies
    }
    let outcome = try mirror.pull()
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(cuts.value > 0, "the connection was cut")
    #expect(try mirror.tree().messages.count == 75)
    #expect(MaildirOracle().differences(try mirror.tree(), account.state) == [])
  }

  @Test func `a mailbox that fails for once moves no window`() throws {
    let account = account(("INBOX", 30), ("Work", 30), ("Bad", 30))
    let server = try ModelServer(account, .modern)
    let mirror = try mirror(server, "30kB")
    #expect(try mirror.pull().status == 0)
    #expect(try mirror.pull().status == 0)
    let before = try mirror.tree().messages
    account.change("Bad") {
      $0.deliver(SampleMessage(token: "late.", body: Self.text, date: Self.now - 3600))
    }
    server.alter { command, replies in
      guard command.name == "EXAMINE", command.text.contains("Bad") else { return replies }
      return [.line("\(command.tag) NO not today")]
    }
    server.forget()
    #expect(try mirror.pull().status == 1)
    #expect(server.server.bodyFetches == [])
    #expect(Set(try mirror.tree().messages.map(\.inode)) == Set(before.map(\.inode)))
    server.alter(nil)
    #expect(try mirror.pull().status == 0)
    #expect(try mirror.tree().message(with: "late.") != nil)
  }

  @Test func `a window that grows is filled over all connections`() throws {
    let account = account(("INBOX", 20), ("A", 40), ("B", 40), ("C", 40), ("D", 40))
    let server = try ModelServer(account, .modern)
    let mirror = try mirror(server, "10kB")
    #expect(try mirror.pull().status == 0)
    account.change("INBOX") {
      $0.deliver(SampleMessage(token: "late.", body: Self.text, date: Self.now))
    }
    let seen = Locked<Set<Int>>([])
    server.alter { command, replies in
      guard command.name == "UID FETCH" else { return replies }
      seen.change { _ = $0.insert(command.connection) }
      return [.pause(0.15)] + replies
    }
    try mirror.configure { $0.sync = "window = \"5GB\"" }
    #expect(try mirror.pull().status == 0)
    #expect(seen.value.count == 4, "\(seen.value)")
  }

  @Test func `a run that is stopped tells what came before`() throws {
    let account = account(("INBOX", 40), ("Work", 40))
    let server = try ModelServer(account, .modern)
    server.alter { command, replies in
      guard command.mailbox == "Work" || command.text.contains("Work"),
        command.name == "UID FETCH"
      else { return replies }
      return [.reset]
    }
    let mirror = try mirror(server, "5GB")
    let outcome = try mirror.pull()
    #expect(outcome.status == 69, "\(outcome.summary)")
    #expect(outcome.outputText.contains("30 new"), "\(outcome.summary)")
    #expect(try mirror.tree()["INBOX"].count == 30)
  }
}
