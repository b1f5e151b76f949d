import MailCore
import Settings
import Testing

@testable import Setup

/// Drives the machine as the command does, with answers by topic.
private struct Player {
  var wizard: SetupWizard
  var step: SetupStep
  var asked: [Question.Topic] = []
  var said: [String] = []

  init(_ given: SetupGiven = SetupGiven(), accounts: [String] = [], root: String? = nil) {
    wizard = SetupWizard(
      given,
      in: SetupSurroundings(
        accounts: accounts, root: root, configuration: "/c.toml", stores: [.pass, .file]))
    step = wizard.start()
    note()
  }

  private mutating func note() {
    said += step.says
    if case .ask(let question) = step.action {
      asked.append(question.topic)
      said += question.text
    }
  }

  var topic: Question.Topic? {
    if case .ask(let question) = step.action { question.topic } else { nil }
  }

  mutating func answer(_ text: String, _ expected: Question.Topic, line: Int = #line) {
    guard case .ask(let question) = step.action else {
      Issue.record("asks nothing (line \(line)): \(step.action)")
      return
    }
    #expect(question.topic == expected, "line \(line)")
    step = wizard.answered(text, to: question)
    note()
  }

  mutating func go(_ next: SetupStep) {
    step = next
    note()
  }

  mutating func found(_ findings: Findings) { go(wizard.found(findings)) }
  mutating func checked(_ result: CheckResult) { go(wizard.checked(result)) }
}

@Suite struct WizardTests {
  private let folders = [
    FolderInfo(name: "INBOX", messages: 1204), FolderInfo(name: "Sent", role: .sent, messages: 7),
    FolderInfo(name: "Junk", role: .junk, messages: 0), FolderInfo(name: "!odd"),
  ]

  private func findings(_ origin: Origin = .autoconfig, host: String = "imap.example.org")
    -> Findings
  {
    Findings([
      MailService(
        origin: origin,
        imap: ServerOffer(host: host, port: 993, tls: .implicit, user: "alice@example.org"),
        smtp: ServerOffer(
          host: "smtp.example.org", port: 465, tls: .implicit, user: "alice@example.org"))
    ])
  }

