import Foundation
import MailTestKit
import Testing

/// The set-up of an account that signs in by OAuth2: Dovecot takes the tokens of the test's own server alone.
@Suite(.onBlockingThreads, .triedAgain, .enabled(if: Machine.hasDovecot)) struct InitOAuthTests {
  private final class Lab {
    let directory: TemporaryDirectory
    let tokens: TokenServer
    let dovecot: DovecotServer
    let user = DovecotServer.newUser("token")

    /// - Parameter mechanisms: that Dovecot offers.
    init(_ mechanisms: String = "plain xoauth2 oauthbearer") throws {
      directory = try TemporaryDirectory("init-oauth")
      var behaviour = TokenServer.Behaviour()
      behaviour.user = user
      tokens = try TokenServer(behaviour)
      var options = try DovecotServer.Options.tokens(of: tokens, in: directory.path)
      options.mechanisms = mechanisms
      dovecot = try DovecotServer(options)
      var generator = MailGenerator(seed: 3, profile: .list, count: 12)
      try dovecot.client(user).append(generator.messages(12), to: "INBOX")
      try writeFile(directory.path + "/client", "client-secret-0123456789\n", mode: 0o600)
    }

    var home: String { directory.path + "/home" }
    var configuration: String { home + "/.config/mirror/config.toml" }
    var tokenFile: String { home + "/.local/state/mirror/oauth/personal" }

    /// A browser that agrees to everything.
    func environment() throws -> [String: String] {
      try makeDirectory(home)
      let browser = directory.path + "/browser"
      try writeFile(
        browser,
        """
        #!/bin/sh
        exec python3 -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1]).read()' "$1"

        """, mode: 0o755)
      return [
        "HOME": home, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC",
        "BROWSER": browser, "SWIFT_BACKTRACE": "enable=no",
      ]
    }

    /// - Parameter more: may say again what stands here; the last one counts.
    func command(_ more: [String]) throws -> [String] {
      [
        try #require(MirrorProgram.binary), "init", "token@example.org", "--ispdb", "none",
        "--name", "T", "--imap-host", "localhost", "--imap-port", "\(dovecot.tlsPort)",
        "--imap-tls", "implicit", "--smtp-host", "none", "--user", user, "--ca-file",
        dovecot.authority, "--oauth", "custom", "--client-id", "mirror-test",
        "--client-secret-file", directory.path + "/client", "--token-url", tokens.url("/token"),
        "--authorization-url", tokens.url("/authorize"), "--device-url", tokens.url("/device"),
        "--scope", "mail",
      ] + more
    }

    func run(_ more: String...) throws -> Outcome {
      try MailTestKit.run(command(["--yes"] + more), environment: environment())
    }

    func pull() throws -> Outcome {
      try MailTestKit.run(
        [try #require(MirrorProgram.binary), "pull", "--no-index"], environment: environment())
    }

    func expectDiscreet(_ said: String, location: SourceLocation = #_sourceLocation) {
      for secret in tokens.secrets + ["client-secret-0123456789", "code-"] {
        #expect(!said.contains(secret), sourceLocation: location)
      }
    }
  }

  private func mode(_ path: String) -> Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.posixPermissions] as? NSNumber)?.intValue
  }

  @Test(.enabled(if: TerminalScreen.isPossible))
  func `from an address to mail, with a log-in in the browser on the way`() throws {
    let lab = try Lab()
    let screen = try TerminalScreen(lab.command([]), environment: lab.environment())
    try screen.answer("Which? [1]", "")
    try screen.expect("Which shall be mirrored?")
    let listed = try screen.text
    #expect(listed.contains("Your browser opens to sign in as \(lab.user)."))
    #expect(listed.contains("Logged in at localhost."))
    #expect(try screen.lines.contains { $0.contains(#/ INBOX +12 /#) })
    #expect(!exists(lab.tokenFile) && !exists(lab.configuration), "nothing is kept yet")
    try screen.type("")
    try screen.answer("How far back?", "")
    try screen.answer("A short name for this account [personal]:", "")
    try screen.answer("Where shall the mail lie? [~/Mail]", "")
    try screen.answer("Pull the mail now? [Y/n]", "")
    #expect(try screen.status() == 0)
    let text = try screen.text
    #expect(text.contains("personal: 12 new"), "\(text)")
    #expect(!text.contains("Next, log in"))
    lab.expectDiscreet(text)
    #expect(try MaildirTree(lab.home + "/Mail/personal").messages.count == 12)
    #expect(mode(lab.tokenFile) == 0o600)
    // Signed in once, and what was kept is good for the next run, too.
    #expect(try lab.pull().status == 0)
    #expect(lab.tokens.requests("/authorize").count == 1)
  }

  @Test func `a script signs in by a code, and all is checked`() throws {
    let lab = try Lab()
    lab.tokens.behaviour.deviceErrors = ["authorization_pending"]
    let outcome = try lab.run("--sign-in", "device", "--format", "json")
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(outcome.errorText.contains("enter the code  WDJB-MJHT"))
    lab.expectDiscreet(outcome.outputText + outcome.errorText)
    let document = try InitDocument(outcome)
    #expect(document.checked == ["imap"] && document.written)
    let text = String(decoding: try readFile(lab.configuration), as: UTF8.self)
    #expect(text.contains("provider = \"custom\"") && text.contains("scopes = [\"mail\"]"))
    for token in lab.tokens.secrets { #expect(!text.contains(token)) }
    #expect(mode(lab.tokenFile) == 0o600)
    let pull = try lab.pull()
    #expect(pull.status == 0, "\(pull.summary)")
    #expect(try MaildirTree(lab.home + "/Mail/personal").messages.count == 12)
  }

  @Test func `the outgoing server gets the token, too`() throws {
    let lab = try Lab()
    let smtp = try ScriptedServer { Submission($0).run() }
    let outgoing = ["--smtp-host", "127.0.0.1:\(smtp.port)", "--smtp-tls", "none"]
    let outcome = try MailTestKit.run(
      lab.command(["--yes", "--sign-in", "device", "--format", "json"] + outgoing),
      environment: lab.environment())
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(try InitDocument(outcome).checked == ["imap", "smtp"])
    let token = try #require(lab.tokens.secrets.first { $0.hasPrefix("access-") })
    let said = "user=\(lab.user)\u{1}auth=Bearer \(token)\u{1}\u{1}"
    #expect(smtp.received.contains("AUTH XOAUTH2 " + Data(said.utf8).base64EncodedString()))
    // What refuses the token is told, and nothing is written.
    try FileManager.default.removeItem(atPath: lab.home)
    let refusing = try ScriptedServer { Submission($0, takes: false).run() }
    let refused = try MailTestKit.run(
      lab.command(
        ["--yes", "--sign-in", "device", "--smtp-host", "127.0.0.1:\(refusing.port)"]
          + ["--smtp-tls", "none"]), environment: lab.environment())
    #expect(refused.status == 77, "\(refused.summary)")
    #expect(!exists(lab.configuration) && !exists(lab.tokenFile))
  }

  @Test func `a server that knows OAUTHBEARER alone is written as such`() throws {
    let lab = try Lab("plain oauthbearer")
    let outcome = try lab.run("--sign-in", "device", "--format", "json")
    #expect(outcome.status == 0, "\(outcome.summary)")
    let text = String(decoding: try readFile(lab.configuration), as: UTF8.self)
    #expect(text.contains("auth = \"oauthbearer\""))
    let pull = try lab.pull()
    #expect(pull.status == 0, "\(pull.summary)")
  }

  @Test(.enabled(if: TerminalScreen.isPossible))
  func `a token that was refused is not kept by who then leaves the log-in for later`() throws {
    let lab = try Lab()
    let grant = #"{"access_token":"access-0123456789","token_type":"Bearer","expires_in":3600}"#
    lab.tokens.behaviour.answer = .init(200, body: grant)
    let screen = try TerminalScreen(lab.command(["--no-pull"]), environment: lab.environment())
    try screen.answer("Which? [1]", "browser")
    try screen.answer("Which? [1]", "later")
    try screen.answer("How far back?", "")
    try screen.answer("A short name for this account [personal]:", "")
    try screen.answer("Where shall the mail lie? [~/Mail]", "")
    #expect(try screen.status() == 0)
    let text = try screen.text
    #expect(text.contains("refused the log-in of \(lab.user)"), "\(text)")
    #expect(text.contains("Next, log in: mirror auth login personal"), "\(text)")
    #expect(!exists(lab.tokenFile) && exists(lab.configuration))
  }

  @Test func `tokens that cannot be kept are told, and the account stands`() throws {
    let lab = try Lab()
    let environment = try lab.environment()
    try makeDirectory(lab.home + "/.local")
    try writeFile(lab.home + "/.local/state", "in the way")
    let outcome = try MailTestKit.run(
      lab.command(["--yes", "--sign-in", "device", "--format", "json", "--pull"]),
      environment: environment)
    #expect(outcome.status == 1, "\(outcome.summary)")
    let document = try InitDocument(outcome)
    #expect(document.written && exists(lab.configuration))
    #expect(document.notes.contains { $0.contains("tokens cannot be kept there") })
    #expect(outcome.errorText.contains("tokens cannot be kept there"))
  }

  @Test func `a token that the mail server refuses is told, and nothing is written`() throws {
    let lab = try Lab()
    let grant = #"{"access_token":"access-0123456789","token_type":"Bearer","expires_in":3600}"#
    lab.tokens.behaviour.answer = .init(200, body: grant)
    let outcome = try lab.run("--sign-in", "device")
    #expect(outcome.status == 77, "\(outcome.summary)")
    #expect(outcome.errorText.contains("refused the log-in of \(lab.user)"))
    #expect(!outcome.errorText.contains("access-0123456789"))
    #expect(!exists(lab.configuration) && !exists(lab.tokenFile))
  }

  @Test func `a log-in that is left for later is told, and so is a person who says no`() throws {
    let lab = try Lab()
    let later = try lab.run("--dry-run")
    #expect(later.status == 0, "\(later.summary)")
    #expect(lab.tokens.requests.isEmpty && !later.outputText.contains("client-secret-0123456789"))
    lab.tokens.behaviour.deviceErrors = ["access_denied"]
    let denied = try lab.run("--sign-in", "device")
    #expect(denied.status == 77, "\(denied.summary)")
    #expect(!exists(lab.configuration))
    let written = try lab.run()
    #expect(written.status == 0, "\(written.summary)")
    #expect(written.outputText.contains("mirror auth login personal"), "\(written.summary)")
    #expect(!exists(lab.tokenFile))
  }

  @Test func `an account that is replaced keeps its own commands for the refresh token`() throws {
    let lab = try Lab()
    let first = try lab.run("--sign-in", "device")
    #expect(first.status == 0, "\(first.summary)")
    let kept = lab.directory.path + "/kept"
    let commands =
      "client-id = \"mirror-test\"\nstore-command = \"cat >\(kept)\"\nload-command = \"cat \(kept)\"\n"
    let text = String(decoding: try readFile(lab.configuration), as: UTF8.self)
      .replacing("client-id = \"mirror-test\"\n", with: commands)
    try writeFile(lab.configuration, text, mode: 0o600)
    let again = try lab.run("--replace", "--account", "personal", "--sign-in", "device")
    #expect(again.status == 0, "\(again.summary)")
    let configuration = try readFile(lab.configuration)
    #expect(String(decoding: configuration, as: UTF8.self).contains("store-command"))
    let token = try String(decoding: readFile(kept), as: UTF8.self).split(separator: "\n").first
    #expect(token?.hasPrefix("refresh-") == true)
    #expect(!String(decoding: try readFile(lab.tokenFile), as: UTF8.self).contains("refresh-"))
    lab.expectDiscreet(again.outputText + again.errorText)
    #expect(try lab.pull().status == 0)
  }

  @Test func `an address that is not encrypted is refused before anything is sent`() throws {
    let lab = try Lab()
    let outcome = try MailTestKit.run(
      lab.command(["--yes", "--token-url", "http://tokens.example.org/"]),
      environment: lab.environment())
    #expect(outcome.status == 64, "\(outcome.summary)")
    #expect(outcome.errorText.contains("is no encrypted address"))
    let cases: [[String]] = [
      ["--sign-in", "device", "--no-check"], ["--sign-in", "browser", "--offline"],
      ["--scope", "two scopes"], ["--token-url", "https://example.org/#part"],
    ]
    for more in cases {
      let outcome = try MailTestKit.run(
        lab.command(["--yes"] + more), environment: lab.environment())
      #expect(outcome.status == 64, "\(more): \(outcome.summary)")
    }
    #expect(lab.tokens.requests.isEmpty && !exists(lab.configuration))
  }
}

/// A submission server that wants a token.
private struct Submission {
  let session: ScriptedServer.Session
  let takes: Bool

  init(_ session: ScriptedServer.Session, takes: Bool = true) {
    (self.session, self.takes) = (session, takes)
  }

  func run() {
    session.send("220 test ESMTP")
    while let line = session.receive().map({ String(decoding: $0, as: UTF8.self) }) {
      switch line.prefix(4).uppercased() {
      case "EHLO": session.send("250-test\r\n250 AUTH XOAUTH2 OAUTHBEARER")
      case "AUTH": session.send(takes ? "235 2.7.0 fine" : "535 5.7.8 not you")
      case "QUIT": return session.send("221 bye")
      default: session.send("250 2.1.0 fine")
      }
    }
  }
}
