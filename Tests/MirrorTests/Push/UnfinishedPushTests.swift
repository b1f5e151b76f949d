import MailTestKit
import Testing

/// A push was cut off behind something that the server had done, the reader went on, and a pull comes before the next
/// push: what the reader did last is what comes of it, once.
@Suite(.onBlockingThreads, .enabled(if: Machine.hasProgram)) struct UnfinishedPushTests {
  private static let dialects = [Dialect.modern, Dialect(capabilities: ["UIDPLUS"]), .gmail]

  enum Afterwards: CaseIterable {
    case movesOn, movesBack, removes, renames

    var place: String {
      switch self {
      case .movesOn: "Other"
      case .movesBack: "INBOX"
      case .removes: "Trash"
      case .renames: "Work"
      }
    }
  }

  private func stage(_ number: Int) throws -> PushStage {
    try PushStage(Self.dialects[number]) { account in
      account.add("Other")
      account.change("Drafts") { $0.deliver(SampleMessage(token: "d0", flags: ["\\Draft"])) }
    }
  }

  private func act(_ afterwards: Afterwards, on token: String, _ stage: PushStage) throws {
    let message = try stage.local(token)
    switch afterwards {
    case .movesOn, .movesBack: try stage.reader.move(message, to: afterwards.place)
    case .removes: try stage.reader.remove(message)
    case .renames:
      try stage.reader.deliver(message.raw, name: "17.5_r.host", to: message.folder)
      try stage.reader.remove(message)
    }
  }

  private func expect(_ token: String, in place: String, _ stage: PushStage) throws {
    for _ in 0..<2 {
      try stage.mirror.pull()
      try stage.push()
    }
    #expect(stage.places(token) == [place])
    try stage.expectSettled()
    #expect(stage.places(token) == [place])
    #expect(try stage.mirror.tree().count(of: "<\(token)@") == 1)
  }

  @Test(arguments: dialects.indices, Afterwards.allCases)
  func `a moved message is where it was last put`(number: Int, afterwards: Afterwards) throws {
    let stage = try stage(number)
    try stage.reader.move(stage.local("m1"), to: "Work")
    try stage.killPush(at: number == 1 ? "UID COPY" : "UID MOVE")
    try act(afterwards, on: "m1", stage)
    try expect("m1", in: afterwards.place, stage)
  }

  @Test(arguments: dialects.indices, [Afterwards.movesOn, .removes, .renames])
  func `a new message is where it was last put`(number: Int, afterwards: Afterwards) throws {
    let stage = try stage(number)
    try stage.deliver("new", to: "Work")
    try stage.killPush(at: "APPEND")
    try act(afterwards, on: "new", stage)
    try expect("new", in: afterwards.place, stage)
  }

  @Test(arguments: dialects.indices) func `a draft is there once, as it was last saved`(number: Int)
    throws
  {
    let stage = try stage(number)
    for text in ["one more line\n", "and another\n"] {
      let draft = try stage.local("d0")
      try stage.reader.rewrite(draft, draft.raw + Array(text.utf8))
      if text == "one more line\n" { try stage.killPush(at: "APPEND") }
    }
    try expect("d0", in: "Drafts", stage)
    #expect(stage.count(of: "and another", in: "Drafts") == 1)
  }

  @Test(arguments: dialects.indices) func `a draft that was moved away leaves none behind`(
    number: Int
  ) throws {
    let stage = try stage(number)
    let draft = try stage.local("d0")
    try stage.reader.rewrite(draft, draft.raw + Array("one more line\n".utf8))
    try stage.killPush(at: "APPEND")
    try stage.reader.move(stage.local("d0"), to: "Other")
    try expect("d0", in: "Other", stage)
    #expect(stage.count(of: "one more line", in: "Other") == 1)
  }

  @Test func `a pull settles it without changing anything on the server`() throws {
    let stage = try stage(1)
    try stage.reader.move(stage.local("m1"), to: "Work")
    try stage.killPush(at: "UID COPY")
    stage.server.forget()
    try stage.mirror.pull()
    #expect(stage.changes == [] && stage.server.server.bodyFetches.count <= 1)
    try stage.push()
    #expect(stage.places("m1") == ["Work"])
  }

  enum Trouble: CaseIterable { case hangsUp, refuses }

  /// The server hangs up on the first few looks at a mailbox, or refuses them.
  @Test(arguments: Trouble.allCases, [1, 100])
  func `where it cannot be found out nothing comes twice, and the rest is pulled`(
    trouble: Trouble, times: Int
  ) throws {
    let stage = try stage(0)
    try stage.deliver("new", to: "Work")
    try stage.killPush(at: "APPEND")
    try stage.reader.move(stage.local("new"), to: "Other")
    stage.account.change("INBOX") { $0.deliver(SampleMessage(token: "fresh")) }
    let left = Locked(times)
    stage.server.alter { command, replies in
      guard command.name == "EXAMINE", command.text.contains("Work"), left.value > 0 else {
        return replies
      }
      left.value -= 1
      return trouble == .hangsUp
        ? [.hangUp] : [.line("\(command.tag) NO [SERVERBUG] in a moment")]
    }
    let outcome = try stage.mirror.run(["pull"])
    let isSettled = trouble == .hangsUp && times == 1
    #expect(outcome.status == (isSettled ? 0 : 1) && left.value < times, "\(outcome.summary)")
    if !isSettled { #expect(outcome.errorText.contains("left out of this pull")) }
    #expect(try stage.local("fresh").folder == "INBOX")
    stage.server.alter(nil)
    try expect("new", in: "Other", stage)
  }

  @Test func `what waits for the server to show it lets a pull write nothing`() throws {
    var dialect = Dialect.bare
    dialect.storing = { Array("X-Seen-By: server\r\n".utf8) + $0 }
    let stage = try PushStage(dialect)
    try stage.deliverNameless(to: "Work")
    try stage.push(1)
    for _ in 0..<2 { try stage.mirror.pull() }
    let before = TreeSnapshot(stage.mirror.account, leavingOut: Scenario.isBookkeeping)
    stage.server.forget()
    try stage.mirror.pull()
    let after = TreeSnapshot(stage.mirror.account, leavingOut: Scenario.isBookkeeping)
    #expect(before.changes(to: after) == [])
    #expect(stage.changes == [] && stage.server.server.bodyFetches == [])
    let looks = stage.server.server.received(named: ["EXAMINE"]).filter { $0.contains("Work") }
    #expect(looks.count == 2, "for the step, and as in every pull of a server that counts nothing")
    #expect(stage.places("fresh") == ["Work"])
  }

  /// The server is being started anew, say: it refuses connections for a while.
  @Test func `a server that is gone on the way is waited for, one that was not there is not`()
    throws
  {
    let stage = try stage(0)
    try stage.deliver("new", to: "Work")
    try stage.killPush(at: "APPEND")
    let waits = [0.4, 0.1, 0.1]
    let more = ["MIRROR_RETRY_SECONDS": waits.map { "\($0)" }.joined(separator: ",")]
    stage.server.alter { [server = stage.server] command, replies in
      guard command.name == "SELECT" else { return replies }
      server.stop()
      return [.hangUp]
    }
    let report = ["--progress", "--format", "jsonl"]
    let cut = try stage.mirror.run(["push"] + report, more: more)
    #expect(cut.ending == .exited(69) && cut.seconds > waits.reduce(0, +), "\(cut.summary)")
    #expect(cut.outputText.contains("retry-scheduled"), "\(cut.summary)")
    for command in ["push", "pull"] {
      let absent = try stage.mirror.run([command] + report, more: more)
      #expect(absent.ending == .exited(69), "\(absent.summary)")
      #expect(!absent.outputText.contains("retry-scheduled"), "\(absent.summary)")
    }
  }
}
