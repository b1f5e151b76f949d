import Testing

@testable import Outbox

@Suite struct InvocationTests {
  @Test func `cron's, PHP's, git's and mutt's ways of calling are understood`() throws {
    let cron = try SendmailInvocation(
      ["-FCronDaemon", "-i", "-B8BITMIME", "-oem", "-odi", "root"])
    #expect(cron.fullName == "CronDaemon" && cron.ignoresDots && cron.recipients == ["root"])
    let php = try SendmailInvocation(["-t", "-i", "-fwww@example.org"])
    #expect(php.takesHeaderRecipients && php.ignoresDots && php.sender == "www@example.org")
    let git = try SendmailInvocation(["-f", "a@b.org", "-i", "c@d.org", "e@f.org"])
    #expect(git.sender == "a@b.org" && git.recipients == ["c@d.org", "e@f.org"])
    let mutt = try SendmailInvocation(
      ["-a", "work", "-oem", "-oi", "-N", "failure,delay", "-R", "hdrs", "--", "-odd@b.org"])
    #expect(mutt.account == "work" && mutt.ignoresDots && mutt.recipients == ["-odd@b.org"])
    #expect(mutt.notify == "FAILURE,DELAY")
  }

  @Test(arguments: [["-ti"], ["-it"], ["-t", "-oi"], ["-i", "-t"], ["-tv", "-Oignoredots=true"]])
  func `letters may be joined`(arguments: [String]) throws {
    let invocation = try SendmailInvocation(arguments)
    #expect(invocation.takesHeaderRecipients && invocation.ignoresDots)
  }

  @Test(arguments: [
    ["-tfa@b.org", "x@y.org"], ["-t", "-fa@b.org", "x@y.org"], ["-t", "-r", "a@b.org", "x@y.org"],
    ["-bm", "-tf", "a@b.org", "x@y.org"], ["x@y.org", "-t", "-f", "a@b.org"],
  ])
  func `values stand behind the letter or joined to it`(arguments: [String]) throws {
    let invocation = try SendmailInvocation(arguments)
    #expect(invocation.sender == "a@b.org" && invocation.recipients == ["x@y.org"])
  }

  @Test(arguments: [
    ["--from=a@b.org", "--read-recipients"], ["--from", "a@b.org", "--read-envelope-from", "-t"],
  ])
  func `msmtp's own options are understood`(arguments: [String]) throws {
    let invocation = try SendmailInvocation(arguments)
    #expect(invocation.sender == "a@b.org" && invocation.takesHeaderRecipients)
  }

  @Test func `silence is asked for where something is to be sent`() throws {
    #expect(try SendmailInvocation(["-q", "a@b.org"]).recipients == ["a@b.org"])
    #expect(try SendmailInvocation(["-q", "-t"]).takesHeaderRecipients)
  }

  @Test(arguments: [
    ["-q"], ["-bd"], ["-bp"], ["-q30m"], ["-f"], ["--from"], ["-Z"], ["--nope"], ["-Nnow"], ["-Bx"],
  ])
  func `what asks for a daemon, or is none, is refused`(arguments: [String]) {
    #expect(throws: AcceptanceError.self) { try SendmailInvocation(arguments) }
  }
}

@Suite struct AccountChoiceTests {
  private let accounts = [
    OutboxLab.account("home", email: "alice@home.example"),
    OutboxLab.account("work", email: "Alice@Work.example"),
  ]

  @Test func `the name, then the sender, then From decide`() throws {
    func chosen(_ named: String?, _ addresses: String...) throws -> String {
      try AccountChoice.choose(accounts, named: named, addresses: addresses).name
    }
    #expect(try chosen("work", "alice@home.example") == "work")
    #expect(try chosen(nil, "alice@work.EXAMPLE", "alice@home.example") == "work")
    #expect(try chosen(nil, "list-bounces@other.example", "alice+x@home.example") == "home")
    #expect(throws: AcceptanceError.whichAccount(["home", "work"])) {
      try chosen(nil, "bob@example.org")
    }
    #expect(throws: AcceptanceError.unknownAccount("wrok", known: ["home", "work"])) {
      try chosen("wrok")
    }
  }

  @Test func `--force queues the text of a stub, and no stub`() throws {
    let lab = try OutboxLab()
    lab.accounts = accounts.map { OutboxLab.account($0.name, email: $0.email) }
    let text =
      "From: alice@home.example\n\nNot here: a (b/c, 1 kB). Get it with: mirror fill id:m@x\n"
    #expect(throws: AcceptanceError.stubText(command: "mirror fill id:m@x")) {
      try lab.accept(text, ["b@c.org"])
    }
    _ = try lab.accept(text, ["--force", "b@c.org"])
    #expect(throws: AcceptanceError.stub(command: "mirror fill is:stub")) {
      try lab.accept("X-Mirror-Stub: 1; size=9; parts=2\n" + text, ["--force", "b@c.org"])
    }
    #expect(try lab.entries("home").count == 1)
  }

  @Test func `angle brackets are no part of the sender`() throws {
    let lab = try OutboxLab()
    lab.accounts = accounts.map { OutboxLab.account($0.name, email: $0.email) }
    _ = try lab.accept("\nx\n", ["-f", "<alice@work.example>", "b@c.org"])
    #expect(try lab.entries("work").count == 1)
  }

  @Test func `a single account needs no choice`() throws {
    let one = [OutboxLab.account("home", email: nil)]
    #expect(try AccountChoice.choose(one, named: nil, addresses: ["x@y"]).name == "home")
  }
}
