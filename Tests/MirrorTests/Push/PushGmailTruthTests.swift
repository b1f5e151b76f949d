import Foundation
import MailTestKit
import Testing

/// What Gmail says is one thing, what its mailboxes show another.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct PushGmailTruthTests {
  // MARK: Deleting or archiving

  @Test(arguments: [false, true])
  func `what another client took out of the other folder is deleted, and not archived`(moves: Bool)
    throws
  {
    let stage = try GmailStage()
    stage.takeOut("b0", of: "Work")
    let message = try stage.local("b0", in: "INBOX")
    if moves {
      try stage.reader.move(message, to: GmailStage.trash)
    } else {
      try stage.reader.remove(message)
    }
    try stage.push()
    #expect(stage.places("b0") == [GmailStage.trash])
    #expect(!stage.isArchived("b0"))
    try stage.expectSettled()
    #expect(try stage.mirror.tree().count(of: "<b0@") == 1)
  }

  @Test(arguments: [false, true])
  func `a copy that no label tells of is looked for before a message goes to Trash`(moves: Bool)
    throws
  {
    let stage = try GmailStage()
    let message = try stage.local("b0", in: "INBOX")
    if moves {
      try stage.reader.move(message, to: GmailStage.trash)
    } else {
      try stage.reader.remove(message)
    }
    stage.server.alter { command, replies in
      guard command.name == "UID FETCH" else { return replies }
      return replies.map { reply in
        guard reply.text.contains("X-GM-LABELS") else { return reply }
        return .line(reply.text.replacing("\"Work\"", with: ""))
      }
    }
    try stage.push()
    stage.server.alter(nil)
    #expect(stage.places("b0") == ["Work"])
    try stage.expectSettled()
  }

  @Test func `a file that comes back in mid-push keeps its message from Trash`() throws {
    let stage = try GmailStage()
    let back = try stage.local("b0", in: "Work")
    try stage.reader.remove(stage.local("b0", in: "INBOX"))
    try stage.reader.remove(back)
    try stage.reader.setFlags(stage.local("m1"), "F")
    let path = stage.mirror.account + "/" + back.path
    stage.server.alter { command, replies in
      if command.name == "UID STORE" { try? writeFile(path, back.raw) }
      return replies
    }
    try stage.push()
    stage.server.alter(nil)
    #expect(stage.places("b0") == ["Work"])
    try stage.expectSettled()
  }

  // MARK: OK, and nothing to be seen of it

  /// What an APPEND brought is not in Work a moment later, and perhaps nowhere.
  private func throwAway(_ stage: GmailStage, keeping kept: String? = nil) {
    let account = stage.account
    stage.server.alter { command, replies in
      guard command.name == "APPEND" else { return replies }
      for box in account.mailboxes where box.name != kept {
        let uids = box.messages.filter { contains($0.bytes, Array("<fresh@".utf8)) }.map(\.uid)
        account.change(box.name) { box in for uid in uids { box.expunge(uid) } }
      }
      return replies
    }
  }

  @Test func `what Gmail had, and throws away behind its OK, gets its label`() throws {
    let stage = try GmailStage()
    try stage.deliver("fresh", to: "Work")
    throwAway(stage, keeping: GmailStage.all)
    try stage.push()
    stage.server.alter(nil)
    #expect(stage.places("fresh") == ["Work"])
    #expect(stage.server.server.received(named: ["APPEND"]).count == 1)
    try stage.expectSettled()
    #expect(try stage.mirror.tree().count(of: "<fresh@") == 1)
  }

  @Test func `what is thrown away behind an OK stays here, and is not sent twice`() throws {
    let stage = try GmailStage()
    try stage.deliver("fresh", to: "Work")
    throwAway(stage)
    for number in 0..<3 {
      let outcome = try stage.push(1)
      let said = number == 0 ? "does not show it" : "not found on the server yet"
      #expect(outcome.errorText.contains(said), "\(outcome.errorText)")
      try stage.mirror.pull()
      #expect(try stage.local("fresh").folder == "Work")
    }
    #expect(stage.server.server.received(named: ["APPEND"]).count == 1)
    stage.server.alter(nil)
    // There it is at last.
    stage.account.deliver(SampleMessage(token: "fresh"), labelled: ["Work"])
    try stage.push()
    #expect(stage.places("fresh") == ["Work"])
    #expect(stage.server.server.received(named: ["APPEND"]).count == 1)
    try stage.expectSettled()
    #expect(try stage.mirror.tree().count(of: "<fresh@") == 1)
  }

  @Test func `a copy that is not shown is asked for again, and its file stays`() throws {
    let stage = try GmailStage()
    try stage.copy(stage.local("m0"), to: "Work", as: "17.1_copy.host")
    stage.refusals.value = [("UID COPY", "", "OK [COPYUID 1500000000 1 77] (Success)")]
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("does not show"), "\(outcome.errorText)")
    try stage.mirror.pull()
    #expect(try stage.local("m0", in: "Work").folder == "Work")
    stage.refusals.value = []
    try stage.push()
    #expect(stage.places("m0").sorted() == ["INBOX", "Work"])
    #expect(stage.server.server.received(named: ["APPEND"]) == [])
    try stage.expectSettled()
  }

  @Test(arguments: [false, true])
  func `OK for what is still there is said, stays as it is here, and waits`(pullsBetween: Bool)
    throws
  {
    let stage = try GmailStage()
    try stage.reader.move(stage.local("m0"), to: "Work")
    try stage.reader.remove(stage.local("m1"))
    try stage.reader.remove(stage.local("b0", in: "Work"))
    stage.refusals.value = [("UID MOVE", "", "OK Success")]
    for _ in 0..<2 {
      let outcome = try stage.push(1)
      let said = outcome.errorText.components(separatedBy: "still where they were").count - 1
      #expect(said == 3, "\(outcome.errorText)")
      #expect(
        outcome.outputText.contains("0 moved, 0 sent, 0 deleted, 3 waiting"),
        "\(outcome.outputText)")
      if pullsBetween { try stage.mirror.pull() }
      #expect(try stage.local("m0").folder == "Work")
    }
    stage.refusals.value = []
    try stage.push()
    #expect(stage.places("m0") == ["Work"])
    #expect(stage.places("m1") == [GmailStage.trash])
    #expect(stage.places("b0") == ["INBOX"])
    try stage.expectSettled()
  }

  @Test func `a move out of Sent Mail is a copy, as Gmail keeps what was sent there`() throws {
    let sent = "[Gmail]/Sent Mail"
    let stage = try GmailStage()
    let message = SampleMessage(token: "sent")
    stage.account.deliver(message, labelled: [sent])
    try stage.mirror.pull()
    try stage.reader.move(stage.local("sent"), to: "Work")
    stage.refusals.value = [("UID MOVE", "", "OK [COPYUID 1500000000 1 5] (Success)")]
    let account = stage.account
    stage.server.alter { command, replies in
      if command.name == "UID MOVE" { account.deliver(message, labelled: ["Work"]) }
      return replies
    }
    try stage.push()
    stage.server.alter(nil)
    stage.refusals.value = []
    #expect(stage.places("sent").sorted() == ["Work", sent])
    try stage.expectSettled()
    #expect(try stage.mirror.tree().count(of: "<sent@") == 2)
  }

  // MARK: Cut off between OK and what follows

  @Test(arguments: ["APPEND", "UID COPY"], [false, true])
  func `cut off behind an OK, the rest follows in the next run`(command: String, pulls: Bool) throws
  {
    let stage = try GmailStage(sync: "folders = [\"*\", \"!topic\"]")
    try stage.deliver("fresh", to: "Work", keywords: "topic")
    try stage.copy(stage.local("m3"), to: "Later", as: "17.3_copy.host")
    try stage.killPush(behind: command)
    if pulls { try stage.mirror.pull() }
    try stage.push()
    #expect(stage.places("fresh").sorted() == ["Work", "topic"])
    #expect(stage.places("m3").sorted() == ["INBOX", "Later"])
    #expect(stage.server.server.received(named: ["APPEND"]).count == 1)
    #expect(stage.server.server.received(named: ["UID COPY", "COPY"]).count == 1)
    // Known by its identity: where another folder has it, too, it only leaves this one.
    stage.account.deliver(
      try SampleMessage(
        bytes: #require(stage.message("fresh", in: "Work")).bytes, date: 1_600_000_000, flags: []),
      labelled: ["Later"])
    try stage.mirror.pull()
    try stage.reader.remove(stage.local("fresh", in: "Work"))
    let dry = try stage.mirror.run(["push", "--dry-run"])
    #expect(dry.outputText.contains("other folders keep"), "\(dry.outputText)")
    try stage.push()
    #expect(stage.places("fresh").sorted() == ["Later", "topic"])
    try stage.expectSettled()
  }

  // MARK: Without MOVE

  @Test(arguments: [false, true])
  func `where a message was copied to, it stays when its old label goes`(isKilled: Bool) throws {
    let stage = try GmailStage(without: ["MOVE"])
    try stage.reader.move(stage.local("m0"), to: "Work")
    if isKilled { try stage.killPush(behind: "UID COPY") }
    try stage.push()
    #expect(stage.places("m0") == ["Work"])
    try stage.reader.remove(stage.local("m1"))
    try stage.push()
    #expect(stage.places("m1") == [GmailStage.trash])
    try stage.expectSettled()
  }

  // MARK: Second files

  @Test func `a rewritten copy of a deleted file is neither moved nor deleted`() throws {
    let stage = try GmailStage()
    let message = try stage.local("m0")
    try stage.copy(message, to: "Work", as: message.base)
    try stage.push()
    #expect(stage.places("m0").sorted() == ["INBOX", "Work"])
    try stage.mirror.pull()
    try stage.reader.remove(stage.local("m0", in: "INBOX"))
    let copy = try stage.local("m0", in: "Work")
    let path = stage.mirror.account + "/" + copy.path
    try FileManager.default.moveItem(
      atPath: path, toPath: path.replacing(message.base, with: message.base + "~k1"))
    try stage.push()
    #expect(stage.places("m0") == ["Work"])
    #expect(stage.server.server.received(named: ["APPEND"]) == [])
    try stage.expectSettled()
  }
}
