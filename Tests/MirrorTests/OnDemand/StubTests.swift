import MailTestKit
import Testing

/// A pull that leaves large parts on the server, and what a push makes of the files that it writes.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasDovecot)) struct StubTests {
  private func scenario(_ more: String = "") throws -> Scenario {
    try Scenario(sync: "on-demand = \"20kB\"\n" + more)
  }

  /// A token with a part on the server.
  private let stubbed = [
    "first", "nested", "letter", "book", "plain", "seen", "around", "umlaut", "forged",
  ]
  private let whole = ["single", "signed", "secret", "small", "cut", "like"]

  @Test func `large parts stay on the server, and all else is as the server has it`() throws {
    let scenario = try scenario()
    try scenario.client.append(OnDemandMail.corpus())
    try scenario.pull()
    for token in stubbed {
      let local = try #require(try scenario.local("<\(token)@"))
      #expect(local.isStub, "\(token)")
      #expect(local.text.contains("Get it with: mirror fill id:\(token)@example.org"), "\(token)")
      #expect(local.raw.count < (token == "book" ? 140_000 : 20_000), "\(token)")
    }
    for token in whole { #expect(try scenario.local("<\(token)@")?.isStub == false, "\(token)") }
    let nested = try #require(try scenario.local("<nested@")).text
    #expect(nested.contains("Not here: all.zip (application/zip, 44 kB)"), "\(nested)")
    #expect(nested.contains("<p>html</p>") && nested.contains("Content-ID: <logo>"))
    #expect(nested.hasSuffix("--outer--\n"))
    let first = try #require(try scenario.local("<first@")).text
    #expect(first.contains("parts=1,3\n") && first.contains("für dich.mp4 (video/mp4"))
    #expect(try #require(try scenario.local("<seen@")).flags == "S")
    #expect(try #require(try scenario.local("<seen@")).text.contains("\nX-Keywords: Work\n"))
    // What the server sent with such a line is no stub: a line of ours stands above it.
    let forged = try #require(try scenario.local("small forged@"))
    #expect(forged.text.hasPrefix("X-Keywords:\nX-Mirror-Stub: 1; size=12; parts=2\n"))
    #expect(
      try scenario.local("<forged@")?.text.contains(
        "parts=2\nX-Keywords:\nX-Mirror-Stub: 1; size=12") == true)
    try scenario.expectQuiet()
  }

  @Test func `without the setting nothing is asked that was not asked before`() throws {
    let scenario = try Scenario()
    try scenario.client.append(OnDemandMail.corpus())
    try scenario.pull()
    #expect(scenario.proxy.commands(named: ["FETCH"]).allSatisfy { !$0.contains("BODYSTRUCTURE") })
    try scenario.expectMirrored()
  }

  @Test func `structures are asked for of large messages only, and no body of theirs`() throws {
    let scenario = try scenario()
    try scenario.client.append(
      (0..<5).map { SampleMessage(token: "t\($0)") } + [OnDemandMail.mixed("big")])
    try scenario.pull()
    let asked = scenario.proxy.commands(named: ["FETCH"]).filter { $0.contains("BODYSTRUCTURE") }
    #expect(asked.count == 1 && asked[0].contains("FETCH 6 "), "\(asked)")
    #expect(scenario.bodyFetches.allSatisfy { !$0.contains("FETCH 6 ") && !$0.contains(":6 ") })
  }

  /// Dovecot answers several commands side by side.
  @Test func `among many messages, too, no large part comes`() throws {
    let scenario = try scenario()
    let small = (0..<1100).map {
      SampleMessage(token: "s\($0)", body: String(repeating: "Some text.\n", count: 700))
    }
    let large = (0..<60).map {
      OnDemandMail.mixed("l\($0)", octets: 100_000, seed: UInt64($0 + 1))
    }
    var mail: [SampleMessage] = []
    for (number, message) in small.enumerated() {
      mail.append(message)
      if number % 18 == 0, number / 18 < large.count { mail.append(large[number / 18]) }
    }
    try scenario.client.append(mail)
    try scenario.pull()
    #expect(try scenario.mirror.tree()["INBOX"].count(where: \.isStub) == 60)
    let text = small.reduce(0) { $0 + $1.bytes.count }
    #expect(scenario.proxy.bytesDown < text * 108 / 100, "\(scenario.proxy.bytesDown) of \(text)")
  }

  @Test func `drafts come whole`() throws {
    let scenario = try scenario()
    try scenario.client.create("Drafts")
    try scenario.client.append([OnDemandMail.mixed("draft")], to: "Drafts")
    try scenario.client.append([OnDemandMail.mixed("other", flags: ["\\Draft"])])
    try scenario.pull()
    try scenario.expectMirrored()
  }

  @Test(arguments: ["", "keywords = \"dovecot\"", "keywords = \"none\"", "line-endings = \"crlf\""])
  func `a filled message is the server's byte for byte`(settings: String) throws {
    let scenario = try scenario(settings)
    scenario.oracle.keepsCRLF = settings.contains("crlf")
    scenario.oracle.checksKeywords = settings.isEmpty || settings.contains("crlf")
    // Where a tree has no keywords lines, another line stands above what begins with a line like ours.
    let hasLines = scenario.oracle.checksKeywords
    let mail = OnDemandMail.corpus().filter {
      hasLines || !$0.bytes.starts(with: Array("X-Mirror-Stub".utf8))
    }
    try scenario.client.append(mail)
    try scenario.pull()
    let filled = try scenario.mirror.run(["fill", "--all"])
    #expect(filled.status == 0, "\(filled.summary)")
    let count = stubbed.count - (hasLines ? 0 : 1)
    #expect(filled.outputText.contains("\(count) filled"), "\(filled.summary)")
    try scenario.expectMirrored()
    try scenario.expectQuiet()
    let verified = try scenario.mirror.run(["verify", "--deep"])
    #expect(verified.status == 0, "\(verified.summary)")
  }

  @Test func `flags, keywords, moves, copies and deletions of stubs go as always`() throws {
    let scenario = try scenario()
    try scenario.client.create("Archive")
    for token in ["flag", "word", "move", "copy", "gone"] {
      try scenario.client.append([OnDemandMail.mixed(token, flags: ["\\Seen"])])
    }
    try scenario.pull()
    let reader = Reader(scenario.mirror)
    try reader.setFlags(#require(try scenario.local("<flag@")), "FS")
    // Above the line of the stub, as a reader may put it that does not know that.
    try reader.setKeywords(#require(try scenario.local("<word@")), ["Later"])
    try reader.move(#require(try scenario.local("<move@")), to: "Archive")
    let copy = try #require(try scenario.local("<copy@"))
    try reader.deliver(copy.raw, name: "copied.stub", to: "Archive")
    try reader.remove(#require(try scenario.local("<gone@")))
    scenario.proxy.forget()
    let pushed = try scenario.mirror.run(["push"])
    #expect(pushed.status == 0, "\(pushed.summary)")
    #expect(scenario.proxy.commands(named: ["APPEND"]) == [])
    let inbox = try scenario.client.state(of: ["INBOX"])["INBOX"] ?? []
    #expect(inbox.contains { contains($0.bytes, Array("<flag@".utf8)) && $0.letters == "FS" })
    #expect(inbox.contains { contains($0.bytes, Array("<word@".utf8)) && $0.keywords == ["later"] })
    #expect(!inbox.contains { contains($0.bytes, Array("<gone@".utf8)) })
    let archive = try scenario.client.state(of: ["Archive"])["Archive"] ?? []
    for token in ["<move@", "<copy@"] {
      let found = archive.filter { contains($0.bytes, Array(token.utf8)) }
      #expect(found.count == 1 && found[0].bytes.count > 200_000, "\(token) is whole there")
    }
    try scenario.pull()
    let filled = try scenario.mirror.run(["fill", "--all"])
    #expect(filled.status == 0, "\(filled.summary)")
    try scenario.expectMirrored()
  }

  @Test func `a stub is never sent: neither edited nor under another name`() throws {
    let scenario = try scenario()
    try scenario.client.create("Archive")
    try scenario.client.create("Drafts")
    try scenario.client.append([OnDemandMail.mixed("edit"), OnDemandMail.mixed("strange")])
    try scenario.pull()
    let reader = Reader(scenario.mirror)
    let edit = try #require(try scenario.local("<edit@"))
    try reader.rewrite(edit, edit.raw + Array("a word more\n".utf8))
    // Not the message that it says to be: the server has nothing that could be copied.
    let strange = try #require(try scenario.local("<strange@"))
    let changed = Array(strange.text.replacing("Files", with: "Other").utf8)
    for folder in ["Archive", "Drafts"] {
      try reader.deliver(changed, name: "stranger.\(folder)", to: folder)
    }
    scenario.proxy.forget()
    let pushed = try scenario.mirror.run(["push"])
    #expect(scenario.proxy.changingCommands == [], "\(pushed.summary)")
    #expect(pushed.summary.contains("only a part of"), "\(pushed.summary)")
    let filled = try scenario.mirror.run(["fill", "--all"])
    #expect(filled.status == 1, "\(filled.summary)")
    #expect(try scenario.local("a word more") != nil, "the edit stays")
    #expect(try scenario.client.messages(in: "Archive").isEmpty)
    #expect(try scenario.client.messages(in: "Drafts").isEmpty)
  }

  @Test func `without a state stubs are adopted as such, and filled`() throws {
    let scenario = try scenario()
    try scenario.client.append(OnDemandMail.corpus())
    try scenario.pull()
    removeTree(scenario.mirror.account + "/.mirror")
    removeTree(scenario.mirror.home + "/.local")
    try scenario.pull()
    #expect(scenario.bodyFetches == [])
    #expect(scenario.proxy.commands(named: ["FETCH"]).allSatisfy { !$0.contains(".MIME]") })
    let verified = try scenario.mirror.run(["verify"])
    #expect(verified.status == 0 && verified.outputText.contains("9 stubs"), "\(verified.summary)")
    #expect(try scenario.mirror.run(["push"]).status == 0)
    let filled = try scenario.mirror.run(["fill", "--all"])
    #expect(filled.status == 0, "\(filled.summary)")
    try scenario.expectMirrored()
  }

  @Test(.enabled(if: FaultRun.isPossible, "no strace"), arguments: FaultRun.calls)
  func `killed while it pulls stubs, the next pull has each message once`(call: String) throws {
    for number in Machine.long ? Array(1...60) : [2, 9] {
      let scenario = try scenario()
      try scenario.client.append(OnDemandMail.corpus())
      let killed = try FaultRun(scenario.mirror).kill(at: call, number)
      try scenario.pull()
      let tree = try scenario.mirror.tree()
      for token in stubbed + whole {
        #expect(tree.count(of: "<\(token)@") == 1, "\(call) \(number): \(token)")
      }
      try scenario.expectQuiet()
      #expect(try scenario.mirror.run(["fill", "--all"]).status == 0)
      try scenario.expectMirrored()
      if killed.ending == .exited(0) { break }
    }
  }

  @Test func `a whole file beside its stub, as another machine has it, is not sent`() throws {
    let scenario = try scenario()
    try scenario.client.append([OnDemandMail.mixed("a"), OnDemandMail.mixed("b", seed: 2)])
    try scenario.pull()
    let stubs = try scenario.mirror.tree()["INBOX"]
    #expect(try scenario.mirror.run(["fill", "--all"]).status == 0)
    // As rsync merges the trees of two machines: the old names come back beside the new ones.
    for stub in stubs {
      try writeFile(scenario.mirror.account + "/" + stub.path, stub.raw)
    }
    scenario.proxy.forget()
    let pushed = try scenario.mirror.run(["push"])
    #expect(pushed.status == 0, "\(pushed.summary)")
    #expect(scenario.proxy.changingCommands == [])
    // And the reverse: the state knows the stubs, and the whole files lie beside.
    #expect(try scenario.mirror.run(["stub", "--all"]).status == 0)
    let whole = try scenario.client.messages(in: "INBOX")
    for (number, message) in whole.enumerated() {
      let bytes = scenario.oracle.fileBytes(message.bytes)
      try Reader(scenario.mirror).deliver(bytes, name: "other.\(number)", to: "INBOX")
    }
    #expect(try scenario.mirror.run(["push"]).status == 0)
    #expect(scenario.proxy.changingCommands == [])
    #expect(try scenario.client.messages(in: "INBOX").count == 2)
  }

  @Test func `a stub that another machine has filled is the message, wherever it lies`() throws {
    let scenario = try scenario()
    try scenario.client.create("Archive")
    try scenario.client.append([OnDemandMail.mixed("a")])
    try scenario.pull()
    let stub = try #require(try scenario.local("<a@"))
    let message = try #require(try scenario.client.messages(in: "INBOX").first)
    let reader = Reader(scenario.mirror)
    try reader.remove(stub)
    try reader.deliver(
      scenario.oracle.fileBytes(message.bytes), name: stub.base, to: "Archive", flags: "")
    scenario.proxy.forget()
    let pushed = try scenario.mirror.run(["push"])
    #expect(pushed.status == 0, "\(pushed.summary)")
    #expect(scenario.proxy.commands(named: ["APPEND"]) == [])
    #expect(try scenario.client.messages(in: "Archive").count == 1)
    #expect(try scenario.client.messages(in: "INBOX").isEmpty)
    try scenario.pull()
    #expect(try scenario.mirror.run(["fill", "--all"]).status == 0)
    try scenario.expectMirrored()
  }

  @Test func `a mailbox that is numbered anew keeps its stubs`() throws {
    let scenario = try scenario()
    try scenario.client.create("Box")
    try scenario.client.append(
      [OnDemandMail.mixed("one"), OnDemandMail.mixed("two", seed: 2)], to: "Box")
    try scenario.pull()
    try scenario.client.delete("Box")
    try scenario.client.create("Box")
    try scenario.client.append(
      [OnDemandMail.mixed("two", seed: 2), OnDemandMail.mixed("one")], to: "Box")
    try scenario.pull()
    #expect(scenario.bodyFetches == [])
    #expect(try scenario.mirror.tree()["Box"].allSatisfy(\.isStub))
    #expect(try scenario.mirror.run(["fill", "--all"]).status == 0)
    try scenario.expectMirrored()
  }
}
