import MailTestKit
import Testing

/// A push was cut off behind something that the server had done, a reader went on, and the server's mailboxes are no
/// longer what they were when a pull comes.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct UnfinishedElsewhereTests {
  @Test(arguments: [true, false], PushStage.Afterwards.allCases)
  func `its mailbox has another name on the server`(
    pullsFirst: Bool, afterwards: PushStage.Afterwards
  ) throws {
    for begun in PushStage.Begun.allCases {
      let stage = try PushStage.interruptible()
      let token = try stage.begin(begun)
      stage.account.change("Work") { $0.name = "Job" }
      let place = try stage.act(afterwards, on: token)
      let first = try stage.mirror.run([pullsFirst ? "pull" : "push"])
      #expect(first.status == 1, "\(first.summary)")
      try stage.expect(token, in: place)
    }
  }

  @Test(arguments: ["renamed", "deleted", "renumbered"], [PushStage.Afterwards.movesOn, .removes])
  func `the mailbox that it left is another`(change: String, afterwards: PushStage.Afterwards)
    throws
  {
    let stage = try PushStage.interruptible()
    try stage.reader.move(stage.local("w0"), to: "INBOX")
    try stage.killPush(at: "UID MOVE")
    switch change {
    case "renamed": stage.account.change("Work") { $0.name = "Job" }
    case "deleted": stage.account.change { $0.removeAll { $0.name == "Work" } }
    default: stage.account.change("Work") { $0.renumber(from: 7) }
    }
    let place = try stage.act(afterwards, on: "w0")
    try stage.mirror.pull()
    try stage.expect("w0", in: place)
  }

  @Test(arguments: PushStage.Begun.allCases, PushStage.Afterwards.allCases)
  func `its mailbox was renumbered`(begun: PushStage.Begun, afterwards: PushStage.Afterwards) throws
  {
    let stage = try PushStage.interruptible()
    let token = try stage.begin(begun)
    stage.account.change("Work") { $0.renumber(from: 7) }
    let place = try stage.act(afterwards, on: token)
    _ = try stage.mirror.run(["pull"])
    try stage.expect(token, in: place)
  }

  @Test func `its mailbox was renumbered, and it had not arrived`() throws {
    let stage = try PushStage.interruptible()
    let token = try stage.begin(.upload)
    stage.account.change("Work") { box in
      box.expunge(box.messages[1].uid)
      box.renumber(from: 7)
    }
    let outcome = try stage.mirror.run(["pull"])
    #expect(!outcome.errorText.contains("not found in it again"), "\(outcome.summary)")
    try stage.expect(token, in: "Work")
  }

  @Test(arguments: PushStage.Begun.allCases, PushStage.Afterwards.allCases)
  func `its mailbox is refused once`(begun: PushStage.Begun, afterwards: PushStage.Afterwards)
    throws
  {
    let stage = try PushStage.interruptible()
    let token = try stage.begin(begun)
    let place = try stage.act(afterwards, on: token)
    stage.refuseOnce("Work")
    let outcome = try stage.mirror.run(["pull"])
    #expect(outcome.status == 1, "\(outcome.summary)")
    stage.server.alter(nil)
    try stage.expect(token, in: place)
  }

  @Test(arguments: ["Work", "INBOX"], ["EXAMINE", "UID SEARCH", "UID FETCH"])
  func `what stays closed keeps no mailbox out for ever`(closed: String, command: String) throws {
    let stage = try PushStage.interruptible()
    _ = try stage.begin(.move)
    stage.server.alter { received, replies in
      let isOpening = ["EXAMINE", "SELECT"].contains(received.name)
      guard isOpening == (command == "EXAMINE"), isOpening || received.name == command,
        isOpening ? received.text.contains(closed) : received.mailbox == closed
      else { return replies }
      return [.line("\(received.tag) NO [NOPERM] never")]
    }
    let open = closed == "Work" ? "INBOX" : "Other"
    for number in 1...5 {
      stage.account.change(open) { $0.deliver(SampleMessage(token: "fresh\(number)")) }
      let outcome = try stage.mirror.run(["pull"])
      guard number == 5 else { continue }
      let brought = try stage.mirror.tree()[open].contains { $0.raw.contains("<fresh5@".utf8) }
      #expect(brought, "\(outcome.summary)")
    }
    stage.server.alter(nil)
    stage.account.change("INBOX") { $0.deliver(SampleMessage(token: "late")) }
    try stage.expect("m1", in: "Work")
    _ = try stage.local("late", in: "INBOX")
  }

  @Test func `a mailbox on which the server hangs up keeps none out for ever`() throws {
    let stage = try PushStage.interruptible()
    _ = try stage.begin(.move)
    stage.server.alter { command, replies in
      command.name == "EXAMINE" && command.text.contains("Work") ? [.hangUp] : replies
    }
    stage.account.change("INBOX") { $0.deliver(SampleMessage(token: "fresh")) }
    for _ in 0..<4 { _ = try stage.mirror.run(["pull"]) }
    _ = try stage.local("fresh", in: "INBOX")
    stage.server.alter(nil)
    try stage.expect("m1", in: "Work")
  }

  @Test func `a renumbered mailbox that is mirrored no more keeps none out for ever`() throws {
    let stage = try PushStage.interruptible()
    _ = try stage.begin(.move)
    stage.account.change("Work") { $0.renumber(from: 7) }
    try stage.mirror.configure { $0.sync = "folders = [\"*\", \"!Work\"]" }
    stage.account.change("INBOX") { $0.deliver(SampleMessage(token: "fresh")) }
    for _ in 0..<4 { _ = try stage.mirror.run(["pull"]) }
    _ = try stage.local("fresh", in: "INBOX")
  }

  @Test func `a message that is taken and never shown lets its copies be sent`() throws {
    let stage = try PushStage(.rewriting) { $0.add("Other") }
    try stage.deliverNameless(to: "Work")
    try stage.push(1)
    try stage.deliverNameless(to: "Other", name: "17.2_copy.host")
    try stage.push(1)
    #expect(stage.places("fresh").sorted() == ["Other", "Work"])
  }

  @Test func `a draft that was edited again behind a refusal is there once`() throws {
    let stage = try PushStage.interruptible()
    for text in ["one more line\n", "and another\n"] {
      let draft = try stage.local("d0")
      try stage.reader.rewrite(draft, draft.raw + Array(text.utf8))
      if text == "one more line\n" { try stage.killPush(at: "APPEND") }
    }
    stage.refuseOnce("Drafts")
    _ = try stage.mirror.run(["pull"])
    stage.server.alter(nil)
    try stage.expect("d0", in: "Drafts")
    #expect(stage.count(of: "and another", in: "Drafts") == 1)
  }

  /// The server shows to one session late what another brought.
  @Test(arguments: [PushStage.Afterwards.movesOn, .removes])
  func `what was taken and shows late is where it was last put`(afterwards: PushStage.Afterwards)
    throws
  {
    let stage = try PushStage(Dialect(capabilities: ["MOVE"])) { $0.add("Other") }
    let before = try #require(stage.account["Work"])
    try stage.deliver("new", to: "Work")
    let after = Locked<ModelMailbox?>(nil)
    stage.server.alter { [account = stage.account] command, replies in
      if command.name == "APPEND" {
        after.value = account["Work"]
        account["Work"] = before
      }
      return replies
    }
    _ = try stage.mirror.run(["push"])
    let place = try stage.act(afterwards, on: "new")
    try stage.mirror.pull()
    _ = try stage.mirror.run(["push"])
    #expect(stage.places("new") == [], "not sent again")
    stage.account["Work"] = after.value
    try stage.expect("new", in: place)
  }

  @Test func `with a window by size the rest is pulled, too`() throws {
    let stage = try PushStage.interruptible(sync: "window = \"1MB\"")
    _ = try stage.begin(.upload)
    stage.account.change("Other") { $0.deliver(SampleMessage(token: "fresh")) }
    stage.server.alter { command, replies in
      ["EXAMINE", "SELECT"].contains(command.name) && command.text.contains("Work")
        ? [.hangUp] : replies
    }
    let outcome = try stage.mirror.run(["pull"])
    #expect(outcome.status == 1, "\(outcome.summary)")
    _ = try stage.local("fresh", in: "Other")
  }

  @Test func `a dry run tells what a pull would bring beside it`() throws {
    let stage = try PushStage.interruptible()
    let token = try stage.begin(.upload)
    _ = try stage.act(.movesOn, on: token)
    let before = TreeSnapshot(stage.mirror.account, leavingOut: Scenario.isBookkeeping)
    let outcome = try stage.mirror.run(["pull", "--dry-run"])
    let after = TreeSnapshot(stage.mirror.account, leavingOut: Scenario.isBookkeeping)
    #expect(before.changes(to: after) == [])
    #expect(outcome.outputText.contains("0 new"), "\(outcome.summary)")
  }
}
