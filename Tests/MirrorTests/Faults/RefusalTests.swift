import Foundation
import MailTestKit
import Testing

/// What the program must not do, and how it says so.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct RefusalTests {
  @Test func `a wrong password is refused at once, with 77`() throws {
    let server = try ModelServer(MailAccount())
    var settings = AccountSettings(port: server.port, user: "u")
    settings.password = "wrong-secret-word"
    let mirror = try MirrorProgram(settings)
    let outcome = try mirror.run(["pull", "-vv"])
    #expect(outcome.ending == .exited(77), "\(outcome.summary)")
    #expect(server.server.received(named: ["LOGIN", "AUTHENTICATE"]).count == 1)
    let said = outcome.outputText + outcome.errorText
    #expect(
      !said.contains("wrong-secret-word") && !said.contains("AHUAd3Jvbmc"),
      "secrets stay out of logs")
    #expect((try? mirror.tree().messages.isEmpty) ?? true)
  }

  enum Certificate: String, CaseIterable { case selfSigned, unknown, expired, wrongHost, oldTLS }

  @Test(arguments: Certificate.allCases) func `a bad certificate is refused with the reason`(
    kind: Certificate
  ) throws {
    let certificates = try Certificates.shared.get()
    let name = "bad-\(kind.rawValue)"
    var trusts = true
    var options: [String] = []
    let pair: Certificates.Pair
    let words: [String]
    switch kind {
    case .selfSigned: (pair, words) = (try certificates.selfSigned(name), ["self"])
    case .unknown:
      (pair, words) = (
        try certificates.issue(name), ["issuer", "authority", "trust", "verif", "self"]
      )
      trusts = false
    case .expired: (pair, words) = (try certificates.issue(name, expired: true), ["expired"])
    case .wrongHost:
      (pair, words) = (
        try certificates.issue(name, for: "DNS:mail.example.org"),
        ["name", "host", "mail.example.org"]
      )
    case .oldTLS:
      (pair, words) = (try certificates.issue(name), ["TLS", "protocol", "version"])
      options = ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"]
    }
    let endpoint = try TLSEndpoint(pair, options: options)
    var settings = AccountSettings(port: endpoint.port, user: "u")
    settings.tls = "implicit"
    settings.host = "localhost"
    settings.authority = trusts ? certificates.authority : nil
    let mirror = try MirrorProgram(settings)
    let outcome = try mirror.pull(limit: 60)
    #expect([69, 77, 78].contains(outcome.status ?? -1), "\(outcome.summary)")
    #expect(
      words.contains { outcome.errorText.localizedCaseInsensitiveContains($0) },
      "\(outcome.errorText)")
  }

  @Test func `plain text beyond loopback is a mistake in the configuration`() throws {
    var settings = AccountSettings(port: 143, user: "u")
    settings.host = "192.0.2.1"
    let outcome = try MirrorProgram(settings).pull(limit: 60)
    #expect(outcome.ending == .exited(78), "\(outcome.summary)")
  }

  @Test func `STARTTLS stripped from the capabilities is refused before any password`() throws {
    let server = try ModelServer(MailAccount(), .bare)
    var settings = AccountSettings(port: server.port, user: "u")
    settings.tls = "starttls"
    let outcome = try MirrorProgram(settings).pull(limit: 60)
    #expect([69, 77, 78].contains(outcome.status ?? -1), "\(outcome.summary)")
    #expect(server.server.received(named: ["LOGIN", "AUTHENTICATE"]) == [])
    #expect(outcome.errorText.contains("STARTTLS"))
  }

  @Test func `bytes slipped in behind STARTTLS are refused`() throws {
    let server = try ScriptedServer { session in
      session.send("* OK [CAPABILITY IMAP4rev1 STARTTLS LOGINDISABLED] ready")
      while let (tag, text) = session.command() {
        if text.uppercased() == "STARTTLS" {
          session.send(
            raw: Array("\(tag) OK begin\r\n* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] evil\r\n".utf8))
          pause(0.5)
          return
        }
        session.send("* CAPABILITY IMAP4rev1 STARTTLS LOGINDISABLED")
        session.send("\(tag) OK done")
      }
    }
    var settings = AccountSettings(port: server.port, user: "u")
    settings.tls = "starttls"
    let outcome = try MirrorProgram(settings).pull(limit: 60)
    #expect([69, 77, 78].contains(outcome.status ?? -1), "\(outcome.summary)")
    #expect(server.received(named: ["LOGIN", "AUTHENTICATE"]) == [])
  }

  @Test func `a second run meanwhile gets 75 and the name of the holder`() throws {
    let scenario = try Scenario()
    try scenario.append(["one"])
    var stalling = TCPProxy.Conditions()
    stalling.stalls = true
    scenario.proxy.conditions = stalling
    let first = try scenario.mirror.start("pull", "--no-index")
    let end = monotonicSeconds() + 60
    while scenario.proxy.connections == 0, monotonicSeconds() < end { pause(0.01) }
    let second = try scenario.mirror.pull(limit: 60)
    #expect(second.ending == .exited(75), "\(second.summary)")
    #expect(second.errorText.contains("\(first.id)"), "\(second.errorText)")
    first.signal(9)
    _ = try first.wait()
    scenario.proxy.conditions = .init()
    try scenario.pull()
    try scenario.expectMirrored()
  }

  @Test func `nobody at the port is 69 at once`() throws {
    let mirror = try MirrorProgram(AccountSettings(port: freePort(), user: "u"))
    let outcome = try mirror.run(["pull"], more: ["MIRROR_RETRY_SECONDS": "100,100,100"])
    #expect(outcome.ending == .exited(69), "\(outcome.summary)")
    #expect(outcome.seconds < 90)
  }

  @Test func `a connection lost again and again is 69, with the progress kept`() throws {
    let scenario = try Scenario()
    try scenario.fill(60)
    var cutting = TCPProxy.Conditions()
    cutting.cutDown = 60_000
    scenario.proxy.conditions = cutting
    try scenario.mirror.configure { $0.connections = 1 }
    let outcome = try scenario.mirror.pull()
    #expect(outcome.ending == .exited(69), "\(outcome.summary)")
    let kept = try scenario.mirror.tree().messages.count
    #expect(kept > 0 && kept < 60, "\(kept)")
    scenario.proxy.conditions = .init()
    try scenario.pull()
    try scenario.expectMirrored()
    try scenario.expectQuiet()
  }

  @Test func `a connection lost once is picked up again`() throws {
    let scenario = try Scenario()
    try scenario.fill(60)
    var cutting = TCPProxy.Conditions()
    cutting.cutDown = 40_000
    cutting.cuts = 2
    scenario.proxy.conditions = cutting
    try scenario.pull()
    try scenario.expectMirrored()
    try scenario.expectQuiet()
  }

  @Test func `Ctrl-C stops within a second and the next run goes on`() throws {
    let scenario = try Scenario()
    try scenario.fill(150, profile: .office)
    var slow = TCPProxy.Conditions()
    slow.bytesPerSecond = 300_000
    scenario.proxy.conditions = slow
    let child = try scenario.mirror.start("pull", "--no-index")
    let limit = monotonicSeconds() + 60
    while monotonicSeconds() < limit, (try? scenario.mirror.tree().messages.count) ?? 0 < 5 {
      pause(0.02)
    }
    let interrupted = monotonicSeconds()
    child.signal(2)
    let outcome = try child.wait(limit: 60)
    let stopped = monotonicSeconds() - interrupted
    // While others work, too, everything takes longer, as this does.
    let pace = try scenario.mirror.run(["--version"]).seconds
    #expect(stopped < 1.3 + 5 * pace)
    #expect(outcome.ending == .exited(130) || outcome.ending == .signalled(2), "\(outcome.summary)")
    let kept = try scenario.mirror.tree()
    #expect(kept.messages.count >= 5 && kept.messages.count < 150)
    scenario.proxy.conditions = .init()
    try scenario.pull()
    try scenario.expectMirrored()
    try scenario.expectQuiet()
  }

  @Test(.enabled(if: Machine.canMount)) func `a full disk stops the run, and the next goes on`()
    throws
  {
    let disk = try TinyDisk(megabytes: 3)
    let scenario = try Scenario(root: disk.path)
    try scenario.fill(120, profile: .office)
    let outcome = try scenario.mirror.pull()
    #expect(outcome.status != 0 && outcome.status != nil, "\(outcome.summary)")
    let words = ["space", "full", "missing", "disk"]
    #expect(
      words.contains { outcome.errorText.localizedCaseInsensitiveContains($0) },
      "\(outcome.errorText)")
    #expect(try scenario.mirror.tree().temporaries == [])
    try disk.remount("size=200m")
    try scenario.pull()
    try scenario.expectMirrored()
    try scenario.expectQuiet()
  }

  @Test(.enabled(if: Machine.canMount)) func `a read-only tree is refused`() throws {
    let disk = try TinyDisk(megabytes: 20)
    let scenario = try Scenario(root: disk.path)
    try scenario.fill(20)
    try scenario.pull()
    try scenario.client.expunge([1, 2, 3], in: "INBOX")
    try scenario.append(["fresh"])
    try disk.remount("ro")
    let outcome = try scenario.mirror.pull()
    #expect(outcome.status != 0 && outcome.status != nil, "\(outcome.summary)")
    #expect(outcome.errorText.localizedCaseInsensitiveContains("read-only"), "\(outcome.errorText)")
    #expect(try scenario.mirror.tree().messages.count == 20)
    try disk.remount("rw")
    try scenario.pull()
    try scenario.expectMirrored()
  }

  @Test func `mistakes in the configuration are 78 with file and line`() throws {
    let mirror = try MirrorProgram(AccountSettings(port: 1, user: "u"))
    try mirror.configure { $0.imap = "conections = 3" }
    let outcome = try mirror.pull()
    #expect(outcome.ending == .exited(78), "\(outcome.summary)")
    #expect(outcome.errorText.contains("config.toml") && outcome.errorText.contains("connections"))
  }

  @Test func `a configuration with a password that others can read is refused`() throws {
    let mirror = try MirrorProgram(AccountSettings(port: 1, user: "u"))
    try runSuccessfully(["chmod", "644", mirror.configuration])
    #expect(try mirror.pull().ending == .exited(78))
  }

  @Test func `an unknown option is 64`() throws {
    let mirror = try MirrorProgram(AccountSettings(port: 1, user: "u"))
    #expect(try mirror.run(["pull", "--frobnicate"]).ending == .exited(64))
    #expect(try mirror.run(["pull", "nobody"]).status != 0)
  }
}
