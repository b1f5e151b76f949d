import MailCore
import Settings
import Testing

@testable import Setup

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
    var player = WizardPlayer()
    player.answer("alice", .address)
    player.answer("alice@example.org", .address)
    #expect(player.step.action == .discover(try EmailAddress("alice@example.org")))
    player.found(findings())
    player.answer("", .useFound)
    player.answer("Alice Example", .realName)
    player.answer("pw ", .password)
    guard case .check(let imap, let smtp, .password(let secret)) = player.step.action else {
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
    var player = WizardPlayer(given)
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
    var player = WizardPlayer()
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
    var player = WizardPlayer(given)
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
    var player = WizardPlayer()
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
    var player = WizardPlayer()
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
      var player = WizardPlayer()
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

  @Test func `an account's name that is taken is asked for again`() {
    var given = SetupGiven()
    given.checks = false
    given.credential = .file("/p")
    var player = WizardPlayer(given, accounts: ["Example"], root: "/m")
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
    var player = WizardPlayer(given)
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

  @Test func `a place that was named takes the password without a question`() {
    var given = SetupGiven()
    (given.address, given.realName, given.account) = ("alice@example.org", "A", "a")
    (given.store, given.password) = (.pass, Secret("pw"))
    (given.window, given.root) = ("all", "/m")
    var player = WizardPlayer(given)
    player.found(findings())
    player.answer("y", .useFound)
    player.checked(CheckResult(imap: .fine, folders: [], smtp: .fine))
    #expect(
      player.step.action == .store(.pass, Secret("pw"), account: "a", user: "alice@example.org"))
    player.go(player.wizard.stored(.failure(.init(words: "no key"))))
    guard case .ask(let question) = player.step.action else {
      Issue.record("\(player.step.action)")
      return
    }
    #expect(question.topic == .storage && question.failure.problem == "no key")
    given.store = .gpg
    guard case .fail(let missing) = WizardPlayer(given).step.action else {
      Issue.record("gpg is not there")
      return
    }
    #expect(missing.problem == "gpg is not installed." && missing.exitStatus == .usage)
  }

  @Test func `why a better source was not heard is told with what a lesser one found`() {
    let note = "https://autoconfig.example.org shows a certificate that is not its own."
    for (origin, isTold) in [(Origin.autoconfig, false), (.srv, true), (.guess, true)] {
      var found = findings(origin)
      found.notes = [note]
      var player = WizardPlayer()
      player.answer("alice@example.org", .address)
      player.found(found)
      #expect(player.said.contains(note) == isTold)
    }
  }

  @Test func `a missing outgoing server is told`() {
    var found = findings()
    found.smtp = nil
    found.notes = ["example.org describes an outgoing server, but without encryption."]
    var player = WizardPlayer()
    player.answer("alice@example.org", .address)
    player.found(found)
    #expect(player.said.contains { $0.contains("without encryption") })
    #expect(player.said.contains { $0.contains("only receives") })
    var given = SetupGiven()
    given.noSMTP = true
    player = WizardPlayer(given)
    player.answer("alice@example.org", .address)
    player.found(found)
    #expect(!player.said.contains { $0.contains("only receives") })
  }

  @Test(arguments: [Origin.srv, .mx])
  func `a host that only DNS vouches for needs a yes, and is never taken without a person`(
    origin: Origin
  ) {
    var player = WizardPlayer()
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
}
