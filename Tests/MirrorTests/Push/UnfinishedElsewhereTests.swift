import MailTestKit
import Testing

/// A push was cut off behind something that the server had done, a reader went on, and the server's mailboxes are no
/// longer what they were when a pull comes.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct UnfinishedElsewhereTests {
  enum Begun: CaseIterable { case upload, move }
  enum Afterwards: CaseIterable { case movesOn, movesBack, removes }

  private func stage(sync: String = "") throws -> PushStage {
    try PushStage(.modern, sync: sync) { account in
      account.add("Other")
      account.change("Work") { $0.deliver(SampleMessage(token: "w0")) }
      account.change("Drafts") { $0.deliver(SampleMessage(token: "d0", flags: ["\\Draft"])) }
    }
  }

  /// Of this message the push was cut off, on its way to Work.
  private func begin(_ begun: Begun, _ stage: PushStage) throws -> String {
    switch begun {
    case .upload:
      try stage.deliver("new", to: "Work")
      try stage.killPush(at: "APPEND")
      return "new"
    case .move:
      try stage.reader.move(stage.local("m1"), to: "Work")
      try stage.killPush(at: "UID MOVE")
      return "m1"
    }
  }

  /// - Returns: where the message belongs then.
  private func act(_ afterwards: Afterwards, on token: String, _ stage: PushStage) throws -> String
  {
    let message = try stage.local(token)
    switch afterwards {
    case .movesOn:
      // A reader's way of moving: under a new name.
      try stage.reader.deliver(message.raw, name: "17.5_r.host", to: "Other")
      try stage.reader.remove(message)
      return "Other"
    case .movesBack:
      try stage.reader.move(message, to: "INBOX")
      return "INBOX"
    case .removes:
      try stage.reader.remove(message)
      return "Trash"
    }
  }

  private func expect(_ token: String, in place: String, _ stage: PushStage) throws {
    for _ in 0..<3 {
      _ = try stage.mirror.run(["push"])
      try stage.mirror.pull()
    }
    #expect(stage.places(token) == [place])
    try stage.expectSettled()
    #expect(stage.places(token) == [place])
    #expect(try stage.mirror.tree().count(of: "<\(token)@") == 1)
    _ = try stage.local(token, in: place)
  }

  private func refuseOnce(_ stage: PushStage, _ mailbox: String, times: Int = 1) {
    let left = Locked(times)
    stage.server.alter { command, replies in
      guard ["EXAMINE", "SELECT"].contains(command.name), command.text.contains(mailbox),
        left.value > 0
      else { return replies }
      left.value -= 1
      return [.line("\(command.tag) NO [INUSE] in a moment")]
    }
  }

  @Test(arguments: [true, false], Afterwards.allCases)
  func `its mailbox has another name on the server`(pullsFirst: Bool, afterwards: Afterwards) throws
  {
    for begun in Begun.allCases {
      let stage = try stage()
      let token = try begin(begun, stage)
      stage.account.change("Work") { $0.name = "Job" }
      let place = try act(afterwards, on: token, stage)
      let first = try stage.mirror.run([pullsFirst ? "pull" : "push"])
      #expect(first.status == 1, "\(first.summary)")
      try expect(token, in: place, stage)
    }
  }

  @Test(arguments: ["renamed", "deleted", "renumbered"], [Afterwards.movesOn, .removes])
  func `the mailbox that it left is another`(change: String, afterwards: Afterwards) throws {
    let stage = try stage()
    try stage.reader.move(stage.local("w0"), to: "INBOX")
    try stage.killPush(at: "UID MOVE")
    switch change {
    case "renamed": stage.account.change("Work") { $0.name = "Job" }
    case "deleted": stage.account.change { $0.removeAll { $0.name == "Work" } }
    default: stage.account.change("Work") { $0.renumber(from: 7) }
    }
    let place = try act(afterwards, on: "w0", stage)
    try stage.mirror.pull()
    try expect("w0", in: place, stage)
  }

  @Test(arguments: Begun.allCases, Afterwards.allCases)
  func `its mailbox was renumbered`(begun: Begun, afterwards: Afterwards) throws {
    let stage = try stage()
    let token = try begin(begun, stage)
    stage.account.change("Work") { $0.renumber(from: 7) }
    let place = try act(afterwards, on: token, stage)
    _ = try stage.mirror.run(["pull"])
    try expect(token, in: place, stage)
  }

  @Test func `its mailbox was renumbered, and it had not arrived`() throws {
    let stage = try stage()
    let token = try begin(.upload, stage)
    stage.account.change("Work") { box in
      box.expunge(box.messages[1].uid)
      box.renumber(from: 7)
    }
    let outcome = try stage.mirror.run(["pull"])
    #expect(!outcome.errorText.contains("not found in it again"), "\(outcome.summary)")
    try expect(token, in: "Work", stage)
  }

  @Test(arguments: Begun.allCases, Afterwards.allCases)
  func `its mailbox is refused once`(begun: Begun, afterwards: Afterwards) throws {
    let stage = try stage()
    let token = try begin(begun, stage)
    let place = try act(afterwards, on: token, stage)
    refuseOnce(stage, "Work")
    let outcome = try stage.mirror.run(["pull"])
    #expect(outcome.status == 1, "\(outcome.summary)")
    stage.server.alter(nil)
    try expect(token, in: place, stage)
  }

  @Test(arguments: ["Work", "INBOX"], ["EXAMINE", "UID SEARCH", "UID FETCH"])
  func `what stays closed keeps no mailbox out for ever`(closed: String, command: String) throws {
    let stage = try stage()
    _ = try begin(.move, stage)
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
    try expect("m1", in: "Work", stage)
    _ = try stage.local("late", in: "INBOX")
  }

  @Test func `a mailbox on which the server hangs up keeps none out for ever`() throws {
    let stage = try stage()
    _ = try begin(.move, stage)
    stage.server.alter { command, replies in
      command.name == "EXAMINE" && command.text.contains("Work") ? [.hangUp] : replies
    }
    stage.account.change("INBOX") { $0.deliver(SampleMessage(token: "fresh")) }
    for _ in 0..<4 { _ = try stage.mirror.run(["pull"]) }
    _ = try stage.local("fresh", in: "INBOX")
    stage.server.alter(nil)
    try expect("m1", in: "Work", stage)
  }

  @Test func `a renumbered mailbox that is mirrored no more keeps none out for ever`() throws {
    let stage = try stage()
    _ = try begin(.move, stage)
    stage.account.change("Work") { $0.renumber(from: 7) }
    try stage.mirror.configure { $0.sync = "folders = [\"*\", \"!Work\"]" }
    stage.account.change("INBOX") { $0.deliver(SampleMessage(token: "fresh")) }
    for _ in 0..<4 { _ = try stage.mirror.run(["pull"]) }
    _ = try stage.local("fresh", in: "INBOX")
  }

  @Test func `a message that is taken and never shown lets its copies be sent`() throws {
    var dialect = Dialect(capabilities: ["MOVE"])
    dialect.storing = { Array("X-Seen-By: server\r\n".utf8) + $0 }
    let stage = try PushStage(dialect) { $0.add("Other") }
    try stage.deliverNameless(to: "Work")
    try stage.push(1)
    try stage.deliverNameless(to: "Other", name: "17.2_copy.host")
    try stage.push(1)
    #expect(stage.places("fresh").sorted() == ["Other", "Work"])
  }

  @Test func `a draft that was edited again behind a refusal is there once`() throws {
    let stage = try stage()
    for text in ["one more line\n", "and another\n"] {
      let draft = try stage.local("d0")
      try stage.reader.rewrite(draft, draft.raw + Array(text.utf8))
      if text == "one more line\n" { try stage.killPush(at: "APPEND") }
    }
    refuseOnce(stage, "Drafts")
    _ = try stage.mirror.run(["pull"])
    stage.server.alter(nil)
    try expect("d0", in: "Drafts", stage)
    #expect(stage.count(of: "and another", in: "Drafts") == 1)
  }

  /// The server shows to one session late what another brought.
  @Test(arguments: [Afterwards.movesOn, .removes])
  func `what was taken and shows late is where it was last put`(afterwards: Afterwards) throws {
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
    let place = try act(afterwards, on: "new", stage)
    try stage.mirror.pull()
    _ = try stage.mirror.run(["push"])
    #expect(stage.places("new") == [], "not sent again")
    stage.account["Work"] = after.value
    try expect("new", in: place, stage)
  }

  @Test func `with a window by size the rest is pulled, too`() throws {
    let stage = try stage(sync: "window = \"1MB\"")
    _ = try begin(.upload, stage)
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
    let stage = try stage()
    let token = try begin(.upload, stage)
    _ = try act(.movesOn, on: token, stage)
    let before = TreeSnapshot(stage.mirror.account, leavingOut: Scenario.isBookkeeping)
    let outcome = try stage.mirror.run(["pull", "--dry-run"])
    let after = TreeSnapshot(stage.mirror.account, leavingOut: Scenario.isBookkeeping)
    #expect(before.changes(to: after) == [])
    #expect(outcome.outputText.contains("0 new"), "\(outcome.summary)")
  }
}
