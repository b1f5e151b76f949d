import Foundation
import MailTestKit
import Testing

/// OAuth2 against Dovecot and an authorisation server of our own, with the program as people run it.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct OAuthTests {
  @Test(arguments: ["xoauth2", "oauthbearer"])
  func `a browser signs in, and mail is pulled over TLS`(mechanism: String) throws {
    let scenario = try TokenScenario(mechanism, .overTLS)
    try scenario.fill(30)
    let signedIn = try scenario.signIn()
    #expect(signedIn.outputText.contains("personal: signed in, access token good for"))
    scenario.expectDiscreet(signedIn)
    let pull = try scenario.pull("-vv")
    #expect(pull.ending == .exited(0), "\(pull.summary)")
    scenario.expectDiscreet(pull)
    try scenario.expectMirrored()
    #expect(scenario.tokens.refreshes().isEmpty)
    let request = try #require(scenario.tokens.requests("/token").first)
    #expect(request.headers["authorization"]?.hasPrefix("Basic ") == true)
  }

  @Test func `the browser that BROWSER names is opened`() throws {
    let scenario = try TokenScenario()
    let browser = scenario.mirror.home + "/browser"
    let log = scenario.mirror.home + "/browser.log"
    try writeFile(
      browser,
      """
      #!/bin/sh
      exec python3 -c 'import sys, urllib.request
      open(sys.argv[2], "w").write(urllib.request.urlopen(sys.argv[1]).read().decode())' "$1" '\(log)'

      """, mode: 0o755)
    let outcome = try scenario.mirror.run(
      ["auth", "login", "personal"], limit: 60, more: ["BROWSER": browser])
    #expect(outcome.ending == .exited(0), "\(outcome.summary)")
    #expect(outcome.errorText.contains("Your browser opens"))
    #expect(try scenario.authState().first?["state"] as? String == "signed-in")
  }

  @Test func `a code signs in where there is no browser`() throws {
    let scenario = try TokenScenario()
    scenario.tokens.behaviour.deviceErrors = ["authorization_pending"]
    let outcome = try scenario.mirror.run(
      ["auth", "login", "personal", "--device", "--format", "json"], limit: 60)
    #expect(outcome.ending == .exited(0), "\(outcome.summary)")
    #expect(outcome.errorText.contains("enter the code  WDJB-MJHT"))
    #expect(outcome.errorText.contains(scenario.tokens.url("/activate")))
    scenario.expectDiscreet(outcome)
    let json = try JSONSerialization.jsonObject(with: Data(outcome.output)) as? [String: Any]
    #expect(json?["state"] as? String == "signed-in")
    #expect(try scenario.pull().ending == .exited(0))
  }

  @Test(arguments: ["\n", ""])
  func `a code that the browser shows is copied by hand`(lineEnd: String) throws {
    let scenario = try TokenScenario(oauth: "redirect-url = \"oob\"")
    let input = scenario.mirror.home + "/input"
    let feeding = try Child(
      ["sh", "-c", "mkfifo \"$0\"; exec \"$@\" < \"$0\"", input]
        + scenario.mirror.command(["auth", "login", "personal", "--no-browser"]),
      environment: scenario.mirror.environment)
    while !exists(input) { pause(0.01) }
    let writing = try FileHandle(forWritingTo: URL(fileURLWithPath: input))
    let answer = try TokenServer.browse(scenario.address(shownBy: feeding), follows: false)
    let location = try #require(answer.headers.first { $0.hasPrefix("Location: ") })
    let code = try #require(
      URLComponents(string: String(location.dropFirst(10)))?.queryItems?.first?.value)
    try writing.write(contentsOf: Data((code + lineEnd).utf8))
    if lineEnd.isEmpty { try writing.close() }
    let outcome = try feeding.wait(limit: 60)
    if !lineEnd.isEmpty { try writing.close() }
    #expect(outcome.ending == .exited(0), "\(outcome.summary)")
    #expect(try scenario.authState().first?["state"] as? String == "signed-in")
  }

  @Test func `a log-in that cannot be renewed is told as such`() throws {
    let scenario = try TokenScenario()
    let grant = #"{"access_token":"access-0123456789","token_type":"Bearer","expires_in":3600}"#
    scenario.tokens.behaviour.answer = .init(200, body: grant)
    let outcome = try scenario.signIn()
    #expect(outcome.errorText.contains("nothing to renew this log-in with"), "\(outcome.summary)")
  }

  @Test func `a browser that never comes back ends in one line`() throws {
    let scenario = try TokenScenario()
    let outcome = try scenario.mirror.run(
      ["auth", "login", "personal", "--no-browser", "--wait", "1"], limit: 60)
    #expect(outcome.ending == .exited(77), "\(outcome.summary)")
    #expect(outcome.errorText.contains("No answer came from the browser within 1 s."))
    #expect(scenario.tokens.requests("/token").isEmpty)
  }

  @Test func `a log-in is stopped by the keyboard`() throws {
    let scenario = try TokenScenario()
    let child = try scenario.mirror.start("auth", "login", "personal", "--no-browser")
    _ = try scenario.address(shownBy: child)
    child.signal(SIGINT)
    let outcome = try child.wait(limit: 30)
    #expect(outcome.ending == .exited(130), "\(outcome.summary)")
  }

  @Test func `the state of every log-in is told, and signing out ends it`() throws {
    let scenario = try TokenScenario()
    var state = try #require(try scenario.authState().first)
    #expect(Set(state.keys) == ["account", "user", "provider", "state", "expires"])
    #expect(state["account"] as? String == "personal")
    #expect(state["state"] as? String == "never")
    #expect(state["expires"] is NSNull)
    try scenario.signIn()
    state = try #require(try scenario.authState("personal").first)
    #expect(state["state"] as? String == "signed-in")
    #expect((state["expires"] as? String)?.hasSuffix("Z") == true)
    let rehearsed = try scenario.mirror.run(["auth", "logout", "--dry-run", "personal"])
    #expect(rehearsed.ending == .exited(0), "\(rehearsed.summary)")
    #expect(rehearsed.outputText.hasPrefix("personal: would be signed out here"))
    #expect(scenario.tokens.requests("/revoke").isEmpty)
    #expect(try scenario.authState("personal").first?["state"] as? String == "signed-in")
    let out = try scenario.mirror.run(["auth", "logout", "personal"])
    #expect(out.ending == .exited(0), "\(out.summary)")
    #expect(out.outputText == "personal: signed out, here and at the provider\n")
    #expect(scenario.tokens.requests("/revoke").count == 1)
    let pull = try scenario.pull()
    #expect(pull.ending == .exited(77), "\(pull.summary)")
    #expect(pull.errorText.contains("Nobody has signed in to “personal” yet."))
    #expect(pull.errorText.contains("mirror auth login personal"))
  }

  @Test func `who asks for the wrong account is told`() throws {
    let scenario = try TokenScenario()
    let unknown = try scenario.mirror.run(["auth", "login", "persnal"])
    #expect(unknown.ending == .exited(64), "\(unknown.summary)")
    #expect(unknown.errorText.contains("Did you mean “personal”?"))
    let other = try scenario.mirror.run(["auth", "login", "other"])
    #expect(other.ending == .exited(78), "\(other.summary)")
    #expect(other.errorText.contains("[accounts.other.oauth]"))
  }

  // MARK: Tokens that run out

  @Test(arguments: [1, 4])
  func `a token that runs out in mid-pull is renewed, and the pull goes on`(connections: Int) throws
  {
    let scenario = try TokenScenario(connections: connections)
    try scenario.fill(300)
    if connections > 1 {
      for name in ["a", "b", "c"] {
        try scenario.client.create(name)
        var generator = MailGenerator(seed: 9, profile: .list, count: 60)
        try scenario.client.append(generator.messages(60), to: name)
      }
    }
    try scenario.signIn()
    // Each token opens as many connections as the pull begins with, and none after the cut.
    scenario.tokens.behaviour.uses = connections
    var cut = TCPProxy.Conditions()
    cut.cutDown = 60_000
    cut.cuts = connections
    scenario.proxy.conditions = cut
    let pull = try scenario.mirror.run(
      ["pull", "--no-index", "-v", "personal"],
      more: ["MIRROR_RETRY_SECONDS": "0.05,0.1,0.2,0.2,0.2"])
    #expect(pull.ending == .exited(0), "\(pull.summary)")
    let cutCount = scenario.proxy.records.count { $0.wasCut }
    #expect(cutCount > 0)
    #expect(scenario.tokens.refreshes().count >= 1)
    // At most one for each time that all uses of a token were spent.
    #expect(scenario.tokens.refreshes().count <= 3)
    scenario.expectDiscreet(pull)
    try scenario.expectMirrored()
  }

  @Test func `a log-in that ends in mid-pull is told in one line, and nobody hammers`() throws {
    let scenario = try TokenScenario(connections: 1)
    try scenario.fill(300)
    try scenario.signIn()
    scenario.tokens.behaviour.uses = 1
    scenario.tokens.behaviour.refusesRefresh = true
    var cut = TCPProxy.Conditions()
    cut.cutDown = 60_000
    cut.cuts = 1
    scenario.proxy.conditions = cut
    let pull = try scenario.pull()
    expectEnded(pull)
    #expect(scenario.tokens.refreshes().count == 1)
    #expect(try scenario.authState().first?["state"] as? String == "needs-login")
    // Later runs, however many, ask neither of the servers for anything.
    scenario.proxy.forget()
    for _ in 0..<3 { expectEnded(try scenario.pull()) }
    #expect(scenario.tokens.refreshes().count == 1)
    #expect(scenario.logIns == 0)
    scenario.tokens.behaviour.refusesRefresh = false
    scenario.tokens.behaviour.uses = .max
    try scenario.signIn()
    #expect(try scenario.pull().ending == .exited(0))
    try scenario.expectMirrored()
  }

  private func expectEnded(_ outcome: Outcome, location: SourceLocation = #_sourceLocation) {
    #expect(outcome.ending == .exited(77), "\(outcome.summary)", sourceLocation: location)
    let lines = outcome.errorText.split(separator: "\n").filter { $0.contains("mirror auth login") }
    #expect(
      lines == ["personal: The log-in to “personal” has ended. Run `mirror auth login personal`."],
      sourceLocation: location)
    #expect(
      outcome.errorText.split(separator: "\n").count == 1, "\(outcome.errorText)",
      sourceLocation: location)
  }

  @Test func `a mail server that refuses every token is not asked for ever`() throws {
    let scenario = try TokenScenario()
    try scenario.signIn()
    scenario.tokens.behaviour.uses = 0
    let pull = try scenario.pull()
    #expect(pull.ending == .exited(77), "\(pull.summary)")
    #expect(pull.errorText.contains("with a fresh access token, too"))
    #expect(scenario.tokens.refreshes().count == 1)
    #expect(scenario.logIns == 2)
    scenario.expectDiscreet(pull)
  }

  @Test func `a token server that is down is 69`() throws {
    let scenario = try TokenScenario()
    scenario.tokens.behaviour.lifetime = 30
    try scenario.signIn()
    scenario.tokens.behaviour.answer = .init(503)
    let pull = try scenario.pull()
    #expect(pull.ending == .exited(69), "\(pull.summary)")
    scenario.tokens.behaviour.answer = nil
    #expect(try scenario.pull().ending == .exited(0))
  }

  @Test func `programs that start at once renew a token once`() throws {
    let scenario = try TokenScenario()
    scenario.tokens.behaviour.lifetime = 30  // less than the minute that a token must have left
    scenario.tokens.behaviour.rotates = true
    try scenario.signIn()
    scenario.tokens.behaviour.lifetime = 3600
    scenario.tokens.behaviour.delay = 0.5
    let children = try (0..<4).map { _ in try scenario.mirror.start("doctor", "personal") }
    for child in children {
      let outcome = try child.wait(limit: 120)
      #expect(outcome.outputText.contains("log-in: as \(scenario.user)"), "\(outcome.summary)")
    }
    #expect(scenario.tokens.refreshes().count == 1)
  }

  @Test func `mail is sent with a token, and with another where that ran out`() throws {
    let smtp = try ScriptedServer { TokenSubmission($0).run() }
    let scenario = try TokenScenario(
      smtp: """
        [accounts.personal.smtp]
        host = "127.0.0.1"
        port = \(smtp.port)
        tls = "none"
        """)
    try scenario.signIn()
    let message = scenario.mirror.home + "/message"
    try writeFile(message, "From: a@example.org\nTo: b@example.org\nSubject: hi\n\nhello\n")
    let queued = try run(
      ["sh", "-c", "exec \"$@\" < \"$0\"", message]
        + scenario.mirror.command(["sendmail", "-a", "personal", "-t"]),
      environment: scenario.mirror.environment)
    #expect(queued.ending == .exited(0), "\(queued.summary)")
    let push = try scenario.mirror.run(["push", "personal"])
    #expect(push.ending == .exited(0), "\(push.summary)")
    #expect(scenario.tokens.refreshes().count == 1)
    #expect(smtp.connections == 2)
    #expect(smtp.received.contains("DATA"))
    scenario.expectDiscreet(push)
  }
}

/// A submission server that refuses the token of the first connection as one that ran out.
private struct TokenSubmission {
  let session: ScriptedServer.Session

  init(_ session: ScriptedServer.Session) { self.session = session }

  func run() {
    session.send("220 test ESMTP")
    while let line = session.receive().map({ String(decoding: $0, as: UTF8.self) }) {
      switch line.prefix(4).uppercased() {
      case "EHLO": session.send("250-test\r\n250-AUTH XOAUTH2 OAUTHBEARER\r\n250 8BITMIME")
      case "AUTH":
        guard session.number == 0 else {
          session.send("235 2.7.0 fine")
          continue
        }
        let error = Data(#"{"status":"401","schemes":"bearer","scope":"mail"}"#.utf8)
        session.send("334 \(error.base64EncodedString())")
        _ = session.receive()
        session.send("535 5.7.8 token expired")
      case "DATA":
        session.send("354 go on")
        while let line = session.receive(), line != [UInt8(ascii: ".")] {}
        session.send("250 2.0.0 taken")
      case "QUIT": return session.send("221 bye")
      default: session.send("250 2.1.0 fine")
      }
    }
  }
}