  @Test func `from an address to a configuration`() throws {
    var player = Player()
    player.answer("alice", .address)
    player.answer("alice@example.org", .address)
    #expect(player.step.action == .discover(try EmailAddress("alice@example.org")))
    player.found(findings())
    player.answer("", .useFound)
    player.answer("Alice Example", .realName)
    player.answer("pw ", .password)
    guard case .check(let imap, let smtp, let secret) = player.step.action else {
      Issue.record("no check: \(player.step.action)")
      return
    }
    #expect(imap.host == "imap.example.org" && smtp?.host == "smtp.example.org")
    #expect(secret == Secret("pw "))
    player.checked(CheckResult(imap: .fine, folders: folders, smtp: .fine))
    player.answer("-3", .folders)
    player.answer("soon", .window)
    player.answer("90d", .window)
    player.answer("", .account)
    player.answer("", .root)
    player.answer("2", .storage)
    #expect(
      player.step.action
        == .store(.file, Secret("pw "), account: "personal", user: "alice@example.org"))
    player.go(player.wizard.stored(.success(.file("/p"))))
    guard case .write(let draft, let root) = player.step.action else {
      Issue.record("no write: \(player.step.action)")
      return
    }
    #expect(root == "~/Mail")
    #expect(draft.folders == ["*", "!Junk"])
    #expect(draft.window == "90d")
    #expect(draft.realName == "Alice Example")
    #expect(draft.credential == .file("/p"))
    player.go(player.wizard.written(backup: nil))
    player.answer("y", .pull)
    #expect(player.step.action == .pull(account: "personal"))
    player.go(player.wizard.pulled())
    #expect(player.step.action == .finish)
  }

  @Test func `what is given is not asked for`() throws {
    var given = SetupGiven()
    (given.address, given.realName, given.account) = ("a@example.org", "A", "work")
    given.imap = ServerAnswer("localhost:1143")
    given.imapTLS = TLSMode.none
    given.noSMTP = true
    given.user = "a"
    given.credential = .shell("echo pw")
    (given.folders, given.window, given.root) = (["INBOX"], "all", "/m")
    given.pulls = false
    var player = Player(given)
    #expect(player.step.action == .readSecret(.shell("echo pw")))
    player.go(player.wizard.read(.success(Secret("pw"))))
    player.checked(CheckResult(imap: .fine, folders: folders))
    guard case .write(let draft, let root) = player.step.action else {
      Issue.record("no write: \(player.step.action)")
      return
    }
    #expect(draft.imap == ServerOffer(host: "localhost", port: 1143, tls: .none, user: "a"))
    #expect(draft.smtp == nil && draft.folders == ["INBOX"] && draft.window == nil)
    #expect(root == "/m")
    player.go(player.wizard.written(backup: "/b"))
    #expect(player.step.action == .finish)
    #expect(player.asked == [])
  }

  @Test func `a wrong password is asked for three times, then it ends with 77`() {
    var player = Player()
    player.answer("alice@example.org", .address)
    player.found(findings())
    player.answer("y", .useFound)
    player.answer("", .realName)
    for number in 1...3 {
      player.answer("", .password)  // nothing typed is no attempt
      player.answer("wrong\(number)", .password)
      player.checked(CheckResult(imap: .refused("Authentication failed.")))
    }
    guard case .fail(let explanation) = player.step.action else {
      Issue.record("goes on: \(player.step.action)")
      return
    }
    #expect(explanation.exitStatus == .refused)
    #expect(explanation.problem.contains("Authentication failed."))
    #expect(player.asked.count { $0 == .password } == 6)
  }

  @Test func `a given password that is wrong is not asked for`() {
    var given = SetupGiven()
    (given.address, given.realName) = ("alice@example.org", "")
    given.credential = .file("/p")
    var player = Player(given)
    player.found(findings())
    player.answer("y", .useFound)
    player.go(player.wizard.read(.success(Secret("x"))))
    player.checked(CheckResult(imap: .refused("no")))
    guard case .fail(let explanation) = player.step.action else {
      Issue.record("goes on: \(player.step.action)")
      return
    }
    #expect(explanation.exitStatus == .refused)
  }

  @Test func `nothing found means typing the servers`() {
    var player = Player()
    player.answer("alice@example.org", .address)
    player.found(Findings([], notes: ["There is no domain example.org."]))
    #expect(player.said.contains { $0.contains("No mail servers were found") })
    player.answer("not a host", .imapHost)
    player.answer("", .imapHost)
    player.answer("mail.example.org:1993", .imapHost)
    player.answer("none", .imapTLS)  // not for another machine
    player.answer("implicit", .imapTLS)
    player.answer("", .user)
    player.answer("mail.example.org", .smtpHost)
    player.answer("", .realName)
    player.answer("pw", .password)
    guard case .check(let imap, let smtp, _) = player.step.action else {
      Issue.record("no check: \(player.step.action)")
      return
    }
    #expect(
      imap
        == ServerOffer(
          host: "mail.example.org", port: 1993, tls: .implicit, user: "alice@example.org"))
    #expect(smtp?.port == 465)
  }

  @Test func `servers that cannot be reached can be typed anew, or it ends with their status`() {
    var player = Player()
    player.answer("alice@example.org", .address)
    player.found(findings())
    player.answer("y", .useFound)
    player.answer("", .realName)
    player.answer("pw", .password)
    let down = Explanation(problem: "refuses connections.", exitStatus: .unreachable)
    player.checked(CheckResult(imap: .failed(down)))
    player.answer("y", .imapTrouble)
    player.answer("other.example.org", .imapHost)
    player.answer("alice", .user)
    player.answer("none", .smtpHost)
    guard case .check(let imap, nil, _) = player.step.action else {
      Issue.record("no check: \(player.step.action)")
      return
    }
    #expect(imap.user == "alice")
    player.checked(CheckResult(imap: .failed(down)))
    player.answer("n", .imapTrouble)
    #expect(player.step.action == .fail(down))
  }

  @Test func `an outgoing server that refuses can be changed, kept, or left out`() {
    for (choice, isLeft) in [("2", false), ("3", true)] {
      var player = Player()
      player.answer("alice@example.org", .address)
      player.found(findings())
      player.answer("y", .useFound)
      player.answer("", .realName)
      player.answer("pw", .password)
      player.checked(CheckResult(imap: .fine, folders: folders, smtp: .refused("535 no")))
      player.answer("1", .smtpTrouble)
      player.answer("smtp2.example.org:587", .smtpHost)
      player.answer("alice2", .smtpUser)
      guard case .check(_, let smtp, _) = player.step.action else {
        Issue.record("no check: \(player.step.action)")
        return
      }
      #expect(
        smtp
          == ServerOffer(host: "smtp2.example.org", port: 587, tls: .starttls, user: "alice2"))
      player.checked(CheckResult(imap: .fine, folders: folders, smtp: .refused("535 no")))
      player.answer(choice, .smtpTrouble)
      player.answer("", .folders)
      #expect((player.wizard.smtp == nil) == isLeft)
    }
  }

  @Test func `OAuth2 writes its table and tells how to log in`() {
    var player = Player()
    player.answer("alice@gmail.com", .address)
    player.found(
      Findings([
        KnownProviders.provider(domain: "gmail.com")!.service(
          for: try! EmailAddress("alice@gmail.com"), origin: .table)
      ]))
    player.answer("y", .useFound)
    player.answer("", .realName)
    player.answer("2", .logIn)
    player.answer("", .clientID)
    player.answer("my-id", .clientID)
    player.answer("s3", .clientSecret)
    player.answer("", .window)
    player.answer("gmail", .account)
    player.answer("", .root)
    guard case .write(let draft, _) = player.step.action else {
      Issue.record("no write: \(player.step.action)")
      return
    }
    #expect(draft.credential == .oauth(.google, clientID: "my-id", clientSecret: Secret("s3")))
    player.go(player.wizard.written(backup: nil))
    #expect(player.said.contains { $0.contains("mirror auth login gmail") })
    #expect(player.step.action == .finish)
    #expect(!player.asked.contains(.password))
  }

  @Test func `an account's name that is taken is asked for again`() {
    var given = SetupGiven()
    given.checks = false
    given.credential = .file("/p")
    var player = Player(given, accounts: ["Example"], root: "/m")
    player.answer("alice@example.org", .address)
    player.found(findings())
    player.answer("y", .useFound)
    player.answer("", .realName)
    player.answer("", .window)
    guard case .ask(let question) = player.step.action else {
      Issue.record("\(player.step.action)")
      return
    }
    #expect(question.preset == "example2")
    player.answer("example", .account)
    player.answer("a/b", .account)
    player.answer("../x", .account)
    player.answer("other", .account)
    guard case .write(_, let root) = player.step.action else {
      Issue.record("no write: \(player.step.action)")
      return
    }
    #expect(root == "/m")  // there is one root, so it is not asked for
  }

  @Test func `a password that cannot be kept is offered another place`() {
    var given = SetupGiven()
    (given.address, given.account) = ("alice@example.org", "a")
    var player = Player(given)
    player.found(findings())
    player.answer("y", .useFound)
    player.answer("", .realName)
    player.answer("pw", .password)
    player.checked(CheckResult(imap: .fine, folders: [], smtp: .fine))
    player.answer("all", .window)
    player.answer("/m", .root)
    player.answer("9", .storage)
    player.answer("1", .storage)
    #expect(
      player.step.action == .store(.pass, Secret("pw"), account: "a", user: "alice@example.org"))
    player.go(player.wizard.stored(.failure(.init(words: "pass failed: no key"))))
    #expect(player.said.contains("pass failed: no key"))
    player.answer("3", .storage)
    player.answer("echo pw", .command)
    #expect(player.step.action == .verify(.shell("echo pw"), Secret("pw")))
    player.go(player.wizard.stored(.failure(.init(words: "not the same"))))
    player.answer("2", .storage)
    player.go(player.wizard.stored(.success(.file("/f"))))
    guard case .write(let draft, _) = player.step.action else {
      Issue.record("no write: \(player.step.action)")
      return
    }
    #expect(draft.credential == .file("/f"))
  }

  @Test func `why a better source was not heard is told with what a lesser one found`() {
    let note = "https://autoconfig.example.org shows a certificate that is not its own."
    for (origin, isTold) in [(Origin.autoconfig, false), (.srv, true), (.guess, true)] {
      var found = findings(origin)
      found.notes = [note]
      var player = Player()
      player.answer("alice@example.org", .address)
      player.found(found)
      #expect(player.said.contains(note) == isTold)
    }
  }

  @Test func `a missing outgoing server is told`() {
    var found = findings()
    found.smtp = nil
    found.notes = ["example.org describes an outgoing server, but without encryption."]
    var player = Player()
    player.answer("alice@example.org", .address)
    player.found(found)
    #expect(player.said.contains { $0.contains("without encryption") })
    #expect(player.said.contains { $0.contains("only receives") })
    var given = SetupGiven()
    given.noSMTP = true
    player = Player(given)
    player.answer("alice@example.org", .address)
    player.found(found)
    #expect(!player.said.contains { $0.contains("only receives") })
  }

  @Test(arguments: [Origin.srv, .mx])
  func `a host that only DNS vouches for needs a yes, and is never taken without a person`(
    origin: Origin
  ) {
    var player = Player()
    player.answer("alice@example.org", .address)
    player.found(findings(origin, host: "imap.elsewhere.net"))
    guard case .ask(let question) = player.step.action else {
      Issue.record("\(player.step.action)")
      return
    }
    #expect(question.preset == nil && question.scripted == nil)
    #expect(question.failure.exitStatus == .refused)
    #expect(player.said.contains { $0.contains("imap.elsewhere.net") && $0.contains("outside") })
    player.answer("", .useFound)
    player.answer("n", .useFound)
    #expect(player.topic == .imapHost)
  }

  @Test func `folders are chosen by numbers`() throws {
    func patterns(_ text: String) throws -> [String]? {
      try FolderChoice.patterns(text, of: folders)
    }
    #expect(try patterns("all") == nil)
    #expect(try patterns("1-4") == nil)
    #expect(try patterns("1, 3") == ["INBOX", "Junk"])
    #expect(try patterns("2-3") == ["Sent", "Junk"])
    #expect(try patterns("4") == ["%odd"])
    #expect(try patterns("-2 -4") == ["*", "!Sent", "!!odd"])
    #expect(try patterns("-2-3") == ["*", "!Sent", "!Junk"])
    let odd = ["INBOX", "A*", "Archive", "100%", "100 days", "!odd", "xodd"].map {
      FolderInfo(name: $0)
    }
    #expect(try FolderChoice.patterns("-2", of: odd) == ["*", "!A*", "Archive"])
    #expect(try FolderChoice.patterns("1,4", of: odd) == ["INBOX", "100%", "!100 days"])
    #expect(try FolderChoice.patterns("6", of: odd) == ["%odd", "!xodd"])
    #expect(try FolderChoice.patterns("-6", of: odd) == ["*", "!!odd"])
    for wrong in ["", "0", "5", "1-9", "3-1", "x", "1,-2", "-1-4", "1--2", "99999999999999999999"] {
      #expect(throws: FolderChoice.Mistake.self) { try patterns(wrong) }
    }
  }

  @Test func `the folder list stays within 80 columns`() {
    let many =
      (1...120).map {
        FolderInfo(
          name: String(repeating: "long name ", count: $0 % 12) + "\($0)\u{1B}[31m",
          role: SpecialUse.allCases[$0 % 7], messages: $0 * 98_765)
      }
    let lines = FolderList.lines(many)
    #expect(lines.count == 120)
    for line in lines {
      #expect(line.count <= 80, "\(line)")
      #expect(!line.contains("\u{1B}"))
    }
    #expect(FolderList.lines(folders)[0].contains("1,204"))
  }

  @Test func `names of any script stand in columns, with sizes where they are known`() {
    let list = FolderList.lines([
      FolderInfo(name: "INBOX", messages: 1204, bytes: 34_200_000),
      FolderInfo(name: "日本語", role: .junk, messages: 7, bytes: 999),
      FolderInfo(name: "e\u{301}te\u{301}", role: .sent, messages: 0, bytes: 0),
      FolderInfo(name: "odd"),
    ])
    #expect(
      list == [
        "  1  INBOX   1,204  34 MB", "  2  日本語      7  999 B  junk",
        "  3  e\u{301}te\u{301}         0    0 B  sent", "  4  odd         ?",
      ])
    let long = FolderList.lines([
      FolderInfo(name: String(repeating: "漢字", count: 40), role: .all, messages: 1, bytes: 1)
    ])
    #expect(TextWidth.columns(of: long[0]) <= 80)
    #expect(long[0].contains("…"))
    // No server said it: no column.
    #expect(FolderList.lines([FolderInfo(name: "a", messages: 1)]) == ["  1  a  1"])
    let words = Paragraph.lines(String(repeating: "漢字漢字漢 ", count: 30), width: 40)
    for line in words { #expect(TextWidth.columns(of: line) <= 40, "\(line)") }
  }

  @Test func `everything that is said fits 80 columns once it is wrapped`() {
    for text in [
      String(repeating: "word ", count: 60), "  1  " + String(repeating: "word ", count: 30),
      "short",
    ] {
      for line in Paragraph.lines(text) { #expect(line.count <= 80) }
    }
    #expect(Paragraph.lines("") == [""])
    #expect(Paragraph.lines("a b") == ["a b"])
  }
}
