import MailTestKit
import Testing

/// The test bed under test: what it says about the program is worth what it says about mbsync.
@Suite(.onBlockingThreads) struct KitSelfTests {
  @Test(.enabled(if: DovecotServer.isInstalled), arguments: DovecotServer.Store.allCases)
  func `dovecot gives back what was appended`(store: DovecotServer.Store) throws {
    let server = try DovecotServer.shared(.init(store: store))
    try roundTrip(server.client(DovecotServer.newUser()))
  }

  @Test(.enabled(if: CyrusServer.isInstalled))
  func `cyrus gives back what was appended`() throws {
    let client = try CyrusServer.shared().client(DovecotServer.newUser("c"))
    #expect(client.capabilities.isSuperset(of: ["QRESYNC", "OBJECTID"]))
    try roundTrip(client)
  }

  @Test(.enabled(if: PostfixServer.isInstalled))
  func `a mail server whose port somebody else took comes up at another`() throws {
    let stranger = try Listener { _ = $0.write(Array("220 somebody else\r\n".utf8)) }
    let server = try PostfixServer(port: stranger.port)
    #expect(server.port != stranger.port)
    #expect(try server.dovecot.client("u").messages(in: "INBOX").isEmpty)
  }

  private func roundTrip(_ client: IMAPTestClient) throws {
    var generator = MailGenerator(seed: 1)
    let sent = generator.messages(300)
    try client.append(sent)
    let found = try client.messages(in: "INBOX")
    #expect(found.map(\.bytes) == sent.map(\.bytes))
    #expect(found.map(\.date) == sent.map(\.date))
    #expect(found.map { $0.flags.subtracting(["\\Recent"]) } == sent.map { Set($0.flags) })
  }

  @Test func `the same seed gives the same mail, of the promised size`() {
    var one = MailGenerator(seed: 7, profile: .office)
    var other = MailGenerator(seed: 7, profile: .office)
    let mail = one.messages(400)
    #expect(mail == other.messages(400))
    let sizes = mail.map(\.bytes.count).sorted()
    #expect((20_000...60_000).contains(sizes[200]), "office: \(sizes[200])")
    var list = MailGenerator(seed: 7, profile: .list)
    let small = list.messages(400).map(\.bytes.count).sorted()
    #expect((2000...5500).contains(small[200]), "list: \(small[200])")
  }

  @Test(.enabled(if: DovecotServer.isInstalled && Mbsync.isInstalled))
  func `mbsync's tree satisfies the oracle, and a touched one does not`() throws {
    let server = try DovecotServer.shared()
    let user = DovecotServer.newUser()
    let client = try server.client(user)
    var generator = MailGenerator(seed: 2)
    try client.append(generator.messages(40))
    try client.create("Archive/2024")
    try client.append(generator.messages(10), to: "Archive/2024")
    let tree = try TemporaryDirectory()
    let mbsync = try Mbsync(AccountSettings(server, user: user))
    let outcome = try mbsync.pull(into: tree.path + "/a")
    try #require(outcome.status == 0, "\(outcome.summary)")
    // mbsync adds a header of its own, so only what differs there may be told.
    var state = try client.state()
    var pulled = try MaildirTree(tree.path + "/a")
    for index in pulled.messages.indices {
      pulled.messages[index].raw = withoutToken(pulled.messages[index].raw)
    }
    var oracle = MaildirOracle()
    oracle.allowsForeignNames = true
    #expect(oracle.differences(pulled, state) == [])
    pulled.messages[3].flags = "DT"
    #expect(oracle.differences(pulled, state).count == 1)
    pulled.messages[3].raw.append(65)
    #expect(oracle.differences(pulled, state).count == 2)
    pulled.messages.append(pulled.messages[5])
    #expect(oracle.differences(pulled, state).count == 3)
    state["INBOX"]?.removeFirst()
    #expect(!oracle.differences(pulled, state).isEmpty)
  }

  private func withoutToken(_ bytes: [UInt8]) -> [UInt8] {
    let lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
    return Array(lines.filter { !$0.starts(with: Array("X-TUID:".utf8)) }.joined(separator: [10]))
  }

