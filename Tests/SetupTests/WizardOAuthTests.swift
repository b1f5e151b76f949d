import MailCore
import Settings
import Testing

@testable import Setup

@Suite struct WizardOAuthTests {
  @Test func `OAuth2 writes its table and tells how to log in`() {
    var player = WizardPlayer()
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
    player.answer("3", .signIn)
    player.answer("2", .signIn)
    player.answer("", .window)
    player.answer("gmail", .account)
    player.answer("", .root)
    guard case .write(let draft, _) = player.step.action else {
      Issue.record("no write: \(player.step.action)")
      return
    }
    #expect(
      draft.credential
        == .oauth(
          OAuthSettings(provider: .google, clientID: "my-id", clientSecret: Secret("s3"))))
    player.go(player.wizard.written(backup: nil))
    #expect(player.said.contains { $0.contains("mirror auth login gmail") })
    #expect(player.step.action == .finish)
    #expect(!player.asked.contains(.password))
  }

  private func settings() -> OAuthSettings {
    var settings = OAuthSettings(provider: .custom, clientID: "me")
    settings.tokenURL = "https://id.example.org/token"
    settings.deviceURL = "https://id.example.org/device"
    settings.scopes = ["mail"]
    return settings
  }

  private func player(
    hasBrowser: Bool = true, _ change: (inout SetupGiven) -> Void = { _ in }
  ) -> WizardPlayer {
    var given = SetupGiven()
    (given.address, given.realName, given.noSMTP) = ("a@example.org", "A", true)
    (given.imap, given.clientSecret) = (ServerAnswer("imap.example.org"), Secret("s"))
    given.user = "a@example.org"
    given.credential = .oauth(settings())
    change(&given)
    return WizardPlayer(given, hasBrowser: hasBrowser)
  }

  private var expected: OAuthSettings {
    var expected = settings()
    expected.clientSecret = Secret("s")
    return expected
  }

  @Test func `who has signed in is checked, chooses folders, and pulls`() throws {
    var player = player()
    // No browser: the given addresses have none.
    player.answer("browser", .signIn)
    player.answer("1", .signIn)
    #expect(player.step.action == .signIn(.device, expected, user: "a@example.org"))
    player.go(player.wizard.signedIn(.granted(Secret("token"))))
    guard case .check(let imap, nil, .accessToken(Secret("token"))) = player.step.action else {
      Issue.record("no check: \(player.step.action)")
      return
    }
    #expect(imap.host == "imap.example.org")
    player.checked(CheckResult(imap: .fine, folders: [FolderInfo(name: "INBOX", messages: 1)]))
    player.answer("all", .folders)
    player.answer("", .window)
    player.answer("", .account)
    player.answer("", .root)
    guard case .write(let draft, _) = player.step.action else {
      Issue.record("no write: \(player.step.action)")
      return
    }
    #expect(draft.credential == .oauth(expected))
    player.go(player.wizard.written(backup: nil))
    player.answer("y", .pull)
    #expect(player.step.action == .pull(account: "personal"))
    #expect(!player.said.contains { $0.contains("auth login") && $0.contains("Next") })
  }

  @Test func `tokens that could not be kept leave the log-in for later`() {
    var player = player { ($0.window, $0.account, $0.root) = ("all", "x", "/m") }
    player.answer("1", .signIn)
    player.go(player.wizard.signedIn(.granted(Secret("token"))))
    player.checked(CheckResult(imap: .fine))
    player.go(player.wizard.written(backup: nil, keepsLogIn: false))
    #expect(player.said.contains { $0.contains("mirror auth login x") })
    #expect(player.step.action == .finish)
  }

  @Test func `a log-in that fails is asked for again, and can be left for later`() {
    let words = Explanation(problem: "No answer came.", exitStatus: .refused)
    var player = player { $0.signIn = .device }
    #expect(player.step.action == .signIn(.device, expected, user: "a@example.org"))
    player.go(player.wizard.signedIn(.failed(words)))
    guard case .ask(let question) = player.step.action else {
      Issue.record("\(player.step.action)")
      return
    }
    // Where nobody can be asked, that is the end.
    #expect(question.scripted == nil && question.failure == words)
    #expect(player.said.contains("No answer came."))
    player.answer("2", .signIn)
    player.answer("", .window)
  }

  @Test func `servers that are typed anew get no token of others, and may want a password`() throws
  {
    var player = WizardPlayer()
    player.answer("alice@gmail.com", .address)
    player.found(
      Findings([
        KnownProviders.provider(domain: "gmail.com")!.service(
          for: try EmailAddress("alice@gmail.com"), origin: .table)
      ]))
    player.answer("y", .useFound)
    player.answer("", .realName)
    player.answer("2", .logIn)
    player.answer("my-id", .clientID)
    player.answer("", .clientSecret)
    player.answer("1", .signIn)
    player.go(player.wizard.signedIn(.granted(Secret("token"))))
    let down = Explanation(problem: "It is down.", exitStatus: .unreachable)
    player.checked(CheckResult(imap: .failed(down)))
    player.answer("2", .imapTrouble)
    player.answer("imap.example.org", .imapHost)
    player.answer("alice", .user)
    player.answer("none", .smtpHost)
    #expect(player.topic == .password)

    player = self.player { $0.signIn = .device }
    player.go(player.wizard.signedIn(.granted(Secret("token"))))
    player.checked(CheckResult(imap: .failed(down)))
    player.answer("2", .imapTrouble)
    player.answer("imap2.example.org", .imapHost)
    #expect(player.step.action == .signIn(.device, expected, user: "a@example.org"))
  }

  @Test func `the code comes first where no browser can be opened`() {
    for (hasBrowser, expected) in [(true, SignIn.browser), (false, .device)] {
      var settings = settings()
      settings.authorizationURL = "https://id.example.org/authorize"
      var player = player(hasBrowser: hasBrowser) { $0.credential = .oauth(settings) }
      player.answer("", .signIn)
      guard case .signIn(let way, _, _) = player.step.action else {
        Issue.record("\(player.step.action)")
        return
      }
      #expect(way == expected)
    }
  }

  @Test func `Yahoo's mechanism is written where no server has shown it yet`() throws {
    for (provider, auth) in [
      (OAuthSettings.Provider.yahoo, AuthenticationChoice.oauthbearer), (.google, .xoauth2),
    ] {
      var player = player {
        $0.credential = .oauth(OAuthSettings(provider: provider, clientID: "me"))
        ($0.signIn, $0.window, $0.account, $0.root) = (.later, "all", "x", "/m")
      }
      guard case .write(let draft, _) = player.step.action else {
        Issue.record("no write: \(player.step.action)")
        return
      }
      #expect(draft.auth == auth)
      #expect(AccountTables(draft).text.contains("auth = \"\(auth.rawValue)\""))
      player.go(player.wizard.written(backup: nil))
    }
  }

  @Test func `a way that the provider does not have is no way`() {
    guard case .fail(let words) = player({ $0.signIn = .browser }).step.action else {
      Issue.record("there is no browser's address")
      return
    }
    #expect(words.exitStatus == .usage && words.problem.contains("--sign-in browser"))
  }

  @Test func `a token that the server refuses three times ends it`() {
    var player = player()
    for _ in 1...3 {
      player.answer("1", .signIn)
      player.go(player.wizard.signedIn(.granted(Secret("token"))))
      player.checked(CheckResult(imap: .refused("not you")))
    }
    guard case .fail(let explanation) = player.step.action else {
      Issue.record("\(player.step.action)")
      return
    }
    #expect(explanation.exitStatus == .refused && explanation.problem.contains("not you"))
  }

  @Test func `where nobody can be asked the log-in waits, and unchecked it is not asked for`() {
    let player = player()
    guard case .ask(let question) = player.step.action else {
      Issue.record("\(player.step.action)")
      return
    }
    #expect(question.scripted == "later")
    #expect(self.player { $0.checks = false }.topic == .window)
  }
}
