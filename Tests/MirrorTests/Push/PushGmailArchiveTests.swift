import Foundation
import MailTestKit
import Testing

/// Archiving where All Mail is not mirrored: its folder is where messages wait for the push, and from where they leave the
/// tree when the server has them there alone.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct PushGmailArchiveTests {
  private static let all = GmailStage.all

  @Test(arguments: [true, false]) func `archived messages stay in All Mail, and leave the tree`(
    told: Bool
  ) throws {
    let stage = try GmailStage { $0.tellsOfKnown = told }
    #expect(try !stage.mirror.tree().folders.contains(Self.all))
    try stage.archive("m0")
    try stage.archive("b0")
    #expect(try stage.local("m0").folder == Self.all)
    try stage.reader.setFlags(stage.local("m0"), "FS")
    try stage.push()
    #expect(stage.places("m0") == ["[Gmail]/Starred"] && stage.isArchived("m0"))
    #expect(stage.message("m0", in: Self.all)?.flags.contains("\\Flagged") == true)
    #expect(stage.places("b0") == ["Work"] && stage.isArchived("b0"))
    #expect(stage.server.server.received(named: ["APPEND", "COPY"]) == [])
    stage.server.forget()
    try stage.mirror.pull()
    // A pull has no reason to look there.
    #expect(
      stage.server.server.received(named: ["SELECT", "EXAMINE"]).allSatisfy {
        !$0.contains("All Mail")
      })
    try stage.expectSettled()
    // What another folder holds stays.
    #expect(try stage.count("m0") == 1 && stage.count("b0") == 1)
    #expect(try stage.local("m0").folder == "[Gmail]/Starred")
    #expect(try stage.local("b0").folder == "Work")
  }

  @Test func `a whole INBOX is archived without a word`() throws {
    let stage = try GmailStage()
    for number in 0..<6 { try stage.archive("m\(number)") }
    for number in 0..<4 { try stage.archive("b\(number)") }
    try stage.push()
    #expect(stage.account["INBOX"]?.messages.isEmpty == true)
    stage.expectNothingThrownAway()
    try stage.expectSettled()
  }

  @Test(arguments: ["UID MOVE", "SELECT"])
  func `a push that is killed archives once`(command: String) throws {
    let stage = try GmailStage()
    try stage.archive("m0")
    try stage.archive("b0")
    try stage.killPush(behind: command)
    try stage.mirror.pull()
    try stage.push()
    #expect(stage.places("m0") == [] && stage.isArchived("m0"))
    #expect(stage.places("b0") == ["Work"])
    #expect(stage.server.server.received(named: ["APPEND"]) == [])
    stage.expectNothingThrownAway()
    try stage.expectSettled()
    #expect(try stage.count("m0") == 0 && stage.count("b0") == 1)
  }

  @Test(arguments: [false, true]) func `another client was first`(pullsBetween: Bool) throws {
    let stage = try GmailStage()
    try stage.archive("m0")
    try stage.reader.setFlags(stage.local("m0"), "FS")
    stage.takeOut("m0", of: "INBOX")
    let known = stage.account[Self.all]?.messages.count
    if pullsBetween { try stage.mirror.pull() }
    _ = try stage.mirror.run(["push"])
    try stage.mirror.pull()
    try stage.push()
    #expect(stage.isArchived("m0") && stage.account[Self.all]?.messages.count == known)
    #expect(stage.server.server.received(named: ["APPEND"]) == [])
    #expect(stage.message("m0", in: Self.all)?.flags.contains("\\Flagged") == true)
    stage.expectNothingThrownAway()
    try stage.expectSettled()
  }

  @Test func `what another client threw away meanwhile is somewhere`() throws {
    let stage = try GmailStage()
    try stage.archive("m0")
    stage.account.deliver(SampleMessage(token: "m0"), labelled: [GmailStage.trash])
    try stage.mirror.pull()
    _ = try stage.mirror.run(["push"])
    try stage.mirror.pull()
    try stage.push()
    #expect(stage.isArchived("m0") || stage.places("m0") == [GmailStage.trash])
  }

  @Test func `where Gmail hides All Mail, what waits stays, and nothing is thrown away`() throws {
    let stage = try GmailStage()
    try stage.archive("m0")
    let hidden = stage.account[Self.all]
    stage.account[Self.all] = nil
    stage.refusals.value = [("CREATE", "", "NO [CANNOT] Invalid mailbox name")]
    for _ in 0..<2 {
      _ = try stage.mirror.run(["push"])
      try stage.mirror.pull()
    }
    #expect(try stage.count("m0") == 1)
    #expect(stage.places("m0") == ["INBOX"])
    stage.expectNothingThrownAway()
    let refused = try stage.mirror.run(["archive", "id:m1@example.org"])
    #expect(refused.status != 0 && refused.errorText.contains("archive"), "\(refused.summary)")
    stage.account[Self.all] = hidden
    stage.refusals.value = []
    try stage.mirror.pull()
    try stage.push()
    #expect(stage.places("m0") == [] && stage.isArchived("m0"))
    try stage.expectSettled()
  }

  @Test func `a file that goes by hand before the pull leaves the message archived`() throws {
    let stage = try GmailStage()
    try stage.archive("m0")
    try stage.push()
    try stage.reader.remove(stage.local("m0"))
    try stage.push()
    #expect(stage.isArchived("m0"))
    stage.expectNothingThrownAway()
    try stage.expectSettled()
  }

  @Test func `an older state throws nothing away that a pull has let go`() throws {
    let stage = try GmailStage()
    try stage.archive("m0")
    try stage.push()
    let state = stage.mirror.account + "/.mirror/state.db"
    let older = try readFile(state)
    try stage.mirror.pull()
    #expect(try stage.count("m0") == 0)
    try writeFile(state, older)
    _ = try stage.mirror.run(["push"])
    try stage.mirror.pull()
    try stage.push()
    #expect(stage.isArchived("m0"))
    stage.expectNothingThrownAway()
  }

  @Test(arguments: [true, false]) func `a message is archived again when it came back`(told: Bool)
    throws
  {
    let stage = try GmailStage { $0.tellsOfKnown = told }
    for _ in 0..<3 {
      try stage.archive("m0")
      try stage.push()
      try stage.mirror.pull()
      #expect(stage.places("m0") == [] && stage.isArchived("m0"))
      #expect(try stage.count("m0") == 0)
      stage.account.deliver(SampleMessage(token: "m0"), labelled: ["INBOX"])
      try stage.mirror.pull()
    }
    try stage.expectSettled()
  }

  @Test func `files that a restored tree brings back are not sent again`() throws {
    let stage = try GmailStage()
    try stage.archive("m0")
    let message = try stage.local("m0")
    try stage.push()
    try stage.mirror.pull()
    let known = stage.account[Self.all]?.messages.count
    try stage.copy(message, to: Self.all, as: message.name)
    try stage.push()
    try stage.mirror.pull()
    #expect(stage.account[Self.all]?.messages.count == known && stage.places("m0") == [])
    #expect(stage.server.server.received(named: ["APPEND"]) == [])
    try stage.expectSettled()
  }

  @Test(arguments: [true, false])
  func `a new message in there goes to All Mail, and leaves the tree`(isKnown: Bool) throws {
    let stage = try GmailStage()
    try stage.archive("m0")
    try stage.deliver(isKnown ? "old" : "fresh", to: Self.all, flags: "FS")
    let known = stage.account[Self.all]?.messages.count ?? 0
    try stage.push()
    #expect(stage.account[Self.all]?.messages.count == known + (isKnown ? 0 : 1))
    let message = stage.message(isKnown ? "old" : "fresh", in: Self.all)
    #expect(message?.flags.contains("\\Flagged") == true)
    try stage.expectSettled()
  }

  @Test(arguments: [false, true]) func `with a lost state, what waited is archived once`(
    pushed: Bool
  )
    throws
  {
    let stage = try GmailStage()
    try stage.archive("m0")
    if pushed { try stage.push() }
    let known = stage.account[Self.all]?.messages.count
    try FileManager.default.removeItem(atPath: stage.mirror.account + "/.mirror")
    try stage.mirror.pull()
    try stage.push()
    try stage.mirror.pull()
    try stage.push()
    #expect(stage.places("m0") == [] && stage.account[Self.all]?.messages.count == known)
    #expect(stage.server.server.received(named: ["APPEND"]) == [])
    stage.expectNothingThrownAway()
    try stage.expectSettled()
  }

  @Test func `All Mail that is numbered anew archives on`() throws {
    let stage = try GmailStage()
    try stage.archive("m0")
    try stage.push()
    try stage.mirror.pull()
    try stage.archive("m1")
    stage.account.change(Self.all) { $0.renumber(from: 500) }
    _ = try stage.mirror.run(["push"])
    try stage.mirror.pull()
    try stage.push()
    #expect(stage.places("m1") == [] && stage.isArchived("m1"))
    stage.expectNothingThrownAway()
    try stage.expectSettled()
  }

  @Test func `a label that is mirrored no longer keeps nothing waiting`() throws {
    let stage = try GmailStage()
    try stage.mirror.configure { $0.sync = "folders = [\"*\", \"!Work\"]" }
    try stage.mirror.pull()
    try FileManager.default.removeItem(atPath: stage.mirror.account + "/Work")
    try stage.archive("b0")
    try stage.push()
    try stage.mirror.pull()
    #expect(stage.places("b0") == ["Work"])
    #expect(try stage.count("b0") == 0)
  }

  @Test func `undo takes it back before the push`() throws {
    let stage = try GmailStage()
    try stage.archive("m0")
    let outcome = try stage.mirror.run(["undo"])
    #expect(outcome.status == 0, "\(outcome.summary)")
    #expect(try stage.local("m0").folder == "INBOX")
    try stage.push()
    #expect(stage.places("m0") == ["INBOX"])
    try stage.expectSettled()
  }

  @Test func `a refused move puts it back`() throws {
    let stage = try GmailStage()
    try stage.archive("m0")
    stage.refusals.value = [("UID MOVE", "", "NO [CANNOT] not today")]
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("not today"), "\(outcome.errorText)")
    #expect(stage.places("m0") == ["INBOX"])
    stage.refusals.value = []
    try stage.push()
    try stage.mirror.pull()
    #expect(try stage.count("m0") == (stage.places("m0") == ["INBOX"] ? 1 : 0))
    try stage.expectSettled()
  }

  @Test func `what is archived here and deleted under its other label stays archived`() throws {
    let stage = try GmailStage()
    try stage.archive("b0")
    try stage.reader.remove(stage.local("b0", in: "Work"))
    try stage.push()
    #expect(stage.places("b0") == [] && stage.isArchived("b0"))
    stage.expectNothingThrownAway()
    try stage.expectSettled()
  }

  @Test(arguments: [false, true])
  func `archived here, and deleted under its other label with a pull between`(cut: Bool) throws {
    let stage = try GmailStage()
    try stage.archive("b0")
    if cut {
      try stage.reader.remove(stage.local("b0", in: "Work"))
      try stage.killPush(behind: "UID MOVE")
    } else {
      try stage.push()
      try stage.reader.remove(stage.local("b0", in: "Work"))
    }
    try stage.mirror.pull()
    try stage.push()
    #expect(stage.places("b0") == [] && stage.isArchived("b0"))
    stage.expectNothingThrownAway()
    try stage.expectSettled()
  }

  @Test func `what the server lost of the archive is sent again`() throws {
    let stage = try GmailStage()
    let before = stage.account.mailboxes
    try stage.deliver("fresh", to: "INBOX")
    try stage.push()
    try stage.mirror.pull()
    try stage.archive("fresh")
    try stage.push()
    #expect(stage.places("fresh") == [] && stage.isArchived("fresh"))
    // Restored from a backup.
    for box in before { stage.account[box.name] = box }
    for _ in 0..<2 {
      _ = try stage.mirror.run(["pull"])
      _ = try stage.mirror.run(["push"])
    }
    #expect(stage.isArchived("fresh"))
  }

  @Test func `moved out of there again before the push, nothing was archived`() throws {
    let stage = try GmailStage()
    try stage.archive("m0")
    try stage.reader.move(stage.local("m0"), to: "Later")
    try stage.push()
    #expect(stage.places("m0") == ["Later"])
    try stage.expectSettled()
  }

  @Test func `moved out of there after the push, it has a label again`() throws {
    let stage = try GmailStage()
    try stage.archive("m0")
    try stage.push()
    try stage.reader.move(stage.local("m0"), to: "Later")
    try stage.push()
    #expect(stage.places("m0") == ["Later"] && stage.isArchived("m0"))
    #expect(stage.server.server.received(named: ["APPEND"]) == [])
    try stage.expectSettled()
    #expect(try stage.count("m0") == 1)
  }

  @Test func `folders that leave All Mail out by name archive all the same`() throws {
    let stage = try GmailStage(sync: "folders = [\"INBOX\", \"Work\"]")
    try stage.archive("m0")
    try stage.push()
    try stage.mirror.pull()
    #expect(stage.places("m0") == [] && stage.isArchived("m0"))
    #expect(try stage.count("m0") == 0)
    let status = try stage.mirror.run(["status"])
    #expect(!status.outputText.contains("not mirrored"), "\(status.outputText)")
  }
}
