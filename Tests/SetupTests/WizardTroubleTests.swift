import MailCore
import Settings
import Testing

@testable import Setup

/// What a person can do where something does not work.
@Suite struct WizardTroubleTests: WizardScenes {
  @Test func `a wrong password is asked for three times, then it ends with 77`() {
    var player = WizardPlayer()
    player.answer("alice@example.org", .address)
    player.found(findings())
    player.answer("y", .useFound)
    player.answer("", .realName)
    for number in 1...3 {
      // Twice is enough to doubt the name.
      if number == 3 {
        // A password that is typed here all the same is not taken for a name.
        player.answer("wrong3", .refusedTwice)
        player.answer("2", .refusedTwice)
        player.answer("alice", .user)
      }
      player.answer("", .password)  // nothing typed is no attempt
      player.answer("wrong\(number)", .password)
      guard case .check(let imap, let smtp, _) = player.step.action else {
        Issue.record("no check: \(player.step.action)")
        return
      }
      #expect(imap.user == (number == 3 ? "alice" : "alice@example.org"))
      #expect(smtp?.user == imap.user)
      player.checked(CheckResult(imap: .refused("Authentication failed.")))
    }
    guard case .fail(let explanation) = player.step.action else {
      Issue.record("goes on: \(player.step.action)")
      return
    }
    #expect(explanation.exitStatus == .refused)
    #expect(explanation.problem.contains("Authentication failed."))
    #expect(explanation.remedy?.contains("--user") == true)
    #expect(player.asked.count { $0 == .password } == 6)
  }

  @Test func `after two refused passwords a person chooses between password and name`() {
    var player = WizardPlayer()
    player.answer("alice@example.org", .address)
    player.found(findings())
    player.answer("y", .useFound)
    player.answer("", .realName)
    for _ in 1...2 {
      player.answer("wrong", .password)
      player.checked(CheckResult(imap: .refused("no")))
    }
    guard case .ask(let question) = player.step.action else {
      Issue.record("asks nothing: \(player.step.action)")
      return
    }
    #expect(question.forgetsTyped && question.scripted == nil)
    player.answer("", .refusedTwice)
    player.answer("right", .password)
    guard case .check(let imap, _, .password(Secret("right"))) = player.step.action else {
      Issue.record("no check: \(player.step.action)")
      return
    }
    #expect(imap.user == "alice@example.org")
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

  @Test func `servers that cannot be reached are tried again, typed anew, or it ends with them`() {
    var player = WizardPlayer()
    player.answer("alice@example.org", .address)
    player.found(findings())
    player.answer("y", .useFound)
    player.answer("", .realName)
    player.answer("pw", .password)
    let down = Explanation(problem: "refuses connections.", exitStatus: .unreachable)
    player.checked(CheckResult(imap: .failed(down)))
    player.answer("4", .imapTrouble)
    player.answer("", .imapTrouble)
    guard case .check(let again, _, .password(Secret("pw"))) = player.step.action else {
      Issue.record("no second check: \(player.step.action)")
      return
    }
    #expect(again.host == "imap.example.org")
    player.checked(CheckResult(imap: .failed(down)))
    player.answer("2", .imapTrouble)
    player.answer("other.example.org", .imapHost)
    player.answer("alice", .user)
    player.answer("none", .smtpHost)
    guard case .check(let imap, nil, _) = player.step.action else {
      Issue.record("no check: \(player.step.action)")
      return
    }
    #expect(imap.user == "alice")
    player.checked(CheckResult(imap: .failed(down)))
    player.answer("3", .imapTrouble)
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
      #expect((player.wizard.servers.smtp == nil) == isLeft)
    }
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

  @Test func `a client id for servers that are not known is not left aside in silence`() {
    var given = SetupGiven()
    (given.address, given.realName, given.clientID) = ("alice@example.org", "A", "my-id")
    var player = WizardPlayer(given)
    player.found(findings())
    player.answer("y", .useFound)
    guard case .fail(let explanation) = player.step.action else {
      Issue.record("goes on: \(player.step.action)")
      return
    }
    #expect(explanation.exitStatus == .usage)
    #expect(explanation.problem.contains("--client-id"))
    #expect(explanation.remedy?.contains("--oauth") == true)
  }
}
