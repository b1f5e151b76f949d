import MailTestKit
import Testing

/// Quirks by which a server shows less of a mailbox than there is: what is out of view is not gone.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct ViewQuirkTests {
  /// An account with one mailbox of so many messages, pulled without a limit to its view.
  private func limited(_ count: Int) throws -> (MailAccount, MirrorProgram) {
    let account = MailAccount()
    account.change("INBOX") { box in
      for number in 0..<count { box.deliver(SampleMessage(token: "m\(number)")) }
    }
    let server = try ModelServer(account, .gmail)
    let mirror = try MirrorProgram(AccountSettings(port: server.port, user: "u"))
    let outcome = try mirror.pull()
    #expect(outcome.status == 0, "\(outcome.summary)")
    return (account, mirror)
  }

  @Test func `limited-view: what slides out of Gmail's limit stays, and what goes in view goes`()
    throws
  {
    let (account, mirror) = try limited(1500)
    var gmail = Dialect.gmail
    gmail.viewLimit = 1000
    let server = try ModelServer(account, gmail)
    try mirror.configure { $0.port = server.port }
    account.change("INBOX") { $0.setFlags(1500, ["\\Flagged"]) }
    var outcome = try mirror.pull()
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(try mirror.tokens(1500).count == 1500, "500 are out of view")

    // The one before m1400 is shown again in its place: there are 1000, as before.
    account.change("INBOX") { $0.expunge(1401) }
    outcome = try mirror.pull()
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(try mirror.tokens(1500) == Set(0..<1500).subtracting([1400]))
    let verified = try mirror.run(["verify"])
    #expect(verified.status == 0, "\(verified.summary)")
    server.forget()
    #expect(try mirror.pull().status == 0)
    #expect(server.server.bodyFetches == [])
  }

  @Test func `limited-view: a mailbox that changes while it is looked at is still seen as full`()
    throws
  {
    let (account, mirror) = try limited(1200)
    var gmail = Dialect.gmail
    gmail.viewLimit = 1000
    let server = try ModelServer(account, gmail)
    try mirror.configure { $0.port = server.port }
    let hasCome = Locked(false)
    server.alter { command, replies in
      let isFirst = hasCome.change { seen in
        defer { seen = seen || command.name == "UID SEARCH" }
        return !seen && command.name == "UID SEARCH"
      }
      guard isFirst else { return replies }
      // One more came between SELECT, which told of 1000, and the listing.
      account.change("INBOX") { $0.deliver(SampleMessage(token: "m1200")) }
      return [.line("* 1001 EXISTS")]
        + replies.map { $0.text.hasPrefix("* ") ? .line($0.text + ",1201") : $0 }
    }
    account.change("INBOX") { $0.setFlags(1200, ["\\Flagged"]) }
    _ = try mirror.pull()
    server.alter(nil)
    let outcome = try mirror.pull()
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(try mirror.tokens(1201).count == 1201)
  }

  @Test func `limited-view: below the limit an expunged oldest message goes`() throws {
    let (account, mirror) = try limited(1000)
    let server = try ModelServer(account, .gmail)
    try mirror.configure { $0.port = server.port }
    account.change("INBOX") { $0.expunge(1) }
    let outcome = try mirror.pull()
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(try mirror.tokens(1000) == Set(1..<1000))
  }

  @Test func `partial-view: what Yahoo no longer shows stays, and what goes in view goes`() throws {
    let lie = try Lie(.yahoo)
    _ = try lie.pull(0)
    var yahoo = Dialect.yahoo
    yahoo.viewLimit = 7
    let server = try ModelServer(lie.account, yahoo)
    try lie.mirror.configure { $0.port = server.port }
    lie.account.change("INBOX") { box in
      box.expunge(9)
      box.setFlags(12, ["\\Flagged"])
    }
    // A deletion there needs two looks.
    _ = try lie.mirror.pull()
    let outcome = try lie.mirror.pull()
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(try lie.mirror.tokens(12) == Set(0..<12).subtracting([8]))
    try expectSame(lie.mirror.tree(), lie.account.state)
  }
}
