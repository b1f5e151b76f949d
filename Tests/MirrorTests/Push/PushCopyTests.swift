import MailTestKit
import Testing

/// A file copied to another folder: the server copies its message, and no body goes over the wire.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct PushCopyTests {
  private func copy(_ token: String, _ stage: PushStage, flags: String? = nil) throws {
    let message = try stage.local(token)
    try stage.reader.deliver(
      message.raw, name: "17.1_\(token)-copy.host", to: "Work", flags: flags ?? message.flags)
  }

  private func dialect(_ name: String) -> Dialect {
    switch name {
    case "modern": .modern
    case "exchange": .exchange
    case "uidplus": Dialect(capabilities: ["UIDPLUS"])
    default: .bare
    }
  }

  @Test(arguments: ["modern", "exchange", "uidplus", "bare"])
  func `the server copies what it can confirm`(name: String) throws {
    let stage = try PushStage(dialect(name))
    try copy("m0", stage)
    try copy("m1", stage, flags: "FS")
    let dry = try stage.mirror.run(["push", "--dry-run"])
    #expect(dry.outputText.contains("copy 2 messages to Work"), "\(dry.outputText)")
    try stage.push()
    let sent = stage.server.server.received(named: ["APPEND"])
    #expect(sent.isEmpty == (name != "bare"), "\(sent)")
    #expect(stage.places("m0") == ["INBOX", "Work"] && stage.places("m1") == ["INBOX", "Work"])
    #expect(stage.remote("m0", in: "Work")?.flags == [])
    #expect(stage.remote("m1", in: "Work")?.flags == ["\\Flagged", "\\Seen"])
    #expect(stage.remote("m1", in: "INBOX")?.flags == [])
    try stage.expectSettled()
  }

  @Test(arguments: ["NO [CANNOT] not here", "BAD what?"])
  func `a refused copy is sent instead`(words: String) throws {
    let stage = try PushStage(.modern)
    try copy("m0", stage)
    stage.refusals.value = [("UID COPY", "", words)]
    try stage.push()
    #expect(stage.server.server.received(named: ["APPEND"]).count == 1)
    #expect(stage.places("m0") == ["INBOX", "Work"])
    try stage.expectSettled()
  }

  @Test func `what is gone from the server meanwhile is sent`() throws {
    let stage = try PushStage(.modern)
    try copy("m0", stage)
    stage.account.change("INBOX") { $0.expunge($0.messages[0].uid) }
    try stage.push()
    #expect(stage.places("m0") == ["Work"])
    try stage.expectSettled()
  }

  @Test(arguments: ["modern", "uidplus"], [false, true])
  func `a copy whose answer is lost is looked for, and not made again`(
    name: String, pullsBetween: Bool
  ) throws {
    let stage = try PushStage(dialect(name))
    try copy("m0", stage)
    try stage.killPush(at: "UID COPY")
    #expect(stage.places("m0") == ["INBOX", "Work"])
    if pullsBetween { try stage.mirror.pull() }
    try stage.push()
    #expect(stage.places("m0") == ["INBOX", "Work"])
    #expect(try stage.mirror.tree().count(of: "<m0@") == 2)
    try stage.expectSettled()
  }

  @Test func `a message moved to one folder and copied to another`() throws {
    let stage = try PushStage(.modern)
    stage.account.add("Later")
    try stage.mirror.pull()
    try copy("m0", stage)
    try stage.reader.move(stage.local("m0", in: "INBOX"), to: "Later")
    stage.server.forget()
    try stage.push()
    #expect(stage.places("m0").sorted() == ["Later", "Work"])
    #expect(stage.server.server.received(named: ["APPEND"]) == [])
    try stage.expectSettled()
  }

  @Test func `two copies in one folder are one message`() throws {
    let stage = try PushStage(.modern)
    try copy("m0", stage)
    let message = try stage.local("m0", in: "INBOX")
    try stage.reader.deliver(message.raw, name: "17.2_again.host", to: "Work", flags: "")
    try stage.push()
    #expect(stage.places("m0") == ["INBOX", "Work"])
    try stage.push()
    #expect(stage.places("m0") == ["INBOX", "Work"])
    #expect(stage.server.server.received(named: ["APPEND"]) == [])
  }

  /// A message and a file that repeats it, both in INBOX, the file known as what it is; the message's own file moved.
  private func moveDoubled(_ stage: PushStage) throws {
    let message = try stage.local("m0")
    try stage.reader.deliver(
      message.raw, name: "17.1_again.host", to: "INBOX", flags: message.flags)
    try stage.push()
    #expect(stage.changes == [])
    try stage.reader.move(message, to: "Work")
    stage.server.forget()
  }

  @Test(arguments: ["modern", "uidplus"])
  func `what repeated a message that was moved away is a message of its folder`(name: String) throws
  {
    let stage = try PushStage(dialect(name))
    try moveDoubled(stage)
    try stage.push()
    #expect(stage.places("m0").sorted() == ["INBOX", "Work"])
    #expect(stage.server.server.received(named: ["APPEND"]) == [])
    try stage.expectSettled()
  }

  @Test(arguments: ["UID MOVE", "UID COPY"], [false, true])
  func `it is one still where the push is cut off`(command: String, pullsBetween: Bool) throws {
    let stage = try PushStage(.modern)
    try moveDoubled(stage)
    try stage.killPush(at: command)
    if pullsBetween { try stage.mirror.pull() }
    try stage.push()
    #expect(stage.places("m0").sorted() == ["INBOX", "Work"])
    #expect(try stage.mirror.tree().count(of: "<m0@") == 2)
    try stage.expectSettled()
  }

  @Test(arguments: ["NO [CANNOT] not there", "NO [NOPERM] not yours"])
  func `it is not sent where the move is refused`(words: String) throws {
    let stage = try PushStage(.modern)
    try moveDoubled(stage)
    stage.refusals.value = [("UID MOVE", "", words)]
    for _ in 0..<2 { _ = try stage.mirror.run(["push"]) }
    #expect(stage.places("m0") == ["INBOX"])
    #expect(stage.server.server.received(named: ["APPEND", "COPY"]) == [])
  }

  @Test func `what repeated a message that the server expunged is not sent`() throws {
    let stage = try PushStage(.modern)
    let message = try stage.local("m0")
    try stage.reader.deliver(
      message.raw, name: "17.1_again.host", to: "INBOX", flags: message.flags)
    try stage.push()
    stage.account.change("INBOX") { $0.expunge($0.messages[0].uid) }
    try stage.mirror.pull()
    try stage.push()
    #expect(stage.places("m0") == [])
    #expect(stage.server.server.received(named: ["APPEND", "COPY"]) == [])
  }

  @Test func `what repeats a message of its folder is not what was deleted elsewhere`() throws {
    let stage = try PushStage(.modern) { account in
      account.deliver(SampleMessage(token: "both"), labelled: ["INBOX"])
      account.deliver(SampleMessage(token: "both"), labelled: ["Work"])
    }
    let message = try stage.local("both", in: "INBOX")
    try stage.reader.deliver(
      message.raw, name: "17.1_again.host", to: "INBOX", flags: message.flags)
    try stage.push()
    try stage.reader.remove(stage.local("both", in: "Work"))
    try stage.push()
    #expect(stage.places("both").sorted() == ["INBOX", "Trash"])
    try stage.mirror.pull()
    try stage.push()
    #expect(stage.places("both").sorted() == ["INBOX", "Trash"])
  }

  @Test(.enabled(if: Machine.hasDovecot), arguments: LaterPullTests.ways)
  func `copies on a real server, as cp and as a mail reader makes them`(
    options: DovecotServer.Options
  ) throws {
    let scenario = try Scenario(options)
    try scenario.client.create("Work")
    try scenario.append(["m0", "m1", "m2"])
    try scenario.client.store([2], "+FLAGS", ["\\Seen", "topic"], in: "INBOX")
    try scenario.pull()
    let reader = Reader(scenario.mirror)
    let plain = try #require(try scenario.local("m0@"))
    try reader.deliver(plain.raw, name: "17.1_cp.host", to: "Work", flags: plain.flags)
    let marked = try #require(try scenario.local("m1@"))
    let text = String(decoding: marked.content(), as: UTF8.self)
    try reader.deliver(
      Array(
        text.replacing("\n\n", with: "\nContent-Length: 9\nStatus: RO\n\n", maxReplacements: 1).utf8
      ), name: "17.2_saved.host", to: "Work", flags: "FS")
    try scenario.push()
    #expect(scenario.appends == [] && scenario.proxy.commands(named: ["COPY"]).count == 1)
    #expect(try scenario.places("m0").sorted() == ["INBOX", "Work"])
    let copy = try #require(try scenario.remote("m1", in: "Work"))
    // The keyword was not saved along: a copy has marks of its own.
    #expect(copy.flags.subtracting(["\\Recent"]) == ["\\Seen", "\\Flagged"])
    #expect(try scenario.remote("m1", in: "INBOX")?.flags.contains("topic") == true)
    try scenario.push()
    #expect(scenario.proxy.changingCommands == [])
    try scenario.pull()
    #expect(scenario.bodyFetches == [])
    #expect(try scenario.mirror.tree().count(of: "m1@") == 2)
  }
}
