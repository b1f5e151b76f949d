import MailTestKit
import Testing

/// Mailboxes into which nobody can look while a push has something under way there: how long pulls leave them out, and
/// which ones.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct UndecidedMailboxTests {
  /// What left it is known by a step, and by nothing else, once it has other numbers.
  @Test(arguments: [nil, PushStage.Afterwards.movesOn, .removes])
  func `the mailbox that it left was renumbered, and its own is refused once`(
    afterwards: PushStage.Afterwards?
  ) throws {
    let stage = try PushStage.interruptible()
    try stage.reader.move(stage.local("w0"), to: "Other")
    try stage.killPush(at: "UID MOVE")
    stage.account.change("Work") { $0.renumber(from: 7) }
    let place = try afterwards.map { try stage.act($0, on: "w0") } ?? "Other"
    stage.refuseOnce("Other")
    let outcome = try stage.mirror.run(["pull"])
    #expect(outcome.status == 1, "\(outcome.summary)")
    #expect(!outcome.errorText.contains("not found in it again"), "\(outcome.summary)")
    stage.server.alter(nil)
    try stage.expect("w0", in: place)
  }

  /// Another target, which was looked into without trouble, is not left out with the one that hangs up.
  @Test func `beside a mailbox that hangs up the others are pulled`() throws {
    let stage = try PushStage(.rewriting) { $0.add("Zed") }
    try stage.deliverNameless(to: "Work")
    try stage.push(1)
    try stage.reader.move(stage.local("m1"), to: "Zed")
    try stage.killPush(at: "UID MOVE")
    stage.server.alter { command, replies in
      command.name == "EXAMINE" && command.text.contains("Zed") ? [.hangUp] : replies
    }
    stage.account.change("Work") { $0.deliver(SampleMessage(token: "late")) }
    let outcome = try stage.mirror.run(["pull"])
    #expect(outcome.status == 1, "\(outcome.summary)")
    _ = try stage.local("late", in: "Work")
  }

  /// A pull of something else neither tells of them nor uses the patience up.
  @Test func `a pull that was not to visit it does not count`() throws {
    let stage = try PushStage.interruptible()
    let token = try stage.begin(.move)
    let place = try stage.act(.movesOn, on: token)
    stage.refuseOnce("Work", times: .max)
    for _ in 0..<4 {
      let outcome = try stage.mirror.run(["pull", "personal/Other"])
      #expect(outcome.status == 0, "\(outcome.summary)")
    }
    for _ in 0..<3 {
      let outcome = try stage.mirror.run(["pull"])
      #expect(outcome.errorText.contains("“Work”: "), "\(outcome.summary)")
      #expect(outcome.errorText.contains("left out"), "\(outcome.summary)")
    }
    stage.server.alter(nil)
    try stage.expect(token, in: place)
  }

  @Test func `the next interrupted push is counted from its own beginning`() throws {
    let stage = try PushStage.interruptible()
    let first = try stage.begin(.move)
    stage.refuseOnce("Work", times: .max)
    for _ in 0..<3 { _ = try stage.mirror.run(["pull"]) }
    stage.account.change("Work") { $0.renumber(from: 7) }
    stage.server.alter(nil)
    _ = try stage.mirror.run(["pull"])
    try stage.reader.move(stage.local("m2"), to: "Work")
    try stage.killPush(at: "UID MOVE")
    let place = try stage.act(.removes, on: "m2")
    stage.refuseOnce("Work")
    let outcome = try stage.mirror.run(["pull"])
    #expect(outcome.errorText.contains("left out"), "\(outcome.summary)")
    stage.server.alter(nil)
    try stage.expect("m2", in: place)
    #expect(stage.places(first) == ["Work"])
  }

  @Test func `a message that is never shown is named, with what waits for it`() throws {
    let stage = try PushStage.interruptible()
    let token = try stage.begin(.upload)
    stage.account.change("Work") { box in
      box.expunge(box.messages[1].uid)
      box.deliver(SampleMessage(token: "hidden"))
    }
    stage.server.alter { command, replies in
      command.name == "UID FETCH" && command.mailbox == "Work" ? replies.suffix(1) : replies
    }
    let outcome = try stage.push(1)
    #expect(outcome.errorText.contains("Message 3 of “Work” may be one that was sent from here"))
    stage.server.alter(nil)
    try stage.expect(token, in: "Work")
  }
}
