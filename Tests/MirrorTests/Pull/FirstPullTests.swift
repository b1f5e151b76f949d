import MailTestKit
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct FirstPullTests {
  @Test(arguments: [DovecotServer.Store.sdbox, .maildir])
  func `a first pull shows what dovecot holds, and a second does nothing`(
    store: DovecotServer.Store
  )
    throws
  {
    let scenario = try Scenario(.init(store: store))
    try scenario.fill(120)
    try scenario.fill(25, seed: 2, mailbox: "Archive", profile: .office)
    let outcome = try scenario.pull()
    #expect(outcome.outputText.hasPrefix("personal: 145 new"), "\(outcome.summary)")
    #expect(outcome.errorText == "")
    try scenario.expectMirrored()
    try scenario.expectQuiet()
  }

  @Test(.enabled(if: Machine.hasCyrus))
  func `a first pull shows what cyrus holds, and a second does nothing`() throws {
    let scenario = try Scenario(cyrus: CyrusServer.shared())
    try scenario.fill(80)
    try scenario.client.store(
      scenario.client.uids(in: "INBOX").suffix(4), "+FLAGS", ["$Junk", "work"], in: "INBOX")
    try scenario.pull()
    try scenario.expectMirrored()
    try scenario.expectQuiet()
  }

  @Test(arguments: [
    ["QRESYNC"], ["QRESYNC", "CONDSTORE"],
    ["QRESYNC", "CONDSTORE", "ESEARCH", "LIST-STATUS", "ENABLE"],
    [
      "LIST-EXTENDED", "LIST-STATUS", "SPECIAL-USE", "SASL-IR", "LITERAL+", "UNSELECT", "ID",
      "NAMESPACE",
    ],
  ])
  func `a server with fewer extensions is mirrored all the same`(without: [String]) throws {
    let scenario = try Scenario(.init(without: Set(without)))
    try scenario.fill(30)
    try scenario.fill(5, seed: 3, mailbox: "Sent")
    try scenario.pull()
    try scenario.expectMirrored()
    try scenario.append(["later"])
    try scenario.client.expunge([2, 9], in: "INBOX")
    try scenario.client.store([3, 4], "+FLAGS", ["\\Flagged", "topic"], in: "INBOX")
    try scenario.pull()
    try scenario.expectMirrored()
    try scenario.expectQuiet()
  }

  @Test(arguments: ["implicit", "starttls"])
  func `TLS carries the same`(tls: String) throws {
    let server = try DovecotServer.shared(.init(compress: true))
    let user = DovecotServer.newUser()
    let client = try server.client(user)
    var generator = MailGenerator(seed: 9)
    try client.append(generator.messages(60))
    var settings = AccountSettings(overTLS: server, user: user)
    settings.tls = tls
    if tls == "starttls" { settings.port = server.port }
    let mirror = try MirrorProgram(settings)
    let outcome = try mirror.pull()
    #expect(outcome.status == 0, "\(outcome.summary)")
    try expectSame(mirror.tree(), client.state())
  }

  @Test(arguments: ["plain", "login", "cram-md5", "scram-sha-1", "scram-sha-256", "auto"])
  func `each mechanism logs in`(mechanism: String) throws {
    let scenario = try Scenario()
    try scenario.mirror.configure { $0.imap = "auth = \"\(mechanism)\"" }
    try scenario.append(["one"])
    try scenario.pull()
    try scenario.expectMirrored()
  }

  @Test func `awkward messages arrive byte by byte`() throws {
    let scenario = try Scenario()
    let header = "Subject: x\r\nMessage-ID: <awkward@example.org>\r\n"
    let bodies: [String] = [
      "Subject: only a header\r\n\r\n", "Subject: no empty line", "\r\nno header\r\n",
      header + "\r\nno last line end",
      header + "\r\n" + String(repeating: "x", count: 150_000) + "\r\n",
      header + "\r\nFrom the start\r\n.\r\n..\r\n)\r\n* 1 FETCH (FLAGS ())\r\na1 OK done\r\n",
      "X-Keywords: theirs, not ours\r\n" + header + "\r\nbody\r\n",
      "x-keywords:\r\n" + header + "\r\nbody\r\n",
      "X-Keywordsx: other\r\n" + header + "\r\nbody\r\n",
      header + "X-Keywords: deeper\r\n\r\nbody\r\n", header + "\r\n\r\n\r\n\r\n",
      "Subject: =?utf-8?q?\u{fc}=\r\n\t folded\r\n  twice\r\n" + header
        + "\r\n\u{1b}[31m\u{7f}\u{0}\r\n",
      header + "\r\ntrailing spaces   \r\n   \r\n\t\r\n",
    ]
    var messages = bodies.map { SampleMessage(bytes: Array($0.utf8)) }
    messages.append(
      SampleMessage(
        bytes: Array((header + "\r\n").utf8)
          + (0...255).filter { $0 != 13 && $0 != 10 && $0 != 0 }.map { UInt8($0) }))
    // NUL is not for IMAP literals; dovecot would replace it.
    messages = messages.map { message in
      SampleMessage(bytes: message.bytes.filter { $0 != 0 }, date: message.date, flags: [])
    }
    try scenario.client.append(messages)
    try scenario.client.append(
      messages.map { .init(bytes: $0.bytes, flags: ["work", "$Junk", "\\Seen"]) })
    try scenario.pull()
    try scenario.expectMirrored()
    try scenario.expectQuiet()
  }

  @Test func `a message larger than the memory it may use goes straight to disk`() throws {
    let scenario = try Scenario()
    let header = Array("Subject: large\r\nMessage-ID: <large@example.org>\r\n\r\n".utf8)
    let line = [UInt8](repeating: 65, count: 76) + [13, 10]
    var bytes = header
    bytes.reserveCapacity(50 << 20)
    for _ in 0..<600_000 { bytes += line }
    try scenario.client.append(SampleMessage(bytes: bytes, flags: ["topic"]))
    let (outcome, peak) = try scenario.mirror.peakMemory(["pull", "--no-index"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(peak < 64 << 10, "\(peak) KiB")
    let file = try #require(try scenario.mirror.tree()["INBOX"].first)
    let keywordsLine = "X-Keywords: topic\n".utf8.count
    #expect(file.raw.count == bytes.count - 600_003 + keywordsLine)
    try scenario.expectQuiet()
  }

  @Test func `flags, keywords and dates stand where the design says`() throws {
    let scenario = try Scenario()
    let flags: [[String]] = [
      [], ["\\Seen"], ["\\Flagged", "\\Answered", "\\Draft", "\\Seen", "\\Deleted", "$Forwarded"],
      ["$Junk", "Work", "\\Flagged"], ["$label1"],
    ]
    let dates: [Int64] = [0, 1, 951_782_400, 1_709_164_800, 2_000_000_000]
    try scenario.client.append(
      zip(flags, dates).enumerated().map {
        SampleMessage(token: "m\($0)", date: $1.1, flags: $1.0)
      })
    try scenario.pull()
    try scenario.expectMirrored()
    let tree = try scenario.mirror.tree()
    #expect(tree.message(with: "m0@")?.subdirectory == "new")
    #expect(tree.message(with: "m1@")?.subdirectory == "cur")
    #expect(tree.message(with: "m2@")?.flags == "DFPRST")
    #expect(
      tree.message(with: "m3@").map {
        String(decoding: $0.raw, as: UTF8.self).hasPrefix("X-Keywords: ")
      } == true)
    let validity = try scenario.client.status("INBOX")["UIDVALIDITY"] ?? 0
    for message in tree.messages {
      // <internaldate>.<16 hex digits>V<uidvalidity>U<uid>.<account>
      let parts = message.base.split(separator: ".")
      #expect(parts.count == 3 && parts.last == "personal", "\(message.base)")
      #expect(parts.first.flatMap { Int64($0) } == message.modified, "\(message.base)")
      #expect(
        parts[1].count > 18 && parts[1].dropFirst(16).hasPrefix("V\(validity)U"), "\(message.base)")
    }
  }

  @Test func `mailbox names become folders`() throws {
    let scenario = try Scenario()
    let names = [
      "Archive/2024": "Archive/2024", "&ANw-berpr&APw-fung &- mehr": "Überprüfung & mehr",
      "a b": "a b", "Lists/deep/er": "Lists/deep/er", "&ZeVnLIqe-": "日本語",
    ]
    for (name, token) in zip(names.keys.sorted(), 0...) {
      try scenario.client.create(name)
      try scenario.append(["t\(token)"], to: name)
    }
    scenario.oracle.folder = { names[$0] ?? $0 }
    try scenario.pull()
    try scenario.expectMirrored()
    try scenario.expectQuiet()
  }

  @Test func `names that a Maildir cannot carry stay inside and apart`() throws {
    let scenario = try Scenario(.init(separator: "^"))
    let awkward = [
      "cur", "new", "tmp", "a/b", "..", ".hidden", ".mirror", "x^cur^y", "..^..^out", "%2e%2e",
    ]
    var made: [String] = []
    for name in awkward where (try? scenario.client.create(name)) != nil {
      try scenario.append(["in-\(made.count)-box"], to: name)
      made.append(name)
    }
    try #require(made.count >= 6, "\(made)")
    let before = Set(names(in: scenario.mirror.home)).union(["Mail", ".local"])
    try scenario.pull()
    let tree = try scenario.mirror.tree()
    for number in made.indices {
      #expect(tree.count(of: "in-\(number)-box") == 1, "\(made[number])")
    }
    #expect(Set(tree.messages.map(\.folder)).count == made.count)
    #expect(Set(names(in: scenario.mirror.home)).isSubset(of: before))
    #expect(names(in: scenario.mirror.root).filter { $0 != ".mirror" } == ["personal"])
    try scenario.expectQuiet()
  }

  @Test(arguments: ["nested", "maildir++"]) func `both layouts are whole`(layout: String) throws {
    let scenario = try Scenario(sync: "layout = \"\(layout)\"")
    try scenario.client.create("Lists/swift")
    try scenario.append(["one"])
    try scenario.append(["two"], to: "Lists/swift")
    if layout == "maildir++" {
      scenario.oracle.folder = { $0 == "INBOX" ? "" : "." + $0.replacing("/", with: ".") }
    }
    try scenario.pull()
    try scenario.expectMirrored()
    try scenario.expectQuiet()
  }

  @Test func `line ends may stay as the server has them`() throws {
    let scenario = try Scenario(sync: "line-endings = \"crlf\"")
    try scenario.fill(10)
    scenario.oracle.keepsCRLF = true
    try scenario.pull()
    try scenario.expectMirrored()
  }

  @Test func `only the folders asked for are mirrored`() throws {
    let scenario = try Scenario(sync: "folders = [\"*\", \"!Junk\", \"!Lists/*\"]")
    for name in ["Lists/a", "Lists/b"] { try scenario.client.create(name) }
    try scenario.append(["spam"], to: "Junk")
    try scenario.append(["list"], to: "Lists/a")
    try scenario.append(["mail"])
    scenario.oracle.folder = { $0 == "Junk" || $0.hasPrefix("Lists/") ? nil : $0 }
    try scenario.pull()
    try scenario.expectMirrored()
    #expect(try scenario.mirror.tree().folders.contains("Junk") == false)
  }

  @Test func `one mailbox can be pulled by name`() throws {
    let scenario = try Scenario()
    try scenario.append(["a1"])
    try scenario.append(["b1"], to: "Archive")
    let outcome = try scenario.mirror.run(["pull", "--no-index", "personal/Archive"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(try scenario.local("b1") != nil)
    #expect(try scenario.local("a1") == nil)
    try scenario.pull()
    try scenario.expectMirrored()
  }

  @Test func `a window leaves old mail on the server`() throws {
    let scenario = try Scenario(sync: "window = \"90d\"")
    let now = Int64(time(nil))
    try scenario.append(["old1", "old2"], date: now - 200 * 86_400)
    try scenario.append(["fresh1", "fresh2", "fresh3"], date: now - 3 * 86_400)
    try scenario.pull()
    let tree = try scenario.mirror.tree()
    #expect(tree["INBOX"].count == 3 && tree.message(with: "old1") == nil)
    try scenario.expectQuiet()
    // Widening the window brings the rest.
    try scenario.mirror.configure { $0.sync = "window = \"all\"" }
    try scenario.pull()
    try scenario.expectMirrored()
  }

  @Test func `a compressed connection brings the same`() throws {
    let scenario = try Scenario(.init(compress: true))
    try scenario.fill(60)
    let outcome = try scenario.mirror.run(
      ["pull", "--no-index"], more: ["MIRROR_COMPRESS": "always"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    try scenario.expectMirrored()
    let bytes = try scenario.mirror.tree().messages.reduce(0) { $0 + $1.raw.count }
    #expect(scenario.proxy.bytesDown < bytes, "fewer bytes than the messages have")
  }

  @Test func `a dry run says what would come and writes nothing`() throws {
    let scenario = try Scenario()
    try scenario.fill(7)
    let outcome = try scenario.mirror.run(["pull", "--no-index", "--dry-run"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(outcome.outputText.contains("7"))
    #expect((try? scenario.mirror.tree().messages.count) ?? 0 == 0)
  }
}