  @Test(
    .enabled(if: Mbsync.isInstalled),
    arguments: ["bare", "modern", "condstore", "gmail", "exchange", "iCloud", "yahoo"])
  func `mbsync understands the model server`(name: String) throws {
    let dialects: [String: Dialect] = [
      "bare": .bare, "modern": .modern, "condstore": .condstore, "gmail": .gmail,
      "exchange": .exchange, "iCloud": .iCloud, "yahoo": .yahoo,
    ]
    let account = MailAccount(["INBOX", "Archive"])
    for number in 0..<20 {
      account.change("INBOX") {
        $0.deliver(SampleMessage(token: "m\(number)", flags: number % 2 == 0 ? ["\\Seen"] : []))
      }
    }
    let server = try ModelServer(account, #require(dialects[name]))
    let tree = try TemporaryDirectory()
    let mbsync = try Mbsync(AccountSettings(port: server.port, user: "u"))
    let outcome = try mbsync.pull(into: tree.path + "/a")
    #expect(outcome.status == 0, "\(outcome.summary) \(server.received)")
    var pulled = try MaildirTree(tree.path + "/a")
    for index in pulled.messages.indices {
      pulled.messages[index].raw = withoutToken(pulled.messages[index].raw)
    }
    #expect(MaildirOracle().differences(pulled, account.state) == [])
    #expect(server.server.bodyFetches.count == 20)
  }

  @Test(.enabled(if: DovecotServer.isInstalled))
  func `the proxy delays, counts and cuts`() throws {
    let server = try DovecotServer.shared()
    let proxy = try TCPProxy(to: server.port)
    let user = DovecotServer.newUser()
    let client = try IMAPTestClient(port: proxy.port, user: user, password: "pw")
    var generator = MailGenerator(seed: 3)
    try client.append(generator.messages(30))
    let size = try client.messages(in: "INBOX").reduce(0) { $0 + $1.bytes.count }
    #expect(proxy.bytesDown > size && proxy.bytesUp > size)
    #expect(!proxy.changingCommands.isEmpty)

    var slow = TCPProxy.Conditions()
    slow.delay = 0.05
    proxy.conditions = slow
    proxy.forget()
    let begun = monotonicSeconds()
    let distant = try IMAPTestClient(port: proxy.port, user: user, password: "pw")
    distant.logout()
    #expect(monotonicSeconds() - begun > 0.35)
    #expect(
      proxy.records.first.map { (2...4).contains($0.turns) } == true,
      "\(proxy.records.map(\.turns))")

    var cut = TCPProxy.Conditions()
    cut.cutDown = 5000
    cut.cuts = 1
    proxy.conditions = cut
    #expect(throws: KitError.self) {
      try IMAPTestClient(port: proxy.port, user: user, password: "pw").messages(in: "INBOX")
    }
    let again = try IMAPTestClient(port: proxy.port, user: user, password: "pw")
    #expect(try again.messages(in: "INBOX").count == 30)
  }

  @Test(.enabled(if: TinyDisk.isPossible)) func `a tiny disk fills up`() throws {
    let disk = try TinyDisk(megabytes: 1)
    #expect(throws: KitError.self) {
      try writeFile(disk.path + "/big", [UInt8](repeating: 0, count: 2 << 20))
    }
  }

  @Test(.enabled(if: FaultRun.isPossible)) func `strace kills at the chosen call`() throws {
    let directory = try TemporaryDirectory()
    let copy = ["cp", "/etc/passwd", directory.path + "/copy"]
    let strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e"]
    let outcome = try run(
      strace + ["trace=write", "-e", "inject=write:signal=SIGKILL:when=1"] + [
        "sh", "-c", "echo a >\(directory.path)/a",
      ])
    #expect(outcome.ending == .signalled(9))
    #expect(try readFile(directory.path + "/a").isEmpty)
    #expect(try run(copy).status == 0)
  }

  @Test func `bad certificates are what they claim to be`() throws {
    let certificates = try Certificates.shared.get()
    let expired = try certificates.issue("expired", expired: true)
    let text = try run(["openssl", "x509", "-noout", "-enddate", "-in", expired.certificate])
    #expect(text.outputText.contains("2020"))
    let endpoint = try TLSEndpoint(certificates.selfSigned("self"))
    #expect(endpoint.port > 0)
  }
}
