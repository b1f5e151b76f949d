import MailCore
import Settings
import Testing

@testable import Setup

/// What the account that is replaced changes about the questions and the log-in.
@Suite struct WizardReplacementTests {
  private func oauth(_ clientID: String = "me") -> OAuthSettings {
    var settings = OAuthSettings(provider: .custom, clientID: clientID)
    settings.tokenURL = "https://id.example.org/token"
    settings.deviceURL = "https://id.example.org/device"
    settings.scopes = ["mail"]
    return settings
  }

  private func before() -> AccountSettings {
    let imap = ServerSettings(host: "imap.example.org", port: 993, user: "a", secret: .none)
    var account = AccountSettings(name: "work", imap: imap)
    account.oauth = oauth()
    account.oauth?.redirectURL = "http://127.0.0.1:8123"
    account.oauth?.revocationURL = "https://id.example.org/revoke"
    account.oauth?.storeCommand = ["keep"]
    account.oauth?.loadCommand = ["show"]
    account.sync.folders = FolderPatterns(["*", "!Junk"])
    account.sync.window = .bytes(5_000_000_000)
    return account
  }

  private func player(_ change: (inout SetupGiven) -> Void = { _ in }) -> WizardPlayer {
    var given = SetupGiven()
    (given.address, given.realName, given.noSMTP) = ("a@example.org", "A", true)
    (given.imap, given.user, given.account) = (ServerAnswer("imap.example.org"), "a", "Work")
    (given.credential, given.clientSecret) = (.oauth(oauth()), Secret("s"))
    (given.signIn, given.replaces) = (.device, true)
    change(&given)
    return WizardPlayer(given, accounts: ["inline"], replaceable: [before()], root: "/m")
  }

  @Test func `a log-in of the same program uses the redirect and the commands that stand there`() {
    var expected = before().oauth
    expected?.clientSecret = Secret("s")
    var player = player()
    guard case .signIn(.device, let settings, _) = player.step.action else {
      Issue.record("\(player.step.action)")
      return
    }
    #expect(settings == expected)
    player.go(player.wizard.signedIn(.granted(Secret("token"))))
    player.checked(CheckResult(imap: .fine))
    player.answer("", .window)
    guard case .write(let draft, _) = player.step.action else {
      Issue.record("no write: \(player.step.action)")
      return
    }
    #expect(draft.credential == expected.map { .oauth($0) })
    player.go(player.wizard.written(backup: nil))
    #expect(!player.said.contains { $0.contains("store-command") })
  }

  @Test func `another program gets none of that, and it is told`() {
    var expected = oauth("other")
    expected.clientSecret = Secret("s")
    var player = player {
      ($0.credential, $0.window) = (.oauth(oauth("other")), "all")
    }
    #expect(player.step.action == .signIn(.device, expected, user: "a"))
    player.go(player.wizard.signedIn(.granted(Secret("token"))))
    player.checked(CheckResult(imap: .fine))
    player.go(player.wizard.written(backup: nil))
    #expect(player.said.contains { $0.contains("store-command") })
  }

  @Test func `which account it is, is asked for first`() {
    var player = player { $0.account = nil }
    #expect(player.topic == .account)
    player.answer("work", .account)
    guard case .signIn(_, let settings, _) = player.step.action else {
      Issue.record("\(player.step.action)")
      return
    }
    #expect(settings.storeCommand == ["keep"])
  }

  @Test func `folders and window stay for an empty answer`() {
    for (folders, window) in [("", ""), ("all", "90d")] {
      var player = player()
      player.go(player.wizard.signedIn(.granted(Secret("token"))))
      player.checked(CheckResult(imap: .fine, folders: [FolderInfo(name: "INBOX", messages: 1)]))
      #expect(player.said.contains { $0.contains("*, !Junk") })
      player.answer(folders, .folders)
      player.answer(window, .window)
      guard case .write(let draft, _) = player.step.action else {
        Issue.record("no write: \(player.step.action)")
        return
      }
      #expect(draft.folders == (folders.isEmpty ? ["*", "!Junk"] : nil))
      #expect(draft.window == (window.isEmpty ? "5GB" : "90d"))
    }
  }

  @Test func `an account that cannot be replaced ends it before anything is asked`() {
    let error = WritingError.cannotReplace("inline", path: "/c.toml")
    #expect(self.player { $0.account = "inline" }.step.action == .fail(error.explanation))
    var player = self.player { $0.account = nil }
    player.answer("Inline", .account)
    #expect(player.topic == .account)
    #expect(player.said.contains { $0.contains("not written in tables of its own") })
  }
}
