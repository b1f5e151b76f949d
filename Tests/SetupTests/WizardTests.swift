import MailCore
import Settings
import Testing

@testable import Setup

@Suite struct WizardTests: WizardScenes {
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

  @Test(arguments: [("/m/", "/m"), ("~/Mail//", "~/Mail"), ("/", "/"), ("/m", "/m"), ("~", "~")])
  func `a root is the same with a slash behind it`(typed: String, root: String) {
    var given = SetupGiven()
    given.root = typed
    #expect(given.root == root)
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
